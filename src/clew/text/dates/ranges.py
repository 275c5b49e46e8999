"""Ranges of days as people say them: a date, and the preposition before it.

"since Monday", "between 3 May and 9 May 2023", "in March". Gives every range that the words of a
query hold, whatever it is about; what is meant by it is decided elsewhere.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from clew.text.dates.phrases import Kind, Spoken, Word, spoken_date, word_set

_WITHIN = frozenset(("on", "in", "during", "from", "of", "for", "dated"))
_OPEN = frozenset(("since", "after", "before", "until", "till"))
_UP_TO = frozenset(("to", "until", "till", "through"))
# Between a date and the other end of its range, by the preposition before it.
_JOINING = {"between": frozenset(("and",)), "from": _UP_TO, "since": _UP_TO, "after": _UP_TO}
# What a date may follow without being a range of its own.
_REFUSED = frozenset(("by", "to", "than"))
_PREPOSITIONS = _WITHIN | _OPEN | _REFUSED | {"between"}
# "The week before 3 May" is neither before that day nor that day.
_LENGTHS = word_set("day days week weeks month months year years shortly soon")


@dataclass(frozen=True, slots=True)
class DayRange:
    """A range of days and where it stands."""

    kind: Kind  # of its least sure date
    since: date | None
    until: date | None  # the day after the last
    preposition: str  # "" where there is none
    start: int  # index of its first word
    stop: int  # of the word after it

    @property
    def is_open(self) -> bool:
        """Tell whether one end is missing."""
        return self.since is None or self.until is None

    @property
    def is_about(self) -> bool:
        """Tell whether its preposition may say of what something is, and not when it was."""
        return self.preposition in ("of", "for")


def day_ranges(words: Sequence[Word], today: date) -> Iterator[DayRange]:
    """Yield the ranges in ``words``, in order; none overlap."""
    at = 0
    while at < len(words):
        has_preposition = words[at].text in _PREPOSITIONS
        day = _day(words, at + 1, today) if has_preposition else spoken_date(words, at, today)
        if day is None:
            at += 1
            continue
        at, found = _around(words, at, day, today)
        if found is not None:
            yield found


def _around(
    words: Sequence[Word], at: int, day: Spoken, today: date
) -> tuple[int, DayRange | None]:
    """Return the range that begins at ``at`` with ``day`` in it, after the word where it ends."""
    preposition = words[at].text if words[at].text in _PREPOSITIONS else ""
    other = _other(words, day, _JOINING.get(preposition, frozenset()), today)
    stop, kind = day.stop, day.kind
    if other is not None:
        stop, kind = other.stop, max(day.kind, other.kind)
    if _is_refused(words, at, preposition, day, other):
        return stop, None
    since, until = _ends(preposition, day, other)
    return stop, DayRange(kind, since, until, preposition, at, stop)


def _is_refused(
    words: Sequence[Word], at: int, preposition: str, day: Spoken, other: Spoken | None
) -> bool:
    if other is not None:
        return other.since < (day.until if preposition == "after" else day.since)
    if preposition in _REFUSED or preposition == "between":
        return True
    if preposition == "on":  # notes on 2023 are about it
        return day.kind is not Kind.ISO and (day.until - day.since).days > 1
    return preposition in _OPEN and at > 0 and words[at - 1].text in _LENGTHS


def _ends(preposition: str, day: Spoken, other: Spoken | None) -> tuple[date | None, date | None]:
    if preposition == "before":
        return None, day.since
    if preposition in ("until", "till"):
        return None, day.until
    since = day.until if preposition == "after" else day.since
    if other is not None:
        return since, other.until
    return since, None if preposition in _OPEN else day.until


def _day(words: Sequence[Word], at: int, today: date) -> Spoken | None:
    """Return the date at ``at``, after an article perhaps, if it goes on from the word before."""
    if at < len(words) and words[at].is_joined and words[at].text == "the":
        at += 1
    return spoken_date(words, at, today) if at < len(words) and words[at].is_joined else None


def _other(
    words: Sequence[Word], day: Spoken, joining: frozenset[str], today: date
) -> Spoken | None:
    """Return the date at the other end of a range that begins with ``day``."""
    if day.stop >= len(words) or words[day.stop].text not in joining:
        return None
    return _day(words, day.stop + 1, today)
