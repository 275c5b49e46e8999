"""Lines that are nothing but links to notes: they tell where something is, and not what it is."""

import re

from clew.text.regions.noise import LINE_CHARACTERS_MAX
from clew.text.regions.wikilinks import INNER

_LINK = rf"!?\[\[{INNER}\]\]|" r"!?\[[^\[\]\n]{0,400}\]\((?![a-z]+:)[^()\s]{1,2000}\)"
# Matched from the start of a line alone, in linear time.
LINKS = re.compile(
    rf"[ \t>]*+(?:(?:[-*+]|\d{{1,9}}[.)])[ \t]++)?(?:\[[ xX]\][ \t]++)?"
    rf"(?:(?:{_LINK})[ \t,;.|]*+)++"
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
