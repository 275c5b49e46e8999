"""Layout of text for people: tables, wrapping, harmless characters, counts and paths."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from collections.abc import Iterator, Sequence

COLUMNS_MIN = 30  # on narrower terminals, text is laid out for this width
_LAST_COLUMN_MIN = 0.4  # share of the width; a narrower last column is not wrapped within itself
_INDENT = "    "  # of the lines after the first line of a row or message
_REPLACEMENT = "\ufffd"
# Spaces that are not printable for Python, such as the no-break space.
_OTHER_SPACES = frozenset((0x00A0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000))
# Zero-width joiner and non-joiner: parts of Persian and Indic words, and of emoji.
_JOINERS = "\u200c\u200d"
# Closing punctuation, which must not begin a line.
_NEVER_FIRST = ")]}.,:;!?\u3001\u3002\u3009\u300b\u300d\u300f\u3011\u30fc\uff01\uff09\uff0c\uff1f"


def counted(count: int, thing: str) -> str:
    """Return a count and its noun, in the plural unless the count is 1."""
    return f"{count} {thing}{'' if count == 1 else 's'}"


def path_of(uri: str) -> str:
    """Return the path that a URI names, as text."""
    return bytes_of_path(uri).decode("utf-8", "replace")


def bytes_of_path(uri: str) -> bytes:
    """Return the path that a URI names, in the bytes of the file system."""
    plain, *escaped = uri.removeprefix("memory://").encode().split(b"%")
    for part in escaped:
        plain += bytes.fromhex(part[:2].decode()) + part[2:]
    return plain


def table(rows: Sequence[Sequence[str]], columns: int = 0) -> list[str]:
    """Return rows as lines of at most ``columns``, or of any width with 0.

    The columns are aligned if the table fits, or if the last column can be wrapped to fit.
    Otherwise each row is one wrapped line, whose continuation lines are indented.
    """
    lines = aligned(rows)
    if not columns or all(width_of(line) <= columns for line in lines):
        return lines
    heads = aligned([row[:-1] for row in rows]) if len(rows[0]) > 1 else [""]
    indent = max(map(width_of, heads)) + 2
    room = columns - indent
    if indent > 2 and room >= columns * _LAST_COLUMN_MIN:
        return [
            line
            for head, row in zip(heads, rows, strict=True)
            for line in _hanging(head, indent, wrapped(one_line(row[-1]), room))
        ]
    return [line for row in rows for line in folded("  ".join(filter(None, row)), columns)]


def _hanging(head: str, indent: int, parts: Sequence[str]) -> list[str]:
    """Return one line per part: the first after ``head``, the others indented below it."""
    first = head + " " * (indent - width_of(head)) + parts[0]
    return [first.rstrip(), *(" " * indent + part for part in parts[1:])]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows with their columns aligned by the width they take on a terminal."""
    if not rows:
        return []
    cells = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(width_of, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(
            cell + " " * (width - width_of(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in cells
    ]


def folded(text: str, columns: int) -> list[str]:
    """Return a text as lines of at most ``columns``; all but the first are indented further."""
    line = one_line(text)
    if columns <= 0 or width_of(line) <= columns:
        return [line]
    bare = line.lstrip(" ")
    indent = " " * min(len(line) - len(bare), columns // 4)
    further = indent + _INDENT
    first, *more = wrapped(bare, columns - len(further))
    return [indent + first, *(further + part for part in more)]


def wrapped(text: str, columns: int) -> list[str]:
    """Return ``text`` as lines of at most ``columns``, wrapped at spaces; 0 means one line.

    Scripts without spaces are wrapped between any two characters. A word longer than a line begins
    a line and is broken where the line ends.
    """
    if columns <= 0:
        return [text]
    lines: list[str] = []
    line, gap, line_width = "", "", 0
    for part in _unbroken(text):
        if part == " ":
            gap = gap + " " if line else ""
            continue
        if line and line_width + len(gap) + width_of(part) > columns:
            lines.append(line)
            line, gap, line_width = "", "", 0
        *full, end = _broken(part, columns) if width_of(part) > columns else (part,)
        lines += full
        line += gap + end
        line_width += len(gap) + width_of(end)
        gap = ""
    return [*lines, line]


def _broken(word: str, columns: int) -> list[str]:
    """Return a word in pieces of at most ``columns``, but of at least one character."""
    pieces: list[str] = []
    piece, piece_width = "", 0
    for character in word:
        width = width_of(character)
        if piece and piece_width + width > columns:
            pieces.append(piece)
            piece, piece_width = "", 0
        piece += character
        piece_width += width
    return [*pieces, piece]


def _unbroken(text: str) -> Iterator[str]:
    """Yield each unbreakable part of the text, and each space.

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
    from unicodedata import category, east_asian_width  # noqa: PLC0415 - most text needs neither

    return sum(
        0
        if category(c) in ("Mn", "Me") or c in _JOINERS
        else 2
        if east_asian_width(c) in "WF"
        else 1
        for c in text
    )


# -- harmless characters ----------------------------------------------------------------------


def one_line(text: str) -> str:
    """Return text for one line of a terminal: without control characters, with tabs as spaces."""
    return harmless(text).replace("\t", " ")


def harmless(text: str) -> str:
    r"""Return one line of text without characters that could control a terminal.

    Bytes of a path that are not UTF-8 become escapes, such as ``\xff``.
    """
    if text.isprintable():
        return str(text)
    return "".join(map(_harmless_character, text))


def _harmless_character(character: str) -> str:
    if character.isprintable() or character == "\t" or character in _JOINERS:
        return character
    if ord(character) in _OTHER_SPACES:
        return " "
    if "\udc80" <= character <= "\udcff":
        return f"\\x{ord(character) - 0xDC00:02x}"
    return _REPLACEMENT
