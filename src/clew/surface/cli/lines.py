"""Layout of text for people: columns, wrapping, counts and paths."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from collections.abc import Iterator, Sequence

# Closing punctuation, which must not begin a line.
_NEVER_FIRST = ")]}.,:;!?\u3001\u3002\u3009\u300b\u300d\u300f\u3011\u30fc\uff01\uff09\uff0c\uff1f"


def counted(count: int, thing: str) -> str:
    """Return a count and its noun, in the plural unless the count is 1."""
    return f"{count} {thing}{'' if count == 1 else 's'}"


def path_of(uri: str) -> str:
    """Return the path that a URI names, as text."""
    return bytes_of_path(uri).decode("utf-8", "replace")


def bytes_of_path(uri: str) -> bytes:
    """Return the path that a URI names, as the file system has it."""
    plain, *escaped = uri.removeprefix("memory://").encode().split(b"%")
    for part in escaped:
        plain += bytes.fromhex(part[:2].decode()) + part[2:]
    return plain


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
    """Return ``text`` as lines of at most ``columns``, wrapped at spaces; 0 means one line.

    Scripts without spaces are wrapped between any two characters. A word longer than a line gets a
    line of its own, unbroken, so that it can be copied.
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
    """Yield the parts that may not be broken, and each space.

    A regular expression would take longer to compile.
    """
    piece = ""
    for character in text:
        is_joined = not piece or not (_is_east_asian(character) or _is_east_asian(piece[-1]))
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


def _is_east_asian(character: str) -> bool:
    """Return whether the script is East Asian, where lines may break between any two characters."""
    return "\u2e80" <= character <= "\uffdc" or character >= "\U00020000"


def width_of(text: str) -> int:
    """Return the number of columns that ``text`` takes on a terminal."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width  # noqa: PLC0415 - most text needs neither

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)
