"""Cursors: the place in a list where the next page begins, as a text that only clew reads.

A cursor holds the sort key of the last row that was shown. The next page has the rows after this
key, so rows that came or went in between neither repeat nor hide others. It is bound to its
request, and has a checksum. Nothing is kept for it: it survives a restart of the daemon.
"""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import blake2b, shake_128
from typing import Any, NamedTuple, TypeVar

from msgspec.structs import replace

from clew.values.errors import InvalidParams
from clew.values.packing import Unpacker, pack
from clew.values.requests import ListRequest, Request

Key = TypeVar("Key", bound=tuple[Any, ...])

_FIRST_PAGE = "leave it out to begin with the first page"
_PREFIX = "c"  # of every cursor: one that began with "-" would look like a command-line option
_CHECK_BYTES = 6
_REQUEST_BYTES = 4
# Fields that affect neither the rows of a list nor their order: they may differ between pages.
_IGNORED_FIELDS: dict[str, Any] = {
    "limit": 1,
    "cursor": None,
    "wait_fresh": False,
    "wait_for": (),
    "wait_fresh_ms": 0,
    "explain": False,
    "deep": False,
    "dump": False,
}


class _Place(NamedTuple):
    """What a cursor holds."""

    moment_s: int | None  # ``now`` for the ages on all pages; None if unused or given as ``asOf``
    key: tuple[Any, ...]


def cursor_after(request: ListRequest, key: tuple[Any, ...], now_s: float | None = None) -> str:
    """Return the cursor of the page after the row with this sort key.

    ``now_s``: the moment at which ages were computed, if the order of the rows depends on it.
    """
    moment_s = int(now_s) if now_s is not None and request.as_of is None else None
    body = _digest_of_request(request) + pack((moment_s, key))
    check = _checksum(body)
    return _PREFIX + urlsafe_b64encode(check + _scrambled(body, check)).decode().rstrip("=")


def last_key(request: ListRequest, kind: type[Key]) -> Key | None:
    """Return the sort key of the last row of the previous page; ``None`` on the first page.

    ``kind`` is the type of the keys of this list.

    Raises:
        InvalidParams: the cursor is damaged, or is of another request.
    """
    if request.cursor is None:
        return None
    try:
        key: Key = Unpacker[tuple[int | None, Key]](tuple[int | None, kind])(_packed(request))[1]  # type: ignore[valid-type]
    except ValueError as error:
        raise _damaged() from error
    return key


def first_page_moment_s(request: Request) -> float | None:
    """Return the moment at which the first page computed ages, if later pages must use it too.

    Raises:
        InvalidParams: the cursor is damaged, or is of another request.
    """
    if not isinstance(request, ListRequest) or request.cursor is None:
        return None
    try:
        return Unpacker[_Place](_Place)(_packed(request)).moment_s
    except ValueError as error:
        raise _damaged() from error


def outdated(reason: str) -> InvalidParams:
    """Return the error for a cursor whose place cannot be found any more."""
    return InvalidParams(f"the cursor is out of date: {reason}", "cursor", _FIRST_PAGE)


def _damaged() -> InvalidParams:
    message = "the cursor is damaged: it is not as a reply gave it"
    return InvalidParams(message, "cursor", f"copy it whole, or {_FIRST_PAGE}")


def _packed(request: ListRequest) -> bytes:
    """Return the packed place in the cursor of a request, after all checks."""
    cursor = request.cursor or ""
    try:
        data = urlsafe_b64decode(cursor[len(_PREFIX) :] + "=" * (-(len(cursor) - len(_PREFIX)) % 4))
    except (ValueError, binascii.Error) as error:
        raise _damaged() from error
    check = data[:_CHECK_BYTES]
    body = _scrambled(data[_CHECK_BYTES:], check)
    # The decoder skips some characters and ignores some bits at the end, so encode again to
    # compare.
    is_whole = cursor == _PREFIX + urlsafe_b64encode(data).decode().rstrip("=")
    if not is_whole or check != _checksum(body):
        raise _damaged()
    if body[:_REQUEST_BYTES] != _digest_of_request(request):
        raise InvalidParams(
            "the cursor is of another request",
            "cursor",
            f"send the method and the parameters that it came with, or {_FIRST_PAGE}",
        )
    return body[_REQUEST_BYTES:]


def _digest_of_request(request: ListRequest) -> bytes:
    """Return a digest of the method and of all parameters that affect the rows."""
    ignored = {
        name: _IGNORED_FIELDS[name] for name in request.__struct_fields__ if name in _IGNORED_FIELDS
    }
    ignored["include_private"] = bool(request.include_private)  # "ifAllowed" asks for the same rows
    content = type(request).__name__.encode() + pack(replace(request, **ignored))
    return blake2b(content, digest_size=_REQUEST_BYTES).digest()


def _checksum(body: bytes) -> bytes:
    return blake2b(body, digest_size=_CHECK_BYTES).digest()


def _scrambled(body: bytes, check: bytes) -> bytes:
    """Scramble ``body`` by XOR with a mask made from ``check``; a second call undoes it.

    So no client can rely on the content of a cursor, and decoding the base64 shows no names.
    """
    mask = int.from_bytes(shake_128(check).digest(len(body)))
    return (int.from_bytes(body) ^ mask).to_bytes(len(body))
