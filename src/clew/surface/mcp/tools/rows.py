"""Rows of a reply: their references, and lists cut to the largest size of a reply."""

from __future__ import annotations

from clew.surface.mcp.text import fits, lines_that_fit, one_line
from clew.surface.mcp.work import Question

_NAME_CHARACTERS_MAX = 300  # longer than any file name; a longer name is cut
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_KEPT = frozenset(_LETTERS + "/!$&'()*+,;=:@-._~")
_CLOSING = ".,;:!?'\"*_~…”’“»›。，、；：！？）」』】》"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from clew.surface.mcp.work import Work

    Result = dict[str, Any]
    Shown = tuple[list[str], list[str]]  # the head of a page, and its rows


def reference(uri: str, lines: Sequence[int] | None) -> str:
    """Return the reference of a note, or of these lines of it."""
    if lines is None or "#" in uri:
        return uri
    return f"{uri}#L{lines[0]}-L{lines[1]}"


def concept_reference(name: str) -> str:
    """Return the reference of a concept, as ``text.uri`` makes it, which the bridge cannot load."""
    name = name if len(name) <= _NAME_CHARACTERS_MAX else f"{name[:_NAME_CHARACTERS_MAX]}…"
    is_paired = name.count("(") == name.count(")")
    kept = _KEPT if is_paired else _KEPT - {"(", ")"}
    quoted = "".join(
        each if each in kept or (not each.isascii() and each.isprintable()) else _percent(each)
        for each in name
    ).replace("://", "%3A//")
    last = quoted[-1:]
    return f"concept://{quoted[:-1]}{_percent(last) if last in _CLOSING else last}"


def _percent(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "surrogatepass"))


def named(display_name: str, name: str) -> str:
    """Return the display name of a concept with its reference."""
    return f"{one_line(display_name, 120)} ({concept_reference(name)})"


def paged(tool: str, question: Question, shown: Callable[[Result], Shown]) -> Work[str]:
    """Return a page of a list as text: its head, how to get the next page, and its rows.

    If the rows are too long for a reply, the question is repeated with a smaller limit, so that the
    cursor continues at the next row.
    """
    result = yield question
    head, rows = shown(result)
    count = lines_that_fit(rows, "\n".join([*head, more_of(tool, result)]))
    if 0 < count < len(rows):
        result = yield Question(question.method, **{**question.params, "limit": count})
        head, rows = shown(result)
    return fitted([*head, *([more_of(tool, result)] if result["cursor"] else []), ""], rows)


def more_of(tool: str, result: Result) -> str:
    """Return the line that tells an agent how to get the next page of a list."""
    return f"More: call {tool} again with cursor {result['cursor']}"


def fitted(head: list[str], rows: list[str], hint: str = "ask with a smaller limit") -> str:
    """Return a head and as many rows as fit into a reply; ``hint``: how to get further rows."""
    text = "\n".join([*head, *rows])
    if fits(text):
        return text
    count = lines_that_fit(rows, "\n".join(head))
    cut = f"({len(rows) - count} more rows are too long for a reply: {hint})"
    return "\n".join([*head, *rows[:count], cut])
