"""Text of notes as data: it can neither forge structure of a pack nor end its own fence.

Headings are pushed below those of the pack. Text that could pass for other structure (fences, HTML,
comments, underlined headings, lines that look like those of a pack) is fenced as a whole.
"""

import re

HEADING_LEVELS = 3  # a pack's own headings have the levels 1 to 3
TITLE_CHARACTERS_MAX = 120

_CONTAINERS = r"(?:[ \t]{0,9}(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))){0,20}[ \t]{0,9}"
_HEADING = re.compile(rf"^({_CONTAINERS})(#{{1,6}})(?=[ \t]|$)", re.MULTILINE)
_STRUCTURE = re.compile(
    rf"^{_CONTAINERS}(?:`{{3,}}|~{{3,}}|[=-]{{2,}}[ \t]*$|<[A-Za-z/!?]"
    r"|`(?:memory|concept):|\*\*Metadata\*\*|\*(?:Tags|Importance|Created|Related files):"
    r"|\*\d+ more did not fit|Nothing in the notes answers)"
    r"|<!--|%%|\$\$|^#{1,6}[ \t]*$",
    re.MULTILINE,
)
_BACKTICKS = re.compile("`+")
_BLOCK_ID = re.compile(r"[ \t]+\^[A-Za-z0-9-]{1,100}[ \t]*$")


def quoted(text: str) -> str:
    """Return the text of a note as a pack shows it."""
    text = text.replace("\r", " ")  # Markdown would take it for a line end
    if _STRUCTURE.search(text):
        longest = max(map(len, _BACKTICKS.findall(text)), default=0)
        fence = "`" * max(3, longest + 1)
        return f"{fence}\n{text}\n{fence}"
    return _HEADING.sub(_pushed_down, text)


def _pushed_down(heading: re.Match[str]) -> str:
    return heading[1] + "#" * min(6, HEADING_LEVELS + len(heading[2]))


def one_line(text: str, most: int = TITLE_CHARACTERS_MAX) -> str:
    """Return ``text`` on one line without control characters, cut with a mark if it is long."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * most]).split())
    return line if len(line) <= most and len(text) <= 4 * most else f"{line[:most].rstrip()}…"


def without_block_id(line: str) -> str:
    """Return a line without the block id at its end, which only links use."""
    return _BLOCK_ID.sub("", line) if "^" in line else line
