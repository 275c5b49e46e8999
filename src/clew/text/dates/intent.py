"""Decide whether a query says when notes were written: "notes from March", "yesterday", "latest".

Most dates in queries are not about notes ("Who won in 1950?", "the October 27, 1999 episode"), and
some words are not dates at all ("may", "march", "the last one"). So a date phrase counts only in
these places, and an ambiguous query has no period.

- Any phrase counts beside a word for notes ("notes written in 2023", "last week's journal"), or
  beside one for a type of them if some note is of that time ("decisions of October"), at
  the end of "notes on something from ...", or where it is the whole query ("since March").
- An ISO day, week or month counts anywhere, in a query of any language.
- A day or month with its year counts at the end of the query; at the start after a preposition
  (without one it begins a name: "March 1913 tornado outbreak"); and anywhere after a preposition if
  the query is personal, which means that it has a word for notes or for its asker ("I", "my").
  A question about the world may also end in such a date. A closed range then does little harm, as
  it reaches only the notes of that day or month. An open one ("since 18 February 2016") would reach
  all newer notes, so it does not count in a question; nor does a date before the first computer
  files.
- A relative phrase ("last week", "3 days ago", "on Tuesday") counts at either end of the query, and
  anywhere in a personal one. "Today" and "this year" mean "nowadays" in questions, and do not
  count there unless the query is personal or only asks ("what changed this month").
- A month or day without a year counts after "in" or the like where "I" or "we" did something
  ("what I did in March"), or where the query only asks for what is of it, unless "or", "and" or
  "to" follows; in "June notes"; and at the end of a query, if a note is of that time.
- A bare year after "in" or "during" counts at either end of the query, and anywhere in a personal
  one, if a note of the vault is of that year: then the period is not sure. Else it counts only by
  the first rule.
- "Latest", "newest", "most recent" and "recent" count beside a word for notes, and at either end of
  a query that is no question; "last" just before one ("last meeting", "last daily note");
  "recently" counts at the end, and anywhere in a personal query.

A query that asks for a date ("When ...", "In what year ...") mentions other dates as facts, so they
do not count. If there are two different ranges, neither counts.

A period is of the notes themselves, and not only of what they are about, in these queries:

- It stands beside a word for notes, as above, but not after "for" ("plans for May"), and in a
  question not beside one for an event ("who was at the meeting last week").
- The query says what "I" or "we" did whose result is in notes ("what did I write last week").
- Besides words for notes and for what was done, the query only asks ("what changed last week").
- It only asks what happened, or for a summary ("what happened yesterday", "summary of last week"),
  and some note is of that time. Else these words may be in a note about it.

The words that say so are no words to search for: in "what did I write in March about tides", only
tides are.

Queries of other languages are read as English ones, word by word: see ``languages.reading``.
"""

import itertools
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo

from clew.text.dates.acts import (
    end_of_writing,
    is_personal,
    own_acts,
    words_around_notes,
    words_that_only_ask,
)
from clew.text.dates.days import midnight_s
from clew.text.dates.grammar.calendar_days import Kind
from clew.text.dates.grammar.ranges import FIRST_YEAR, DayRange, day_ranges
from clew.text.dates.grammar.words import Word, word_set
from clew.text.dates.happened import words_for_what_happened
from clew.text.dates.languages.english import (
    EVENTS,
    MONTH_VERBS,
    NOT_DONE_YET,
    NOTE_WORDS,
    PLAIN_NOTE_WORDS,
    REQUEST_WORDS,
    SUBJECTS,
    WRITING_WORDS,
)
from clew.text.dates.languages.reading import read_words

WORDS_MAX = 1_000  # no period is looked for in a longer query

_WRITING_WORDS_MAX = 4
_QUESTION_WORDS = word_set(
    "who whom whose what which where when why how is are was were do does did has have had can "
    "could may will would should"
)
_DATE_WORDS = frozenset(("year", "years", "month", "date", "dates", "day", "time"))
_NEWEST_WORDS = frozenset(("latest", "newest", "recent", "recently", "last"))
_PERIODIC = (["daily"], ["weekly"], ["monthly"])  # before a word for notes: "last daily note"
_WORDS_AHEAD = 3  # words after a phrase in which a word for notes is looked for
_WITHIN = frozenset(("in", "during"))
_RELATIVE_KINDS = frozenset((Kind.RELATIVE, Kind.PRESENT, Kind.WEEKDAY))
_CONTINUING = frozenset(("or", "and", "to"))  # after "in March", it is not the whole range
_NOTES_ALONE = NOTE_WORDS - EVENTS
_DAY_S = 86_400.0
_LONGEST_DAY_S = 25 * 3600  # a day on which clocks go back an hour


