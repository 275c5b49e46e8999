"""Values as bytes, for the state and for the other process: MessagePack.

A file name that is no valid UTF-8 is a string with lone surrogates, which MessagePack cannot hold;
what contains one is written as JSON, which escapes them. The first byte tells which it is.
"""

import json
from typing import Any, Generic, TypeVar

import msgspec

T = TypeVar("T")

_PACKED = b"\x00"
_ESCAPED = b"\x01"


def pack(value: object) -> bytes:
    """Return ``value``, a ``Struct`` or plain data, as bytes."""
    try:
        return _PACKED + msgspec.msgpack.encode(value)
    except UnicodeEncodeError:
        return _ESCAPED + json.dumps(msgspec.to_builtins(value)).encode()


class Unpacker(Generic[T]):
    """Turns the bytes of ``pack`` back into values of one type."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind
        self._decoder: msgspec.msgpack.Decoder[T] = msgspec.msgpack.Decoder(kind)

    def __call__(self, data: bytes | memoryview) -> T:
        """Return the value that ``data`` holds.

        Raises:
            ValueError: the bytes were not made by ``pack``, or from a value of another type.
        """
        if data[:1] == _PACKED:
            return self._decoder.decode(data[1:])
        if data[:1] == _ESCAPED:
            return self._unescaped(bytes(data[1:]))
        raise ValueError("unknown packing")

    def _unescaped(self, data: bytes) -> T:
        try:
            value: T = msgspec.convert(json.loads(data), self._kind, str_keys=True)
        except RecursionError as error:
            raise ValueError("nested too deeply") from error
        return value
