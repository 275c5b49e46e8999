"""Cut a query into words: ``split_words``."""

import re
from collections.abc import Sequence

from msgspec import Struct

from clew.text.dates.days import MONTHS

# A word of Latin letters and digits keeps its inner signs, so a version, a path or a time is one
# word. A run of letters of another script is a word too: text in it may touch a date.
_WORD = re.compile(
    "[0-9A-Za-z\u00c0-\u024f]+(?:[-./:_'’+][0-9A-Za-z\u00c0-\u024f]+)*"
    "|[^\\W0-9A-Za-z_\u00c0-\u024f]+"
)
# Beside one of these signs, a word belongs to an amount, a tag or a path.
_SIGNS_BEFORE = frozenset("#@/\\=~$€£¥&+.-_")
_SIGNS_AFTER = frozenset("%°€/\\=_(")
_POSSESSIVE = ("'s", "’s")
_RANGE_SIGNS = frozenset(("-", "\u2013", "\u2014", "..", "..."))  # "2026-10-01 - 2026-10-15"
_JOINING = frozenset(("", ",", "、", "，"))
_ISO_DATE = re.compile(r"[0-9]{4}-(?:[0-9]{2}(?:-[0-9]{2})?|w[0-9]{2})")
_DOTTED_DATE = re.compile(r"[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}")
_OF_DATE = re.compile(rf"[0-9]{{1,2}}(?:st|nd|rd|th)?|{'|'.join(f'{m}|{m[:3]}' for m in MONTHS)}")
YEAR = re.compile(r"(?:1[6-9]|20|21)[0-9]{2}")


class Word(Struct, frozen=True, gc=False):
    """A word of a query, in lower case and without a possessive's ending."""

    text: str
    start: int  # in characters of the query
    end: int
    is_possessive: bool
    is_capital: bool  # begins with a capital letter
    is_joined: bool  # only white space or one comma is between it and the word before
    is_standalone: bool  # no sign makes it an amount, a tag or part of a path


def word_set(text: str) -> frozenset[str]:
    """Return the words of ``text``, as a set."""
    return frozenset(text.split())


LIMITS = word_set("since until before after")  # they make an open period of a date


def split_words(query: str) -> list[Word]:
    """Split ``query`` into words, in time linear in its length."""
    words: list[Word] = []
    end = 0
    for match in _WORD.finditer(query):
        gap, text = query[end : match.start()], match.group()
        before, end = query[match.start() - 1 : match.start()], match.end()
        is_possessive = text.endswith(_POSSESSIVE)
        sign = gap.strip()
        sign = sign if sign in _RANGE_SIGNS else sign.removeprefix(".").strip()  # German "1.–14."
        if sign in _RANGE_SIGNS and _are_dates(words[-1:], text):
            sign_start = match.start() - len(gap)
            words.append(Word("to", sign_start, match.start(), False, False, True, True))
            gap = before = ""
        words.append(
            Word(
                text=(text[:-2] if is_possessive else text).lower(),
                start=match.start(),
                end=end,
                is_possessive=is_possessive,
                is_capital=text[0].isupper(),
                is_joined=bool(words) and gap.strip() in _JOINING,
                is_standalone=before not in _SIGNS_BEFORE
                and query[end : end + 1] not in _SIGNS_AFTER,
            )
        )
    return words


def _are_dates(before: Sequence[Word], text: str) -> bool:
    """Return whether a sign between two words is that of a span, as both are words of dates."""
    texts = [*(word.text for word in before), text.lower()]
    if len(texts) != 2:
        return False
    is_after_year = YEAR.fullmatch(texts[0]) and _OF_DATE.fullmatch(texts[1])
    return bool(is_after_year) or any(
        all(map(form.fullmatch, texts)) for form in (_ISO_DATE, _DOTTED_DATE, _OF_DATE)
    )


def is_year(text: str) -> bool:
    """Return whether a word is a year that notes may be of."""
    return YEAR.fullmatch(text) is not None


def text_at(words: Sequence[Word], at: int) -> str:
    """Return the word at ``at`` if it can continue the phrase before it, else ``""``."""
    can_continue = at < len(words) and words[at].is_joined and words[at].is_standalone
    return words[at].text if can_continue else ""
