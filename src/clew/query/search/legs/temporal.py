"""The temporal leg: notes of the period that a query asks for, newest first.

The note of the period itself, such as the daily note of a day, comes before them. A note that was
not written in the period, but has a day of it in a property, a name or a heading
("due: 2024-05-01"), comes after all that were.
"""

import math
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import UTC, date, timedelta, tzinfo

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.formulas.decay import SECONDS_A_DAY
from clew.index.formulas.note_dates import Bounds
from clew.query.search.legs.base import Query
from clew.query.search.passage_hits import (
    HITS_MAX,
    LEAST_SHARE,
    NO_HITS,
    PassageHits,
    without_passages,
)
from clew.text.dates.days import midnight_s
from clew.text.dates.intent import Period, period_of
from clew.text.dates.languages.english import PLAIN_NOTE_WORDS
from clew.text.stopwords import STOP_WORDS
from clew.text.terms import query_words
from clew.values.arrays import BoolArray, Float64Array, Int64Array

TEMPORAL = "temporal"
OLDEST_SCORE = 0.5  # score of the oldest note of a period; the newest has 1
SAYING_SCORE = 0.25  # of a note that has a day of the period only in its head
PLANNED_MAX_S = 10 * 366 * SECONDS_A_DAY  # after today; a date still later is a slip
DAYS_MAX = 366  # of a period: days of longer ones are not looked up

_PLAIN_WORDS = STOP_WORDS | PLAIN_NOTE_WORDS | {"i've", "done"}


class TemporalLeg:
    """Notes of the period that the query asks for."""

    name = TEMPORAL
    default_weight = 2.5

    def find(self, snapshot: Snapshot, query: Query, allowed: BoolArray | None) -> PassageHits:
        """Return the notes of the query's period; none if it has no period."""
        if query.period is None:
            return NO_HITS
        # A query with nothing else lists all notes of the period.
        most = HITS_MAX if query.terms.words else snapshot.graph.note_slots
        return notes_of_period(snapshot, query.period, allowed, query.now_s, most)


def split_period(
    query: str,
    now_s: float,
    zone: tzinfo,
    snapshot: Snapshot,
    types: AbstractSet[str] = frozenset(),
) -> tuple[Period | None, str]:
    """Return the period that ``query`` asks for, and the text without it.

    One that is not sure counts if a note of ``snapshot`` was written in it. ``types``: the words of
    the query that name types of notes.

    Words that only ask for notes of the period are left out too. A date in digits stays in the
    text, since a note may contain it too, unless the query asks for notes of that time. A single
    day stays beside other words even then, as it may be the name of a note.
    """
    period = period_of(query, now_s, zone, types=types, may_be_unsure=True)
    is_doubtful = period is not None and (period.is_what_happened or not period.is_sure)
    if period and is_doubtful and not _has_notes_of(snapshot, period):
        types = types if period.is_sure else frozenset()
        period = period_of(query, now_s, zone, types=types, may_have_happened=False)
    if period is None:
        return None, query
    text = _without(query, (*period.spans, *period.asking))
    for words in (frozenset(query_words(text)), period.others):
        is_only_period = _PLAIN_WORDS.issuperset(words)
        if is_only_period and (period.is_of_notes or not period.is_day):
            return period, ""
    stay = () if period.is_of_notes and not period.is_day else period.dates
    in_digits = [(start, end) for start, end in stay if any(map(str.isdigit, query[start:end]))]
    left_out = [span for span in period.spans if span not in in_digits]
    return period, _without(query, (*left_out, *period.asking))


def _has_notes_of(snapshot: Snapshot, period: Period) -> bool:
    """Return whether any note was written in ``period``."""
    note_ids = np.flatnonzero(snapshot.graph.is_live)
    return bool((dates_within(snapshot, note_ids, period) > -np.inf).any())


