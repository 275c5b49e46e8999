"""The temporal leg: notes of the days that a query speaks of, newest first."""

import math
from collections.abc import Iterable
from datetime import tzinfo

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.search.hits import NO_SLOT, NOTHING, Hits, best
from clew.text.dates.intent import Period, period_of
from clew.text.stopwords import STOP_WORDS
from clew.text.terms import query_words
from clew.values.arrays import BoolArray
from clew.values.vault import ReadNote

OLDEST_SCORE = 0.5  # of the oldest note of a period; of the newest 1

_NOTES = frozenset(("note", "notes", "entry", "entries"))  # what every vault holds


def period_and_rest(query: str, now_s: float, zone: tzinfo) -> tuple[Period | None, str]:
    """Return what ``query`` says of time, if anything, and what it says else.

    A date in digits stays, for a note may say it too; unless the query asks for notes of that time
    and no more. A day alone may be the name of one.
    """
    period = period_of(query, now_s, zone)
    if period is None:
        return None, query
    rest = _without(query, period.spans)
    words = query_words(rest)
    says_no_more = (STOP_WORDS | _NOTES).issuperset(words)
    if says_no_more and (_NOTES.intersection(words) or not period.is_day):
        return period, ""
    written = [
        (start, end)
        for start, end in period.dates
        if any(character.isdigit() for character in query[start:end])
    ]
    return period, _without(query, [each for each in period.spans if each not in written])


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    kept, at = [], 0
    for start, end in spans:
        kept.append(text[at:start])
        at = end
    return " ".join([*kept, text[at:]]).strip()


def by_time(snapshot: Snapshot, period: Period, allowed: BoolArray | None, now_s: float) -> Hits:
    """Return the notes of ``period``, newest first, by the dates they say of themselves.

    Where the newest of all are asked for, a date in the future counts as now.
    """
    is_open = period.since_s is None and period.until_s is None
    latest_s = now_s if is_open else math.inf
    scores = np.zeros(snapshot.graph.note_slots)
    dated_s = [
        (note_id, min(at_s, latest_s))
        for note_id, path in enumerate(snapshot.graph.paths)
        if path
        and (allowed is None or allowed[note_id])
        and (at_s := _latest_within(snapshot.entries[path], period)) is not None
    ]
    if not dated_s:
        return NOTHING
    oldest = min(at_s for _, at_s in dated_s)
    span = max(1.0, max(at_s for _, at_s in dated_s) - oldest)
    for note_id, at_s in dated_s:
        scores[note_id] = OLDEST_SCORE + (1.0 - OLDEST_SCORE) * (at_s - oldest) / span
    slots = np.full(len(scores), NO_SLOT, np.int64)
    return best(scores, slots, snapshot.graph.paths)


def _latest_within(entry: ReadNote, period: Period) -> float | None:
    """Return the latest of a note's dates that is in ``period``; its file's, if it says none."""
    fields = entry.note.fields
    said = [at_s for at_s in (fields.created_at_s, fields.modified_at_s) if at_s is not None]
    since_s = period.since_s if period.since_s is not None else -math.inf
    until_s = period.until_s if period.until_s is not None else math.inf
    dates = said or [entry.stamp.modified_at_ns / 1e9]
    return max((at_s for at_s in dates if since_s <= at_s < until_s), default=None)