@dataclass(frozen=True, slots=True)
class Period:
    """The time in which the notes that a query asks for were written."""

    since_s: float | None  # POSIX seconds of its first moment; None for no limit
    until_s: float | None  # POSIX seconds of the first moment after it; None for no limit
    since: date | None  # the day of that first moment
    until: date | None
    newest_first: bool  # the query asks for the newest notes
    spans: tuple[tuple[int, int], ...]  # characters of the query that say so, in order
    dates: tuple[tuple[int, int], ...]  # spans that may also be in a note, unlike "yesterday"
    others: frozenset[str]  # the other words of the query, in English where it is known
    today: date  # the day of the query in its time zone
    # Spans of words that only ask for notes of the period; empty: the period may be a topic.
    asking: tuple[tuple[int, int], ...] = ()
    is_of_notes: bool = False  # the notes were written in it, and are not just about it
    is_sure: bool = True  # False: it counts only if some note is of that time
    is_what_happened: bool = False  # it asks for notes only if some note is of that time

    @property
    def shown_days(self) -> tuple[str | None, str | None]:
        """``since`` and ``until`` as ISO 8601."""
        since, until = (None if day is None else str(day) for day in (self.since, self.until))
        return since, until

    @property
    def today_ends_s(self) -> float:
        """The midnight in UTC after the day of the query: dates of days are midnights in UTC."""
        return midnight_s(self.today, UTC) + _DAY_S

    @property
    def is_day(self) -> bool:
        """Whether the period is one day."""
        if self.since_s is None or self.until_s is None:
            return False
        return self.until_s - self.since_s <= _LONGEST_DAY_S


def period_of(
    query: str,
    now_s: float,
    zone: tzinfo,
    *,
    types: AbstractSet[str] = frozenset(),
    may_be_unsure: bool = False,
    may_have_happened: bool = True,
) -> Period | None:
    """Return the period that ``query`` asks for, or ``None``.

    ``types``: words that name types of notes, in lower case. ``may_be_unsure``: it may be one that
    only counts if some note is of that time. ``may_have_happened``: a query for what happened is
    one for the notes of that time.

    Days begin and end at midnight in ``zone``, weeks on Monday; ``now_s`` is POSIX seconds. If it
    is outside the years 1 to 9999, no period is returned. Takes linear time and never raises.
    """
    words = read_words(query)
    if len(words) > WORDS_MAX:
        return None
    try:
        today = datetime.fromtimestamp(now_s, zone).date()
    except (OverflowError, ValueError):
        return None
    found = day_ranges(words, today)
    if not found and _NEWEST_WORDS.isdisjoint([word.text for word in words]):
        return None  # as most queries
    reading = _QueryReading(words, query.rstrip().endswith(("?", "\uff1f")), types, may_be_unsure)
    ranges = reading.ranges_of_writing(found)
    newest = reading.newest_phrases()
    if not ranges and not newest:
        return None
    day_range = ranges[0] if ranges else None
    phrases = [*((each.start, each.stop) for each in ranges), *newest]
    dates = [(each.start, each.stop) for each in ranges if each.kind not in _RELATIVE_KINDS]
    taken = {i for start, stop in phrases for i in range(start, stop)}
    asking = reading.asking_words(day_range, taken) if day_range else None
    happened = None
    if day_range and may_have_happened and not asking:
        happened = words_for_what_happened([each.text for each in words], taken, types)
        asking = happened or asking
    of_time = taken.union(asking or ())
    return Period(
        since_s=_first_moment_s(day_range.since, zone) if day_range else None,
        until_s=_first_moment_s(day_range.until, zone) if day_range else None,
        since=day_range.since if day_range else None,
        until=day_range.until if day_range else None,
        newest_first=bool(newest),
        spans=_spans(words, phrases),
        dates=_spans(words, dates),
        others=frozenset(word.text for i, word in enumerate(words) if i not in of_time),
        today=today,
        asking=_spans(words, [(i, i + 1) for i in asking or ()]),
        is_of_notes=asking is not None,
        is_sure=day_range is None or reading.is_sure(day_range),
        is_what_happened=bool(happened),
    )


def _spans(
    words: Sequence[Word], phrases: Sequence[tuple[int, int]]
) -> tuple[tuple[int, int], ...]:
    """Turn phrases, given by the index of their first word and the word after, into characters."""
    return tuple(
        sorted(
            (
                min(word.start for word in words[start:stop]),
                max(word.end for word in words[start:stop]),
            )
            for start, stop in phrases
        )
    )


def _first_moment_s(day: date | None, zone: tzinfo) -> float | None:
    return None if day is None else midnight_s(day, zone)


