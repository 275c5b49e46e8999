"""Rows of a reply: references, and lists that are cut to the size of a reply."""

from __future__ import annotations

from clew.surface.mcp.text import fits, lines_that_fit, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def reference(uri: str, lines: Sequence[int] | None) -> str:
    """Return the reference of a note, or of these lines of it."""
    if lines is None or "#" in uri:
        return uri
    return f"{uri}#L{lines[0]}-L{lines[1]}"


def concept_reference(name: str) -> str:
    """Return the reference of a concept, which never means anything else."""
    shown = one_line(name, 200)
    for character in "%#?[]|^":
        shown = shown.replace(character, f"%{ord(character):02X}")
    return f"concept://{shown.replace(' ', '%20')}"


def named(display_name: str, name: str) -> str:
    """Return the display name of a concept with its reference."""
    return f"{one_line(display_name, 120)} ({concept_reference(name)})"


def fitted(head: list[str], rows: list[str]) -> str:
    """Return the text of a head and as many rows as a reply holds."""
    text = "\n".join([*head, *rows])
    if fits(text):
        return text
    count = lines_that_fit(rows, "\n".join(head))
    cut = f"({len(rows) - count} more rows are too long for a reply: ask with a smaller limit)"
    return "\n".join([*head, *rows[:count], cut])