def without_period(query: str, period: Period | None) -> str:
    """Return ``query`` without all words of ``period``, and those that only ask for its notes."""
    return query if period is None else _without(query, (*period.spans, *period.asking))


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return ``text`` with a space instead of each span."""
    kept, position = [], 0
    for start, end in sorted(spans):
        kept.append(text[position:start])
        position = end
    return " ".join([*kept, text[position:]]).strip()


def notes_of_period(
    snapshot: Snapshot,
    period: Period,
    allowed: BoolArray | None,
    now_s: float,
    most: int = HITS_MAX,
) -> PassageHits:
    """Return the notes written in ``period``, newest first, then those with its days in the head.

    They are at most ``most``.

    A note that the period names comes first, unless the query asks for the newest notes.
    In a period without bounds ("last meeting"), notes of days to come are as old as the oldest: the
    last meeting has taken place. A date further off is a slip, and counts as now.
    """
    is_open = period.since_s is None and period.until_s is None
    latest_s = now_s if is_open else math.inf
    graph = snapshot.graph
    note_ids = np.flatnonzero(graph.is_live if allowed is None else allowed)
    dates_s = dates_within(snapshot, note_ids, period)
    is_within = dates_s > -np.inf
    note_ids, dates_s = note_ids[is_within], np.minimum(dates_s[is_within], latest_s)
    saying = np.fromiter(days_said(snapshot, period), np.int64)
    if not len(note_ids) and not len(saying):
        return NO_HITS
    if is_open:
        dates_s[are_planned(snapshot, note_ids, period)] = dates_s.min(initial=math.inf)
    if not period.newest_first:
        dates_s[_are_of_all(snapshot, note_ids, period)] = period.until_s
    oldest_s = float(dates_s.min(initial=math.inf))
    span_s = max(1.0, float(dates_s.max(initial=-math.inf)) - oldest_s)
    scores = np.zeros(graph.note_slots)
    scores[saying] = SAYING_SCORE
    if allowed is not None:
        scores *= allowed
    scores[note_ids] = OLDEST_SCORE + (1.0 - OLDEST_SCORE) * (dates_s - oldest_s) / span_s
    hits = without_passages(scores, graph.paths, most)
    if period.is_sure:
        return hits
    # The fewer notes are of an unsure period, the more a hit tells.
    others = 1.0 - len(note_ids) / (graph.note_slots - graph.dead_note_count)
    return replace(hits, full=1.0 / max(others, LEAST_SHARE))


def _are_of_all(snapshot: Snapshot, note_ids: Int64Array, period: Period) -> BoolArray:
    """Return which notes have the whole period as their name: the daily note of a day."""
    if period.since is None or period.until is None:
        return np.zeros(len(note_ids), np.bool_)
    since_s, days = midnight_s(period.since, UTC), (period.until - period.since).days
    return snapshot.ages.are_named_for(note_ids, since_s, days)


def are_planned(snapshot: Snapshot, note_ids: Int64Array, period: Period) -> BoolArray:
    """Return which of these notes are dated after the day of the query."""
    ahead_s = snapshot.ages.written_s(note_ids) - period.today_ends_s
    planned: BoolArray = (ahead_s >= 0) & (ahead_s < PLANNED_MAX_S)
    return planned


def notes_within(snapshot: Snapshot, period: Period) -> BoolArray:
    """Return which notes were written in ``period`` or have a day of it in their head, by id."""
    is_of = snapshot.graph.is_live.copy()
    note_ids = np.flatnonzero(is_of)
    is_of[note_ids] = dates_within(snapshot, note_ids, period) > -np.inf
    is_of[list(days_said(snapshot, period))] = True
    return is_of


def dates_within(snapshot: Snapshot, note_ids: Int64Array, period: Period) -> Float64Array:
    """Return the latest date of each of these notes that is in ``period``; -inf for none."""
    return snapshot.ages.latest_s(note_ids, _bounds(period))


def _bounds(period: Period) -> Bounds:
    return Bounds(
        -math.inf if period.since_s is None else period.since_s,
        math.inf if period.until_s is None else period.until_s,
        -math.inf if period.since is None else midnight_s(period.since, UTC),
        math.inf if period.until is None else midnight_s(period.until, UTC),
    )


def days_said(snapshot: Snapshot, period: Period) -> Mapping[int, date]:
    """Return the last day of ``period`` in the head of each note that has one as 2024-05-01.

    Keys are note ids, rising; empty for a period that is open or longer than ``DAYS_MAX``.
    """
    if period.since is None or period.until is None:
        return {}
    day_count = (period.until - period.since).days
    if day_count > DAYS_MAX:
        return {}
    passages = snapshot.passages
    said: dict[int, date] = {}
    for day in (period.since + timedelta(days=number) for number in range(day_count)):
        word_id = passages.keyword.id_of(f"{day:%Y%m%d}")
        if word_id is not None:
            slots, _ = passages.keyword.postings_of([word_id])
            note_ids = passages.slots.note_ids[slots]
            is_head = (note_ids >= 0) & (passages.slots.firsts[note_ids] == slots)
            said.update(dict.fromkeys(note_ids[is_head].tolist(), day))
    return dict(sorted(said.items()))
