"""Lines that are nothing but links to notes: they tell where something is, and not what it is.

Nor does an image tell anything in a text. Templates have labels for links, such as "upstream:",
which are often left empty.
"""

import re

from clew.text.regions.noise import LINE_CHARACTERS_MAX
from clew.text.regions.wikilinks import INNER

_LINK = (
    rf"!?\[\[{INNER}\]\]"
    r"|!?\[[^\[\]\n]{0,400}\]\((?![a-z]+:)[^()\s]{1,2000}\)"
    r"|!\[[^\[\]\n]{0,400}\]\([^()\s]{1,2000}\)"
)
# Matched from the start of a line alone, in linear time.
LINKS = re.compile(
    rf"[ \t>]*+(?:(?:[-*+]|\d{{1,9}}[.)])[ \t]++)?(?:\[[ xX]\][ \t]++)?"
    rf"(?:(?:{_LINK})[ \t,;.|]*+)++"
)
# It is matched with whole lines. Without ``\A``, a search would try it at each of many blanks.
_LABEL = re.compile(
    r"\A[ \t>]*+(?:#{1,6}[ \t]++)?[*_]{0,3}[^\W\d_][\w -]{0,25}[*_]{0,3}:[*_]{0,3}(?=\s|\Z)"
    r"[ \t]*+(?P<links>[^\n]*)"
)
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]")


def is_only_links(text: str) -> bool:
    """Return whether all lines of a text below headings are links in the vault without a word."""
    if text[:1].isalpha() or ("]]" not in text and "](" not in text):
        return False
    lines = [line for line in text.split("\n") if line.strip() and not _HEADING.match(line)]
    return bool(lines) and all(
        len(line) <= LINE_CHARACTERS_MAX and LINKS.fullmatch(line) is not None for line in lines
    )


def is_label_of_links(text: str) -> bool:
    """Return whether each line of a text is a label with links, or nothing, after it."""
    if ":" not in text:
        return False
    lines = [line for line in text.split("\n") if line.strip()]
    return bool(lines) and all(map(_is_labelled, lines))


def _is_labelled(line: str) -> bool:
    labelled = _LABEL.fullmatch(line) if len(line) <= LINE_CHARACTERS_MAX else None
    links = labelled["links"].strip() if labelled else ""
    return labelled is not None and (not links or LINKS.fullmatch(links) is not None)
