"""Read the rows of a vault's JSON files, each with its line, and check their values."""

import json
from collections.abc import Iterable, Iterator
from typing import Any


class Mistake(ValueError):
    """A row is invalid; the message names the place within the row, and the fault."""


def rows_of(text: str) -> Iterator[tuple[int, Any]]:
    """Yield the line and the value of each row: the elements of a list, or the only value.

    A comma may stand before the end of a list, unlike in JSON.

    Raises:
        json.JSONDecodeError: the text after the rows yielded so far is no valid JSON.
    """
    decoder, counted_to, line = json.JSONDecoder(), 0, 1
    at = _after_blanks(text, 0)
    is_list = text[at : at + 1] == "["
    at = _after_blanks(text, at + is_list)
    while not (is_list and text[at : at + 1] == "]"):
        value, end = decoder.raw_decode(text, at)
        line += text.count("\n", counted_to, at)
        counted_to = at
        yield line, value
        at = _after_blanks(text, end)
        if not is_list:
            break
        if text[at : at + 1] == ",":
            at = _after_blanks(text, at + 1)
        elif text[at : at + 1] != "]":
            raise json.JSONDecodeError("expected a comma or the end of the list", text, at)
    at = _after_blanks(text, at + is_list)
    if at < len(text):
        raise json.JSONDecodeError("something follows the end", text, at)


def _after_blanks(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t", "\n", "\r"):
        at += 1
    return at


def object_with(
    value: Any, place: str, required: Iterable[str], optional: Iterable[str] = ()
) -> dict[str, Any]:
    """Return ``value`` if it is an object with all required keys, and else only optional ones.

    Raises:
        Mistake: it is not.
    """
    if not isinstance(value, dict):
        raise Mistake(f"{place}: must be an object with {', '.join(required)}")
    if missing := [name for name in required if name not in value]:
        raise Mistake(f"{place}.{missing[0]}: is missing")
    if unknown := sorted(value.keys() - {*required, *optional}):
        raise Mistake(f"{place}: nothing is called {_shown(unknown[0])} here")
    return value


def one_of(value: Any, choices: tuple[str, ...], place: str) -> str:
    """Return ``value`` if it is one of ``choices``.

    Raises:
        Mistake: it is not.
    """
    if not isinstance(value, str) or value not in choices:
        raise Mistake(f"{place}: {_shown(value)} is none of {', '.join(choices)}")
    return value


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."
