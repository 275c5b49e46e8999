"""Write both dates of a span in full: "1 to 14 March 2025" as "1 March 2025 to 14 March 2025".

``ranges`` reads two whole dates. What one of them leaves out, the month or the year, is said by the
other. A dash between the days, as in "March 1-14", is "to".
"""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from clew.text.dates.days import MONTHS
from clew.text.dates.grammar.words import Word, is_year

WORDS_MAX = 1_000
_DAY = re.compile(r"(?:0?[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th)?")
_TWO_DAYS = re.compile(rf"({_DAY.pattern})-({_DAY.pattern})")
_TO = frozenset(("to", "until", "till", "through"))
_LEADING = _TO | {"from", "between", "and", "since"}
_MONTHS = frozenset((*MONTHS, *(month[:3] for month in MONTHS)))


def with_whole_dates(words: Sequence[Word]) -> list[Word]:
    """Return ``words`` with the month and the year of a span beside both of its days.

    More than ``WORDS_MAX`` words are no query for a period.
    """
    if len(words) > WORDS_MAX:
        return list(words)
    whole = _with_dashes_apart(words)
    at = 2
    while at < len(whole) - 1:
        if _joins_days(whole, at):
            at = _complete(whole, at)
        at += 1
    return whole


def _with_dashes_apart(words: Sequence[Word]) -> list[Word]:
    """Return words with "1-14" beside a month as "1 to 14"."""
    apart: list[Word] = []
    for at, word in enumerate(words):
        if word.text == "the" and _is_between_days(words, at):
            continue
        days = _TWO_DAYS.fullmatch(word.text)
        beside = (words[at - 1] if at else word, words[at + 1] if at + 1 < len(words) else word)
        if days is None or _MONTHS.isdisjoint(each.text for each in beside):
            apart.append(word)
            continue
        joined = [replace(word, text=text, is_joined=True) for text in ("to", days[2])]
        apart += [replace(word, text=days[1]), *joined]
    return apart


def _is_between_days(words: Sequence[Word], at: int) -> bool:
    """Return whether "the" is before a day of a span: "from THE 1st to THE 14th of March"."""
    is_led = at > 0 and words[at].is_joined and words[at - 1].text in _LEADING
    return is_led and at + 1 < len(words) and words[at + 1].is_joined and _is_day(words[at + 1])


def _joins_days(words: Sequence[Word], at: int) -> bool:
    """Return whether a word joins two days of one month: "to", or "and" after "between"."""
    first, joining, second = words[at - 1 : at + 2]
    if not (joining.is_joined and second.is_joined and _is_day(first) and _is_day(second)):
        return False
    before = [word.text for word in words[max(0, at - 3) : at - 1]]
    return joining.text in _TO or (joining.text == "and" and "between" in before)


def _complete(words: list[Word], at: int) -> int:
    """Complete the two days that the word at ``at`` joins; return the index of that word then."""
    month = at + 2 + (_text(words, at + 2) == "of")
    if _text(words, month) in _MONTHS:  # "1 to 14 March 2025"
        end = month + 1 + is_year(_text(words, month + 1))
        added = [replace(word, is_joined=True) for word in words[month:end]]
        words[at:at] = _placed(added, words[at - 1])
        return at + len(added)
    if words[at - 1].is_joined and words[at - 2].text in _MONTHS:  # "March 1 to 14, 2025"
        words.insert(at + 1, *_placed([words[at - 2]], words[at + 1]))
        words[at + 1] = replace(words[at + 1], is_joined=True)
        if is_year(_text(words, at + 3)):
            words.insert(at, *_placed([words[at + 3]], words[at - 1]))
            return at + 1
    return at


def _placed(words: Sequence[Word], place: Word) -> list[Word]:
    """Return words at the place of another one, which they continue."""
    return [replace(word, start=place.start, end=place.end, is_joined=True) for word in words]


def _text(words: Sequence[Word], at: int) -> str:
    return words[at].text if at < len(words) and words[at].is_joined else ""


def _is_day(word: Word) -> bool:
    return word.is_standalone and _DAY.fullmatch(word.text) is not None
