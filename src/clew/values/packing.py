"""Pack values as MessagePack, for the state on disk and for messages between processes.

Python represents a file name that is not UTF-8 as a string with lone surrogates, which MessagePack
cannot hold. A value with such a string is packed as JSON, which escapes them. The first byte tells
which of the two follows.
"""

import json
from typing import Any, Generic, TypeVar

import msgspec

T = TypeVar("T")

_PACKED = b"\x00"
_ESCAPED = b"\x01"


def pack(value: object) -> bytes:
    """Return the packed bytes of ``value``, a ``Struct`` or plain data."""
    try:
        return _PACKED + msgspec.msgpack.encode(value)
    except UnicodeEncodeError:
        return _ESCAPED + json.dumps(msgspec.to_builtins(value)).encode()


class Unpacker(Generic[T]):
    """Unpacks values of one type."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind
        self._decoder: msgspec.msgpack.Decoder[T] = msgspec.msgpack.Decoder(kind)

    def __call__(self, data: bytes | memoryview) -> T:
        """Return the value packed in ``data``.

        Raises:
            ValueError: ``data`` was not packed by ``pack`` from a value of this type.
        """
        if data[:1] == _PACKED:
            return self._decoder.decode(data[1:])
        if data[:1] == _ESCAPED:
            return self._unescaped(bytes(data[1:]))
        raise ValueError("the first byte names no packing")

    def _unescaped(self, data: bytes) -> T:
        try:
            value: T = msgspec.convert(json.loads(data), self._kind, str_keys=True)
        except RecursionError as error:
            raise ValueError("nested too deeply") from error
        return value
