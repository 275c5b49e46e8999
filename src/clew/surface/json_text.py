"""JSON by the C functions behind the module ``json``, which takes a tenth of a command to import.

Most of that time is for regular expressions, which only the module's fallback in Python needs. If
these functions are missing, or a text is no plain JSON, the module itself is used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from collections.abc import Callable
    from typing import Any

    encode_basestring: Callable[[str], str]
    encode_basestring_ascii: Callable[[str], str]
    make_encoder: Callable[..., Callable[[object, int], tuple[str, ...]]]
    make_scanner: Callable[[object], Callable[[str, int], tuple[Any, int]]] | None
else:
    try:
        from _json import (
            encode_basestring,
            encode_basestring_ascii,
            make_encoder,
            make_scanner,
        )
    except ImportError:  # on another implementation of Python
        make_scanner = None

_SPACE = " \t\n\r"


class _Settings:
    """The settings of a scanner, with the defaults of ``json.JSONDecoder``."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str] = {}  # noqa: RUF012 - the scanner clears its own


def decoded(text: bytes | str) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: the text is not JSON.
    """
    decoded_text = text if isinstance(text, str) else text.decode("utf-8", "surrogatepass")
    if make_scanner is not None:
        try:
            value, end = make_scanner(_Settings)(decoded_text, 0)
        except StopIteration:
            pass
        else:
            if not decoded_text[end:].strip(_SPACE):
                return value
    import json  # noqa: PLC0415 - it tells what is wrong

    return json.loads(text)


def encoded(value: Any) -> bytes:
    """Return plain data as JSON in UTF-8, or as escaped ASCII if it has lone surrogates.

    ASCII is not the default: escapes take up to three times the bytes of Chinese or emoji, and a
    request may have 1 MiB.
    """
    if make_scanner is None:
        import json  # noqa: PLC0415 - another implementation of Python

        return _in_utf8(json.dumps(value, ensure_ascii=False)) or json.dumps(value).encode()
    return (
        _in_utf8(_written(value, encode_basestring))
        or _written(value, encode_basestring_ascii).encode()
    )


def _in_utf8(text: str) -> bytes:
    """Return a text in UTF-8; empty if it cannot be encoded."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return b""


def _written(value: Any, encode_text: Callable[[str], str]) -> str:
    encode = make_encoder(None, None, encode_text, None, ": ", ", ", False, False, False)
    return "".join(encode(value, 0))
