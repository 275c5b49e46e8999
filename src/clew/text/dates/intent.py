"""Does a query speak of when notes were written? "notes from March", "yesterday", "latest".

Most dates in questions are not about notes: "Who won in 1950?", "the October 27, 1999 episode". And
a word may be something else: "may", "march", "the last one". So a phrase counts only where it is
plainly meant, and a query that could be read in two ways is taken to say nothing of time. A phrase
is taken,

- whatever it is, beside a word for notes ("notes written in 2023", "last week's journal") or where
  it is all there is ("since March");
- an ISO day, week or month: anywhere, in any language;
- a day or month with its year: at the end of the query, or at its beginning after a preposition
  (without one it begins a name: "March 1913 tornado outbreak"), or after a preposition anywhere if
  the query speaks of its asker ("I", "my") or of notes. A question about something else may end so
  too, and then the date reaches only the notes of that day or month; hence an open range ("since 18
  February 2016"), which reaches all newer notes, and dates from before there were files of notes
  are not taken there;
- one told from now ("last week", "3 days ago", "on Tuesday"): at either end of the query, or
  anywhere if it speaks of its asker or of notes; "today" and "this year" mean nowadays in other
  questions, and are left there;
- a month or day without its year: at the end of what "I" or "we" did ("what I did in March");
- a bare year: after a preposition, beside a word for notes or alone;
- "latest", "newest", "most recent", "recent": before a word for notes, or at either end of what is
  no question; "recently": at the end, or if the query speaks of its asker or of notes.

A question that asks for a date ("When ...", "In what year ...") tells other dates as facts. Of two
different ranges none is taken. English phrases only, but for ISO dates.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo

from clew.text.dates.phrases import Kind, Word, word_set, words_of
from clew.text.dates.ranges import DayRange, day_ranges

WORDS_MAX = 1_000  # a longer text is no query that a period can be asked in

_NOTES = word_set(
    "note notes journal journals diary diaries entry entries memo memos meeting meetings standup "
    "standups draft drafts todo todos"
)
# What may stand between a word for notes and a date.
_WRITTEN = word_set(
    "written wrote made taken created added changed edited modified updated logged dated that "
    "which were was have i i've we we've"
)
_BETWEEN_MAX = 4
_OWN = word_set("i i'm i've i'd me my mine we we're we've we'd us our ours")
_ASKER = word_set("i i've i'd we we've we'd")
# Words that only ask for what the others say.
_ASKING_FOR = word_set("the my our all any find list show me give please first")
_SHOW = frozenset(("show", "give", "find", "tell"))
_ASKING = word_set(
    "who whom whose what which where when why how is are was were do does did has have had can "
    "could may will would should"
)
_DATE_WORDS = frozenset(("year", "years", "month", "date", "dates", "day", "time"))
_NEWEST = frozenset(("latest", "newest", "recent"))
_NOTE_WORDS_AHEAD = 3
_VERBS = frozenset(("may", "march"))
_TO_NOW = frozenset((Kind.RELATIVE, Kind.PRESENT, Kind.WEEKDAY))
_LONGEST_DAY_S = 25 * 3600  # when clocks go back
_FIRST_YEAR = 1980  # before it, hardly a note was a file


@dataclass(frozen=True, slots=True)
class Period:
    """When the notes that a query is about were written."""

    since_s: float | None  # POSIX seconds, of the first moment; None: from the beginning
    until_s: float | None  # of the first moment after; None: without end
    newest_first: bool  # the query asks for the newest: without a range, that is all it says
    spans: tuple[tuple[int, int], ...]  # where in the query it says so, in characters, in order
    dates: tuple[tuple[int, int], ...]  # those of them that are dates, which notes may hold too

    @property
    def is_day(self) -> bool:
        """Whether it is one day."""
        if self.since_s is None or self.until_s is None:
            return False
        return self.until_s - self.since_s <= _LONGEST_DAY_S


def period_of(query: str, now_s: float, zone: tzinfo) -> Period | None:
    """Return when the notes that ``query`` is about were written, ``None`` if it does not say.

    Days begin and end at midnight in ``zone``, weeks on Monday; ``now_s`` is POSIX seconds. Outside
    of the years 1 to 9999 there, nothing is said of time. No query raises, and time is linear in
    its length.
    """
    words = words_of(query)
    if len(words) > WORDS_MAX:
        return None
    said = _Said(words, query.rstrip().endswith(("?", "\uff1f")))
    try:
        today = datetime.fromtimestamp(now_s, zone).date()
    except (OverflowError, ValueError):
        return None
    ranges = said.meant(list(day_ranges(words, today)))
    newest = said.newest()
    if not ranges and not newest:
        return None
    found = ranges[0] if ranges else None
    places = sorted([*((each.start, each.stop) for each in ranges), *newest])
    dates = [(each.start, each.stop) for each in ranges if each.kind not in _TO_NOW]
    return Period(
        since_s=_midnight_s(found.since, zone) if found else None,
        until_s=_midnight_s(found.until, zone) if found else None,
        newest_first=bool(newest),
        spans=tuple((words[i].start, words[stop - 1].end) for i, stop in places),
        dates=tuple((words[i].start, words[stop - 1].end) for i, stop in sorted(dates)),
    )


def _midnight_s(day: date | None, zone: tzinfo) -> float | None:
    """Return when ``day`` begins; where clocks skip midnight, that is the moment they do."""
    if day is None:
        return None
    return datetime(day.year, day.month, day.day, tzinfo=zone).timestamp()


class _Said:
    """The words of a query, and what they say of whom it is about."""

    def __init__(self, words: Sequence[Word], has_question_mark: bool) -> None:
        self.words = words
        texts = [word.text for word in words]
        known = frozenset(texts)
        self._texts = texts
        self._is_question = has_question_mark or (bool(texts) and texts[0] in _ASKING)
        self._asks_when = "when" in known or any(
            asking in ("what", "which") and asked in _DATE_WORDS
            for asking, asked in itertools.pairwise(texts)
        )
        own = {text for i, text in enumerate(texts) if not _is_shown(texts, i)}
        self._is_own = not own.isdisjoint(_OWN) or not own.isdisjoint(_NOTES)
        self._has_asker = not known.isdisjoint(_ASKER)
        told = [i for i, text in enumerate(texts) if text not in _ASKING_FOR]
        self._first, self._last = (told[0], told[-1]) if told else (0, 0)

    def meant(self, found: Sequence[DayRange]) -> Sequence[DayRange]:
        """Return those ranges that are about when notes were written: one, maybe said twice.

        A second date makes both doubtful; beside a word for notes, only one in ISO form does.
        """
        taken, doubtful = [each for each in found if self._is_beside_notes(each)], Kind.ISO
        if not taken:
            taken, doubtful = [each for each in found if self._means(each)], Kind.RELATIVE
        rivals = [*taken, *(each for each in found if each.kind <= doubtful)]
        return taken if len({(each.since, each.until) for each in rivals}) == 1 else ()

    def _means(self, found: DayRange) -> bool:
        """Tell whether a range is about when notes were written."""
        if self._is_all(found):
            return True
        if found.kind is Kind.ISO:
            return True
        is_at_end = self._is_at_end(found.stop)
        if found.kind in (Kind.VAGUE, Kind.YEAR):
            is_in = bool(found.preposition) and not found.is_about
            return found.kind is Kind.VAGUE and is_at_end and self._has_asker and is_in
        if self._asks_when and not self._is_own:
            return False
        is_at_edge = is_at_end or self._is_at_start(found.start)
        if found.kind is Kind.PRESENT:
            return self._is_own or (is_at_edge and not self._is_question)
        if found.kind is Kind.WEEKDAY and not found.preposition:
            return False
        if found.kind is Kind.DATED:
            return self._means_dated(found, is_at_edge)
        return self._is_own or is_at_edge

    def _means_dated(self, found: DayRange, is_at_edge: bool) -> bool:
        if found.preposition and self._is_own:
            return True
        first = found.since or found.until
        if first is None or first.year < _FIRST_YEAR or not is_at_edge:
            return False
        if found.preposition:
            return not found.is_about and not (found.is_open and self._is_question)
        word = self.words[found.start]
        is_verb = word.text in _VERBS and not word.is_capital
        follows_possessive = found.start > 0 and self.words[found.start - 1].is_possessive
        return self._is_at_end(found.stop) and not is_verb and not follows_possessive

    def newest(self) -> list[tuple[int, int]]:
        """Return where the newest notes are asked for: pairs of first word and word after."""
        found = []
        for i, text in enumerate(self._texts):
            if self.words[i].is_free and self._means_newest(i, text):
                found.append((i - self._follows_most(i), i + 1))
        return found

    def _means_newest(self, at: int, text: str) -> bool:
        if text == "recently":
            return self._is_own or self._is_at_end(at + 1)
        if text not in _NEWEST:
            return False
        ahead = self._texts[at + 1 : at + 1 + _NOTE_WORDS_AHEAD]
        if not _NOTES.isdisjoint(ahead):
            return True
        is_at_start = self._is_at_start(at - self._follows_most(at))
        return not self._is_question and (is_at_start or self._is_at_end(at + 1))

    def _follows_most(self, at: int) -> bool:
        return at > 0 and self._texts[at - 1] == "most"

    def _is_beside_notes(self, found: DayRange) -> bool:
        if not _is_date(found):
            return False
        before = found.start - 1
        while before >= max(0, found.start - _BETWEEN_MAX) and self._texts[before] in _WRITTEN:
            before -= 1
        if before >= 0 and self._texts[before] in _NOTES:
            return True
        ahead = self._texts[found.stop : found.stop + _NOTE_WORDS_AHEAD]
        return not found.preposition and not _NOTES.isdisjoint(ahead)

    def _is_all(self, found: DayRange) -> bool:
        is_all = self._is_at_start(found.start) and self._is_at_end(found.stop)
        return is_all and _is_date(found)

    def _is_at_start(self, start: int) -> bool:
        return start <= self._first

    def _is_at_end(self, stop: int) -> bool:
        return stop > self._last


def _is_date(found: DayRange) -> bool:
    """Tell whether a range is one wherever it stands: not a bare "May", "Monday" or "2023"."""
    return bool(found.preposition) or found.kind < Kind.WEEKDAY


def _is_shown(texts: Sequence[str], at: int) -> bool:
    """Tell whether a word is the "me" of "show me", which says nothing of whose notes are meant."""
    return texts[at] == "me" and at > 0 and texts[at - 1] in _SHOW
