"""Lines that are nothing but links to notes: they tell where something is, and not what it is.

Nor does an image tell anything in a text. Templates have labels for links, such as "upstream:",
which are often left empty. A link to the web says what no note does; but a list of them, such as
the sources of a note, has many words of its subject, and answers nothing.
"""

import re
from collections.abc import Sequence
from itertools import groupby

from clew.text.regions.noise import LINE_CHARACTERS_MAX
from clew.text.regions.sections import is_only_headings
from clew.text.regions.wikilinks import INNER

_LINK = (
    rf"!?\[\[{INNER}\]\]"
    r"|!?\[[^\[\]\n]{0,400}\]\((?![a-z]+:)[^()\s]{1,2000}\)"
    r"|!\[[^\[\]\n]{0,400}\]\([^()\s]{1,2000}\)"
)
_WEB_LINK = r"\[[^\[\]\n]{0,400}\]\(https?:[^()\s]{1,2000}\)"
_ITEM = r"[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)?(?:\[[ xX]\][ \t]++)?"
# Matched from the start of a line alone, in linear time.
LINKS = re.compile(rf"{_ITEM}(?:(?:{_LINK})[ \t,;.|]*+)++")
# These are matched with whole lines. Without ``\A``, a search would try each of many blanks.
_ANY_LINKS = re.compile(rf"\A{_ITEM}(?:(?:{_LINK}|{_WEB_LINK})[ \t,;.|]*+)++")
_LABEL = re.compile(
    r"\A[ \t>]*+(?:#{1,6}[ \t]++)?[*_]{0,3}[^\W\d_][\w -]{0,25}[*_]{0,3}:[*_]{0,3}(?=\s|\Z)"
    r"[ \t]*+(?P<links>[^\n]*)"
)
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]")
SOURCES_MIN = 3  # pieces in a row that are links, some to the web, and therefore a list of sources


def which_only_point(pieces: Sequence[str]) -> list[bool]:
    """Return for each piece of a text whether it is links, labels of links or headings alone.

    Links to the web count where ``SOURCES_MIN`` pieces in a row are nothing but links.
    """
    is_listed: list[bool] = []
    for are_links, run in groupby(pieces, lambda each: _has_only(_ANY_LINKS, each)):
        count = len(list(run))
        is_listed += [are_links and count >= SOURCES_MIN] * count
    return [
        listed or is_only_links(each) or is_label_of_links(each) or is_only_headings(each)
        for each, listed in zip(pieces, is_listed, strict=True)
    ]


def is_only_links(text: str) -> bool:
    """Return whether all lines of a text below headings are links in the vault without a word."""
    return _has_only(LINKS, text)


def _has_only(links: re.Pattern[str], text: str) -> bool:
    if text[:1].isalpha() or ("]]" not in text and "](" not in text):
        return False
    lines = [line for line in text.split("\n") if line.strip() and not _HEADING.match(line)]
    return bool(lines) and all(
        len(line) <= LINE_CHARACTERS_MAX and links.fullmatch(line) is not None for line in lines
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
