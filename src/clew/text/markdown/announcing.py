"""Text that says that something follows it: it ends with a colon, or is a line in bold.

A line in bold may have an icon after it, since an image alone tells nothing.
"""

import re

_COLON = re.compile(r"[:\uff1a][*_]{0,3}\Z")
_COLON_CHARACTERS_MAX = 4  # at the end of a text, without white space
_LAST_CHARACTERS = frozenset(":\uff1a*_.])")  # of a text that announces something
_IMAGE = r"!\[\[[^\[\]\n]{1,200}\]\]|!\[[^\[\]\n]{0,100}\]\([^()\s]{1,200}\)"
_BOLD_LINE = re.compile(rf"(?P<marks>\*\*|__)[^*_\n]{{1,80}}(?P=marks)[ \t.:]{{0,3}}(?:{_IMAGE})?")


def announces(text: str) -> bool:
    """Return whether a text ends with a colon, or is a line in bold: something follows it."""
    end = text.rstrip()[-_COLON_CHARACTERS_MAX:]
    if end[-1:] not in _LAST_CHARACTERS:  # as of most texts
        return False
    return _COLON.search(end) is not None or is_bold_line(text)


def is_bold_line(text: str) -> bool:
    """Return whether a text is one line in bold, as people write instead of a heading."""
    line = text.strip()
    return line[:1] in ("*", "_") and _BOLD_LINE.fullmatch(line) is not None
