r"""Text of notes as data: it can neither forge structure of a pack nor end its own fence.

Headings are pushed below those of the pack. Code is shown in a fence that is longer than any run of
back-ticks inside. A line that could pass for other structure (HTML, an underline that makes a
heading, a line that looks like one of the pack) begins with a backslash, as Markdown escapes it.
Control characters, and those that change the direction of the text after them, are left out.
"""

import re
from collections.abc import Sequence

from clew.query.quoting.labels import LABEL_PATTERN, NO_ANSWER
from clew.text.regions.noise import is_noise, is_only_tags

HEADING_LEVELS = 3  # a pack's own headings have the levels 1 to 3
TITLE_CHARACTERS_MAX = 120

_CONTAINERS = r"(?:[ \t]*+(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t])))*+[ \t]*+"
_HEADING = re.compile(rf"({_CONTAINERS})(#{{1,6}})(?=[ \t]|$)")
INDENTED_CODE = re.compile(r" {4}| {0,3}\t")  # outside of lists
_ITEM = re.compile(r"[ \t]*+(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_FENCE = re.compile(rf"({_CONTAINERS})(`{{3,}}|~{{3,}})([^\n]*)")
_FENCE_END = re.compile(r"[ \t>]*+(`{3,}|~{3,})[ \t]*")
_UNDERLINE = re.compile(r"([ \t>]*+)(=+|-+)[ \t]*")
_LIKE_STRUCTURE = re.compile(
    rf"({_CONTAINERS})(?=<(?!https?:)[A-Za-z/!?]|`(?:memory|concept):|{LABEL_PATTERN})"
)
_PARAGRAPH = re.compile(r"(?![ \t]*(?:[#>|`~]|[-*+][ \t]|\d{1,9}[.)][ \t]))[ \t]{0,3}\S")
_TABLE_RULE = re.compile(r"[ \t]*+\|[ \t:|-]*")  # below the head of a table
_LANGUAGE = re.compile(r"[\w+#.-]{1,30}")
_BACKTICKS = re.compile("`+")
_BLOCK_ID = re.compile(r"[ \t]+\^[A-Za-z0-9-]{1,100}[ \t]*$")
_BLANK_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069\ufeff]")
# Tags that only say how text looks, or where it is; those of blocks end a line or a cell.
_INLINE_TAGS = "span|font|b|i|u|em|strong|small|big|mark|abbr|sub|sup|kbd"
_BLOCK_TAGS = "br|div|p|center|section|article|details|summary|figure|figcaption"
_ANCHOR = r"<a\s+(?:name|id)\s*=[^<>]*(?:/>|>\s*</a>)"  # of a place that links lead to; no text
_INLINE_TAG = re.compile(rf"</?(?:{_INLINE_TAGS})(?:\s[^<>]*)?/?>|{_ANCHOR}", re.IGNORECASE)
_BLANKS = r"(?:(?<![ \t])[ \t]++)?+"  # all of a run, so that a long one is read once
_BLOCK_TAG = re.compile(rf"{_BLANKS}</?(?:{_BLOCK_TAGS})(?:\s[^<>]*)?/?>[ \t]*", re.IGNORECASE)
_CODE_SPAN = re.compile(r"((?<!`)`++[^`]++`++)")
_LEADING_MARK = re.compile(r"[#>*+~=`<|-]|\d{1,9}[.)]")


def quoted(text: str, shift: int = HEADING_LEVELS) -> str:
    """Return the text of a note as a pack shows it.

    ``shift`` is added to the levels of its headings, which stay below those of the pack. Lines that
    tell a reader nothing are left out.
    """
    if not text.replace("\n", " ").isprintable():  # as few texts
        text = _DIRECTIONS.sub("", _BLANK_CONTROLS.sub(" ", text))
    lines = text.split("\n")
    shown: list[str] = []
    code: set[int] = set()  # indexes of lines shown in code
    is_in_list = True  # the text may begin within one
    at = 0
    while at < len(lines):
        line = without_tags(lines[at])
        fence = _FENCE.fullmatch(line) if "```" in line or "~~~" in line else None
        if fence is not None and not (fence[2][0] == "`" and "`" in fence[3]):
            end = _end_of_code(lines, at + 1, fence[2])
            first = len(shown)
            shown += _code(lines[at + 1 : end], fence[1], fence[3])
            code.update(range(first, len(shown)))
            at = end + 1
        else:
            is_in_list = _is_in_list(lines, at, was_in_list=is_in_list)
            may_be_heading = is_in_list or not INDENTED_CODE.match(line)
            _add_line(shown, line, shift, may_be_heading=may_be_heading)
            at += 1
    prose = [line for index, line in enumerate(shown) if index not in code]
    return _with_closed_pairs("\n".join(shown).strip("\n"), prose)


def _is_in_list(lines: Sequence[str], at: int, *, was_in_list: bool) -> bool:
    """Return whether a line may be in a list; ``was_in_list``: the one above may be."""
    line = lines[at]
    if line[:1].isalpha() and not was_in_list:  # as mostly
        return False
    if _ITEM.match(line):
        return was_in_list or not INDENTED_CODE.match(line)
    ends = line[:1].strip() and (at == 0 or not lines[at - 1].strip())
    return was_in_list and not ends


