"""Layout of text for people: columns, line breaks, and how counts and paths are written."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from collections.abc import Iterator, Sequence

# What ends a sentence or a bracket, and so never begins a line.
_NEVER_FIRST = ")]}.,:;!?\u3001\u3002\u3009\u300b\u300d\u300f\u3011\u30fc\uff01\uff09\uff0c\uff1f"


def counted(count: int, thing: str) -> str:
    """Return a number of things in words."""
    return f"{count} {thing}{'' if count == 1 else 's'}"


def path_of(uri: str) -> str:
    """Return the path a URI names, as text to read."""
    plain, *escaped = uri.removeprefix("memory://").encode().split(b"%")
    for part in escaped:
        plain += bytes.fromhex(part[:2].decode()) + part[2:]
    return plain.decode("utf-8", "replace")


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows with their columns aligned by the width they take on a terminal."""
    if not rows:
        return []
    widths = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell + " " * (width - width_of(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def wrapped(text: str, columns: int) -> list[str]:
    """Return ``text`` as lines of at most ``columns``, broken at spaces; 0 for a single line.

    Scripts without spaces are broken between any two signs. A word longer than a line has one of
    its own and is left whole, so that it can be copied.
    """
    if columns <= 0:
        return [text]
    lines: list[str] = []
    line, gap, used = "", "", 0
    for part in _unbroken(text):
        if part == " ":
            gap = " " if line else ""
            continue
        width = width_of(part)
        if line and used + len(gap) + width > columns:
            lines.append(line)
            line, gap, used = "", "", 0
        line += gap + part
        used += len(gap) + width
        gap = ""
    return [*lines, line]


def _unbroken(text: str) -> Iterator[str]:
    """Return what no line may break, and each space. A pattern would take longer to compile."""
    piece = ""
    for character in text:
        is_joined = not piece or not (_is_sign(character) or _is_sign(piece[-1]))
        if character != " " and (is_joined or character in _NEVER_FIRST):
            piece += character
            continue
        if piece:
            yield piece
        piece = "" if character == " " else character
        if character == " ":
            yield " "
    if piece:
        yield piece


def _is_sign(character: str) -> bool:
    """Tell whether this is of an East Asian script, where lines may break anywhere."""
    return "\u2e80" <= character <= "\uffdc" or character >= "\U00020000"


def width_of(text: str) -> int:
    """Return how many columns ``text`` takes on a terminal."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width  # noqa: PLC0415 - most text needs neither

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)
