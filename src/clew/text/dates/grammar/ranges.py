"""Find ranges of days in the words of a query: a date phrase and the preposition before it.

"since Monday", "between 3 May and 9 May 2023", "in March". ``day_ranges`` returns every range;
``intent`` decides which of them say when notes were written.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice

from clew.text.dates.grammar.calendar_days import DatePhrase, Kind
from clew.text.dates.grammar.phrases import THIRD_WORDS, date_phrase_at
from clew.text.dates.grammar.words import LIMITS, Word, word_set
from clew.text.dates.languages.english import GOING_ON, WORK

_CLOSED = frozenset(("on", "in", "during", "from", "of", "for", "dated"))
_OPEN = LIMITS | {"till"}
_BEFORE_OPEN = frozenset(("from", "of"))  # French "d'avant 2025" is "of before 2025"
_UP_TO = frozenset(("to", "until", "till", "through"))
# For each preposition, the words that may be between the two dates of a range.
_WORDS_BEFORE_OTHER_END = {
    "between": frozenset(("and",)),
    "from": _UP_TO,
    "of": _UP_TO,
    "since": _UP_TO,
    "after": _UP_TO,
}
_NAMED = frozenset((Kind.DATED, Kind.VAGUE))  # "March 2025" and "March"
_LISTING = frozenset(("and", "or"))  # "in January and February"
# A query with more ranges is a text, and the place of each range is looked at in the whole query.
RANGES_MAX = 32
FIRST_YEAR = 1980  # few notes, if any, are in older files
LISTED_MAX = 12  # dates; without a bound, a query of commas takes time by the square
# "Before the end of March" is before its last day, and "after the start of March" after its first.
_SIDE_OF_WHOLE = {
    ("before", "end"): "until",
    ("after", "beginning"): "since",
    ("after", "start"): "since",
}
# After these words, a date is not a range: "by Monday", "moved to May", "older than 2020".
_REFUSED_PREPOSITIONS = frozenset(("by", "to", "than"))
_NOT = frozenset(("not", "except", "without"))
_PREPOSITIONS = _CLOSED | _OPEN | _REFUSED_PREPOSITIONS | {"between"}
# After these words, an open preposition gives no range: "the week before 3 May" is one week.
_WORDS_OF_LENGTH = word_set("day days week weeks month months year years shortly soon")


@dataclass(frozen=True, slots=True)
class DayRange:
    """A range of days and its place in the query."""

    kind: Kind  # the less sure kind of its dates
    since: date | None
    until: date | None  # the day after the last
    preposition: str  # "" for none
    start: int  # index of its first word
    stop: int  # index of the word after it

    @property
    def is_open(self) -> bool:
        """Return whether the range has no first or no last day."""
        return self.since is None or self.until is None

    @property
    def is_surely_date(self) -> bool:
        """Return whether this is a date in any place: not a bare "May", "Monday" or "2023"."""
        return bool(self.preposition) or self.kind < Kind.WEEKDAY

    @property
    def is_named_day(self) -> bool:
        """Return whether this is one day without its year: "7 May", the latest one."""
        if self.kind is not Kind.VAGUE or self.since is None or self.until is None:
            return False
        return (self.until - self.since).days == 1

    @property
    def is_bound_by_year(self) -> bool:
        """Return whether this is "before 2024" or the like, or "between 2022 and 2024"."""
        year = (self.since or self.until or date.min).year
        is_bound = self.is_open or self.preposition == "between"
        return self.kind is Kind.YEAR and is_bound and year >= FIRST_YEAR

    @property
    def may_name_topic(self) -> bool:
        """Return whether the date may be the topic of a note: "notes of 2023", "plans for May"."""
        return self.preposition in ("of", "for")


def day_ranges(words: Sequence[Word], today: date) -> list[DayRange]:
    """Return the ranges in ``words``, in order, without overlap; none if they are too many."""
    found = list(islice(_ranges_in(words, today), RANGES_MAX + 1))
    return found if len(found) <= RANGES_MAX else []


def _ranges_in(words: Sequence[Word], today: date) -> Iterator[DayRange]:
    at = 0
    while at < len(words):
        has_preposition = words[at].text in _PREPOSITIONS
        day = (
            _date_after(words, at + 1, today)
            if has_preposition
            else date_phrase_at(words, at, today)
        )
        if day is None:
            at += 1
            continue
        at, day_range = _range_at(words, at, day, today)
        if day_range is not None:
            yield day_range


def _range_at(
    words: Sequence[Word], at: int, day: DatePhrase, today: date
) -> tuple[int, DayRange | None]:
    """Return the index after the range that begins at ``at``, and the range, unless it is refused.

    ``day`` is its first date phrase.
    """
    preposition = words[at].text if words[at].text in _PREPOSITIONS else ""
    first_at = _date_start(words, at + 1) if preposition else at
    joining_words = _WORDS_BEFORE_OTHER_END.get(preposition, frozenset())
    if not preposition and day.kind in _NAMED | {Kind.ISO}:
        joining_words = _UP_TO  # "2026-10-01 to 2026-10-15", "January to March 2025"
    other = _other_end(words, day, joining_words, today)
    if other is not None:
        day = _in_year_of(words, first_at, day, other)
        other = _in_later_year_of(words, day, other)
        if not preposition and max(day.kind, other.kind) > Kind.DATED:
            other = None
    if (
        not preposition
        and words[at].text.split("-")[0] in THIRD_WORDS
        and day.kind is not Kind.YEAR
    ):
        preposition = "in"  # "what did I do early March"
    if other is None and (preposition in _CLOSED or (not preposition and day.kind in _NAMED)):
        day, is_one_range = _with_listed(words, first_at, day, today)
        if not is_one_range:
            return day.stop, None
    stop, kind = day.stop, day.kind
    if other is not None:
        stop, kind = other.stop, max(day.kind, other.kind)
    if _is_refused(words, at, preposition, day, other):
        return stop, None
    side = _SIDE_OF_WHOLE.get((preposition, words[first_at].text), preposition)
    since, until = _range_ends(side, day, other)
    follows_from = preposition in _OPEN and at > 0 and words[at - 1].text in _BEFORE_OPEN
    start = at - 1 if follows_from and words[at].is_joined else at  # "notes from before March"
    return stop, DayRange(kind, since, until, preposition, start, stop)


def _in_year_of(words: Sequence[Word], at: int, day: DatePhrase, last: DatePhrase) -> DatePhrase:
    """Return the date at ``at`` in the year of a later one: "January" in "January and March 2025".

    It is ``day`` unless that has no year, and ``last`` has one.
    """
    if day.kind is not Kind.VAGUE or last.kind is not Kind.DATED:
        return day
    dated = date_phrase_at(words, at, last.since)
    return day if dated is None else replace(dated, kind=Kind.DATED)


def _in_later_year_of(words: Sequence[Word], day: DatePhrase, other: DatePhrase) -> DatePhrase:
    """Return the second date of a range in the year of the first: "March 2025 until May".

    It is ``other`` unless that has no year, and ``day`` has one.
    """
    if day.kind is not Kind.DATED or other.kind is not Kind.VAGUE:
        return other
    at = _date_start(words, day.stop + 1)
    for year in (day.since.year, day.since.year + 1):  # "from December 2025 to January"
        dated = date_phrase_at(words, at, date(year, 12, 31)) if year <= date.max.year else None
        if dated is not None and dated.since >= day.since:
            return replace(dated, kind=Kind.DATED if year == day.since.year else Kind.VAGUE)
    return other


def _with_listed(
    words: Sequence[Word], at: int, day: DatePhrase, today: date
) -> tuple[DatePhrase, bool]:
    """Return ``day`` with the dates listed after it, and whether no day is between them.

    No range has January and March and nothing else. ``at``: the index of the first word of ``day``.
    """
    listed = _listed(words, at, day, today)
    last = listed[-1][1]
    days = [_in_year_of(words, start, each, last) for start, each in listed]
    whole, is_one_range = days[0], True
    for other in days[1:]:
        first, second = sorted((whole, other), key=lambda each: each.since)
        is_one_range = is_one_range and first.until == second.since
        kind = max(whole.kind, other.kind)
        whole = DatePhrase(kind, first.since, second.until, last.stop)
    return whole, is_one_range


def _listed(
    words: Sequence[Word], at: int, day: DatePhrase, today: date
) -> list[tuple[int, DatePhrase]]:
    """Return ``day`` and the dates listed after it, each with the index of its first word.

    Commas join months, if "and" or "or" ends the list.
    """
    listed = [(at, day)]
    count = 1  # of dates up to the last one after "and" or "or"
    while len(listed) < LISTED_MAX:
        before = listed[-1][1]
        has_word = before.stop < len(words) and words[before.stop].text in _LISTING
        start = _date_start(words, before.stop + has_word)
        other = _date_after(words, start, today)
        if other is None or not (has_word or (_is_month(before) and _is_month(other))):
            break
        listed.append((start, other))
        count = len(listed) if has_word else count
    return listed[:count]


def _is_month(day: DatePhrase) -> bool:
    return 28 <= (day.until - day.since).days <= 31


def _is_refused(
    words: Sequence[Word], at: int, preposition: str, day: DatePhrase, other: DatePhrase | None
) -> bool:
    """Return whether the words are not a range of days, or one that ends before it begins."""
    if other is not None:
        return other.since < (day.until if preposition == "after" else day.since)
    if preposition in _REFUSED_PREPOSITIONS or preposition == "between":
        return True
    if at > 0 and words[at - 1].text in _NOT:
        return True  # "notes not from 2025"
    if preposition == "on":  # "notes on 2023" are about that year
        if day.kind is Kind.RELATIVE and at > 0 and words[at - 1].text in WORK | GOING_ON:
            return False  # "what I worked on last week"
        return day.kind is not Kind.ISO and (day.until - day.since).days > 2
    return preposition in _OPEN and at > 0 and words[at - 1].text in _WORDS_OF_LENGTH


def _range_ends(
    preposition: str, day: DatePhrase, other: DatePhrase | None
) -> tuple[date | None, date | None]:
    """Return the first day and the day after the last; ``None`` for an open end."""
    if preposition == "before":
        return None, day.since
    if preposition in ("until", "till"):
        return None, day.until
    since = day.until if preposition == "after" else day.since
    if other is not None:
        return since, other.until
    return since, None if preposition in _OPEN else day.until


def _date_after(words: Sequence[Word], at: int, today: date) -> DatePhrase | None:
    """Return the date phrase at ``at``, skipping "the", if it continues the word before it."""
    at = _date_start(words, at)
    return date_phrase_at(words, at, today) if at < len(words) and words[at].is_joined else None


def _date_start(words: Sequence[Word], at: int) -> int:
    return at + (at < len(words) and words[at].is_joined and words[at].text == "the")


def _other_end(
    words: Sequence[Word], day: DatePhrase, joining_words: frozenset[str], today: date
) -> DatePhrase | None:
    """Return the second date of a range whose first date is ``day``, or ``None``."""
    if day.stop >= len(words) or words[day.stop].text not in joining_words:
        return None
    return _date_after(words, day.stop + 1, today)