class _QueryReading:
    """The words of one query, and which rules of this module apply to the whole query."""

    def __init__(
        self,
        words: Sequence[Word],
        has_question_mark: bool,
        types: AbstractSet[str],
        may_be_unsure: bool,
    ) -> None:
        self.words = words
        self._types, self._note_words = types, NOTE_WORDS | types
        self._may_be_unsure = may_be_unsure
        texts = [word.text for word in words]
        self._texts = texts
        self._is_question = has_question_mark or (bool(texts) and texts[0] in _QUESTION_WORDS)
        self._asks_for_date = "when" in texts or any(
            asking in ("what", "which") and asked in _DATE_WORDS
            for asking, asked in itertools.pairwise(texts)
        )
        self._is_personal = is_personal(texts)
        self._has_first_person_subject = not SUBJECTS.isdisjoint(texts)
        self._acts = own_acts(texts)
        main = [i for i, text in enumerate(texts) if text not in REQUEST_WORDS]
        self._first, self._last = (main[0], main[-1]) if main else (0, 0)

    def ranges_of_writing(self, ranges: Sequence[DayRange]) -> Sequence[DayRange]:
        """Return the ranges that say when notes were written: equal ranges, or none.

        A second range of a sure kind makes all of them doubtful. Beside a word for notes, only a
        range in ISO form counts as sure.
        """
        accepted = [each for each in ranges if self._is_beside(each, self._note_words)]
        sure = Kind.ISO
        if not accepted:
            unsure = self._may_be_unsure
            accepted = [each for each in ranges if self._counts(each, may_be_unsure=unsure)]
            sure = Kind.RELATIVE
        rivals = [*accepted, *(each for each in ranges if each.kind <= sure)]
        return accepted if len({(each.since, each.until) for each in rivals}) == 1 else ()

    def _counts(self, day_range: DayRange, *, may_be_unsure: bool) -> bool:
        """Return whether a range says when notes were written, by its kind and its place."""
        kind = day_range.kind
        if kind is Kind.ISO or self._is_whole_query(day_range):
            return True
        is_at_end = self._is_at_end(day_range.stop)
        if kind is Kind.VAGUE:
            is_when = bool(day_range.preposition) and not day_range.may_name_topic
            is_whole = is_at_end or self._texts[day_range.stop] not in _CONTINUING
            is_asked = self._has_first_person_subject or self._only_asks(day_range)
            is_month = day_range.preposition in _WITHIN and is_at_end and may_be_unsure
            is_month = is_month and not self._asks_for_date
            return is_when and is_whole and (is_asked or is_month)
        if self._asks_for_date and not self._is_personal:
            return False
        is_at_edge = is_at_end or self._is_at_start(day_range.start)
        if kind is Kind.YEAR:
            is_within = day_range.preposition in _WITHIN and (self._is_personal or is_at_edge)
            return (may_be_unsure and is_within) or self.is_sure(day_range)
        if kind in _RELATIVE_KINDS and self._only_asks(day_range):
            return True
        if kind is Kind.PRESENT:
            return self._is_personal or (is_at_edge and not self._is_question)
        if kind is Kind.WEEKDAY and not day_range.preposition:
            return False
        if kind is Kind.DATED:
            return self._dated_counts(day_range, is_at_edge)
        return self._is_personal or is_at_edge

    def _only_asks(self, day_range: DayRange) -> bool:
        taken = {*range(day_range.start, day_range.stop)}
        if words_for_what_happened(self._texts, taken, self._types):
            return True
        others = {text for i, text in enumerate(self._texts) if i not in taken}
        is_of_deeds = NOT_DONE_YET.isdisjoint(others)  # unlike "what to do in March"
        return is_of_deeds and bool(words_that_only_ask(self._texts, taken, self._acts))

    def _dated_counts(self, day_range: DayRange, is_at_edge: bool) -> bool:
        """Return whether a day or month with its year says when notes were written."""
        if day_range.preposition and self._is_personal:
            return True
        first = day_range.since or day_range.until
        if first is None or first.year < FIRST_YEAR or not is_at_edge:
            return False
        if day_range.preposition:
            return not (day_range.may_name_topic or (day_range.is_open and self._is_question))
        word = self.words[day_range.start]
        is_verb = word.text in MONTH_VERBS and not word.is_capital
        follows_possessive = day_range.start > 0 and self.words[day_range.start - 1].is_possessive
        return self._is_at_end(day_range.stop) and not is_verb and not follows_possessive

    def is_sure(self, day_range: DayRange) -> bool:
        """Return whether a range that counts would do so even if no note were of that time."""
        if self._is_beside(day_range, NOTE_WORDS) or self._is_whole_query(day_range):
            return True
        if day_range.kind is Kind.YEAR:
            return bool(self._acts) and day_range.is_bound_by_year
        return self._counts(day_range, may_be_unsure=False)

    def asking_words(self, day_range: DayRange, taken: AbstractSet[int]) -> frozenset[int] | None:
        """Return the indexes of the words that only ask for notes of ``day_range``.

        ``None`` if the range may be what notes are about. ``taken``: the words of time.
        """
        only_asking = words_that_only_ask(self._texts, taken, self._acts)
        if only_asking is not None:
            return only_asking
        plain_notes = [
            i for i, text in enumerate(self._texts) if text in PLAIN_NOTE_WORDS and i not in taken
        ]
        is_of_event = self._is_question and not _NOTES_ALONE.intersection(self._texts)
        is_beside = self._is_beside(day_range, self._note_words)
        if is_beside and day_range.preposition != "for" and not is_of_event:
            end = day_range.stop if day_range.preposition else day_range.stop + _WORDS_AHEAD
            notes = [i for i in plain_notes if i < end]
            return self._acts.union(notes, words_around_notes(self._texts, notes, taken))
        # Later words for notes are a topic, as in "what did I write about notes".
        return self._acts.union(i for i in plain_notes if i < min(self._acts, default=0)) or None

    def newest_phrases(self) -> list[tuple[int, int]]:
        """Return the phrases for the newest notes: the indexes of the first word and that after."""
        return [
            (i - self._follows_most(i), end_of_writing(self._texts, i + 1, self._note_words))
            for i, word in enumerate(self.words)
            if word.is_standalone and self._asks_for_newest(i, word.text)
        ]

    def _asks_for_newest(self, at: int, text: str) -> bool:
        if text == "recently":
            return self._is_personal or self._is_at_end(at + 1)
        if text == "last":
            after = at + 1 + (self._texts[at + 1 : at + 2] in _PERIODIC)
            return self._note_words.issuperset(self._texts[after : after + 1] or [""])
        if text not in _NEWEST_WORDS:
            return False
        words = self._note_words
        if _is_ahead(self._texts, at + 1, words) or (at > 0 and self._texts[at - 1] in words):
            return True
        is_at_start = self._is_at_start(at - self._follows_most(at))
        return not self._is_question and (is_at_start or self._is_at_end(at + 1))

    def _follows_most(self, at: int) -> bool:
        return at > 0 and self._texts[at - 1] == "most"

    def _is_beside(self, day_range: DayRange, note_words: AbstractSet[str]) -> bool:
        """Return whether a word for notes is just before a range, or shortly after it."""
        if not (day_range.is_surely_date or self._is_month_of_notes(day_range)):
            return False
        before = day_range.start - 1
        first = max(0, day_range.start - _WRITING_WORDS_MAX)
        while before >= first and self._texts[before] in WRITING_WORDS:
            before -= 1
        if before >= 0 and self._texts[before] in note_words:
            return True
        if self._is_from_notes(day_range, note_words):
            return True
        return not day_range.preposition and _is_ahead(self._texts, day_range.stop, note_words)

    def _is_month_of_notes(self, day_range: DayRange) -> bool:
        """Return whether the query is "June notes": but "May" may be a person, "march" a walk."""
        others = {*self._texts[: day_range.start], *self._texts[day_range.stop :]}
        is_name = self._texts[day_range.start] in MONTH_VERBS or day_range.kind is not Kind.VAGUE
        is_plain = others <= PLAIN_NOTE_WORDS | REQUEST_WORDS
        return is_plain and not is_name and not others.isdisjoint(PLAIN_NOTE_WORDS)

    def _is_from_notes(self, day_range: DayRange, note_words: AbstractSet[str]) -> bool:
        """Return whether the query is "notes on TOPIC from DATE", or "of" last week."""
        is_of = day_range.preposition == "of" and day_range.kind is Kind.RELATIVE
        if not (is_of or day_range.preposition == "from") or not self._is_at_end(day_range.stop):
            return False
        return bool(self._texts) and self._texts[self._first] in note_words

    def _is_whole_query(self, day_range: DayRange) -> bool:
        is_whole = self._is_at_start(day_range.start) and self._is_at_end(day_range.stop)
        return is_whole and (day_range.is_surely_date or day_range.is_named_day)

    def _is_at_start(self, start: int) -> bool:
        return start <= self._first

    def _is_at_end(self, stop: int) -> bool:
        return stop > self._last


def _is_ahead(texts: Sequence[str], at: int, note_words: AbstractSet[str]) -> bool:
    return not note_words.isdisjoint(texts[at : at + _WORDS_AHEAD])