def without_tags(line: str) -> str:
    """Return a line without HTML tags that only say how its text looks, or where it is.

    Code stays as it is.
    """
    if "<" not in line:
        return line
    parts = _CODE_SPAN.split(line)
    parts[::2] = (_INLINE_TAG.sub("", _BLOCK_TAG.sub(" ", part)) for part in parts[::2])
    shown = "".join(parts)
    return line if shown == line else shown.rstrip()


def _is_plain(line: str) -> bool:
    """Return whether a line begins with a letter, as no structure does; most lines do."""
    return line[:1].isalpha() and not line.startswith(NO_ANSWER)


def _end_of_code(lines: Sequence[str], at: int, marks: str) -> int:
    """Return the index of the line that ends a fence, or the number of lines."""
    for index in range(at, len(lines)):
        end = _FENCE_END.fullmatch(lines[index])
        if end is not None and end[1].startswith(marks):
            return index
    return len(lines)


def _code(lines: Sequence[str], prefix: str, info: str) -> list[str]:
    """Return code in a fence of its own, without the ``prefix`` before the fence in the note."""
    if prefix:
        within = re.compile(rf"(?:[ \t]{{0,3}}>[ ]?){{{prefix.count('>')}}}")
        width = len(prefix.replace(">", "").rstrip()) or len(prefix.rpartition(">")[2])
        lines = [_unindented(within.sub("", line, count=1), width) for line in lines]
    longest = max((len(run) for line in lines for run in _BACKTICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    language = _LANGUAGE.match(info.strip())
    return [fence + (language[0] if language else ""), *lines, fence]


def _unindented(line: str, width: int) -> str:
    return line[min(width, len(line) - len(line.lstrip(" \t"))) :]


def _add_line(shown: list[str], line: str, shift: int, *, may_be_heading: bool) -> None:
    """Add a line outside of code to those shown, as one that is no structure of a pack."""
    if _is_plain(line):
        shown.append(line)
    elif not line.strip():
        if shown and shown[-1]:
            shown.append("")
    elif (underline := _UNDERLINE.fullmatch(line)) is not None:
        _add_underline(shown, underline, shift)
    elif not (
        is_noise(line)
        or (is_only_tags(line) and shown and _PARAGRAPH.match(shown[-1]))
        or (_TABLE_RULE.fullmatch(line) and not (shown and shown[-1]))
    ):
        heading = _HEADING.match(line) if may_be_heading else None
        if heading is not None:
            level = _level(len(heading[2]), shift)
            shown.append(f"{heading[1]}{level}{line[heading.end() :]}")
        else:
            like = _LIKE_STRUCTURE.match(line)
            shown.append(f"{like[1]}\\{line[like.end() :]}" if like else line)


def _level(level: int, shift: int) -> str:
    return "#" * max(HEADING_LEVELS + 1, min(6, level + shift))


def _add_underline(shown: list[str], underline: re.Match[str], shift: int) -> None:
    """Make the paragraph above an underline the heading that it is.

    A thematic break, and a list item without text, are left out.
    """
    marks = underline[2]
    if not underline[1] and shown and _PARAGRAPH.match(shown[-1]):
        above: list[str] = []
        while shown and _PARAGRAPH.match(shown[-1]):
            above.append(shown.pop().strip())
        shown.append(f"{_level(1 if marks[0] == '=' else 2, shift)} {' '.join(reversed(above))}")
    elif marks[0] == "=" or (underline[1] and marks != "-"):
        shown.append(f"{underline[1]}\\{marks}")


def _with_closed_pairs(text: str, prose: Sequence[str]) -> str:
    """Return ``text`` with an end to its last comment, or formula, if it has none.

    ``prose``: its lines outside of code, in which marks in code spans are code too.
    """
    for marks in ("%%", "$$"):
        if marks in text and sum(_uncoded(line).count(marks) for line in prose) % 2:
            text += f"\n{marks}"
    return text


def _uncoded(line: str) -> str:
    return "".join(_CODE_SPAN.split(line)[::2])


def one_line(text: str, most: int = TITLE_CHARACTERS_MAX) -> str:
    """Return ``text`` on one line without control characters, cut with a mark if it is long."""
    line = text[: 4 * most]
    if not line.isprintable():
        line = "".join(c if c.isprintable() else " " for c in line)
    line = " ".join(line.split())
    return line if len(line) <= most and len(text) <= 4 * most else f"{line[:most].rstrip()}…"


def in_label(text: str, most: int = TITLE_CHARACTERS_MAX) -> str:
    """Return a name for a label of a pack, in which it cannot pass for a reference."""
    return one_line(text, most).replace("://", ":")


def at_line_start(name: str) -> str:
    """Return a name so that it is text, and no list or heading, where a line begins with it."""
    return _LEADING_MARK.sub(r"\\\g<0>", name, count=1) if _LEADING_MARK.match(name) else name


def without_block_id(line: str) -> str:
    """Return a line without the block id at its end, which only links use."""
    return _BLOCK_ID.sub("", line) if "^" in line else line
