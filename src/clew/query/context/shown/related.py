"""Files that the front matter of a note names as related to it."""

import re
from collections.abc import Iterator

from clew.text.markdown.frontmatter_split import split

_KEY = re.compile(r"(?:related[_ -]?)?files[ \t]*:[ \t]*(.*)", re.IGNORECASE)
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)")
_MARKS = " \t\"'[]"
LINES_MAX = 200  # of the front matter that are looked at


def named_files(text: str) -> list[str]:
    """Return the files under ``related_files`` or ``files`` in front matter, in their order.

    This reads lines rather than YAML, which takes a hundred times as long: a list in brackets, a
    list of lines, or one name.
    """
    lines = (split(text).frontmatter or "").split("\n")[:LINES_MAX]
    return [file for value in _values(lines) if (file := value.strip(_MARKS))]


def _values(lines: list[str]) -> Iterator[str]:
    is_list = False
    for line in lines:
        key, item = _KEY.fullmatch(line), _ITEM.fullmatch(line)
        if key is not None:
            is_list = True
            yield from key[1].split(",")
        elif item is not None and is_list:
            yield item[1]
        elif line.strip():
            is_list = False
