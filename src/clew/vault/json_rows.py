"""Reading the JSON files of a vault: their rows, each with its line, and checks of each row."""

import json
from collections.abc import Iterable, Iterator
from typing import Any


class Mistake(ValueError):
    """What is wrong in a row; the message names the place within it."""


def rows_of(text: str) -> Iterator[tuple[int, Any]]:
    """Yield the line and the value of each row: the elements of a list, or the only value.

    Raises:
        json.JSONDecodeError: what follows is no JSON.
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
    """Return an object with the required keys, and no other than the optional ones.

    Raises:
        Mistake: it is none.
    """
    if not isinstance(value, dict):
        raise Mistake(f"{place}: must be an object with {', '.join(required)}")
    if missing := [name for name in required if name not in value]:
        raise Mistake(f"{place}.{missing[0]}: is missing")
    if unknown := sorted(value.keys() - {*required, *optional}):
        raise Mistake(f"{place}: nothing is called {_shown(unknown[0])} here")
    return value


def one_of(value: Any, known: tuple[str, ...], place: str) -> str:
    """Return a text that is one of those known.

    Raises:
        Mistake: it is none of them.
    """
    if not isinstance(value, str) or value not in known:
        raise Mistake(f"{place}: {_shown(value)} is none of {', '.join(known)}")
    return value


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."
