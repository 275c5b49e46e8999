"""The temporal leg: notes of the period that a query asks for, newest first."""

import math
from collections.abc import Iterable
from datetime import tzinfo

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.search.legs.base import Query
from clew.query.search.passage_hits import NO_HITS, PassageHits, without_passages
from clew.text.dates.intent import Period, period_of
from clew.text.stopwords import STOP_WORDS
from clew.text.terms import query_words
from clew.values.arrays import BoolArray

TEMPORAL = "temporal"
OLDEST_SCORE = 0.5  # score of the oldest note of a period; the newest has 1

# Words such as "notes", which do not say what the notes are about.
_NOTE_WORDS = frozenset(("note", "notes", "entry", "entries"))


class TemporalLeg:
    """Notes of the period that the query asks for."""

    name = TEMPORAL
    default_weight = 1.0

    def find(self, snapshot: Snapshot, query: Query, allowed: BoolArray | None) -> PassageHits:
        """Return the notes of the query's period; none if it has no period."""
        if query.period is None:
            return NO_HITS
        return notes_of_period(snapshot, query.period, allowed, query.now_s)


def split_period(query: str, now_s: float, zone: tzinfo) -> tuple[Period | None, str]:
    """Return the period that ``query`` asks for, and the text without it.

    A date in digits stays in the text, since a note may contain it too, unless the query asks for
    notes of that time and nothing else. A single day always stays: it may be the name of a note.
    """
    period = period_of(query, now_s, zone)
    if period is None:
        return None, query
    text = _without(query, period.spans)
    words = query_words(text)
    is_only_period = (STOP_WORDS | _NOTE_WORDS).issuperset(words)
    if is_only_period and (_NOTE_WORDS.intersection(words) or not period.is_day):
        return period, ""
    in_digits = [
        (start, end) for start, end in period.dates if any(map(str.isdigit, query[start:end]))
    ]
    return period, _without(query, [span for span in period.spans if span not in in_digits])


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return ``text`` with a space instead of each span."""
    kept, position = [], 0
    for start, end in spans:
        kept.append(text[position:start])
        position = end
    return " ".join([*kept, text[position:]]).strip()


def notes_of_period(
    snapshot: Snapshot, period: Period, allowed: BoolArray | None, now_s: float
) -> PassageHits:
    """Return the notes of ``period``, newest first, by both of their dates.

    In a period without bounds ("latest notes"), a date in the future counts as now.
    """
    is_open = period.since_s is None and period.until_s is None
    latest_s = now_s if is_open else math.inf
    graph = snapshot.graph
    note_ids = np.flatnonzero(graph.is_live if allowed is None else allowed)
    since_s = -math.inf if period.since_s is None else period.since_s
    until_s = math.inf if period.until_s is None else period.until_s
    dates_s = snapshot.ages.latest_s(note_ids, since_s, until_s)
    is_within = dates_s > -np.inf
    note_ids, dates_s = note_ids[is_within], np.minimum(dates_s[is_within], latest_s)
    if not len(note_ids):
        return NO_HITS
    oldest_s = float(dates_s.min())
    span_s = max(1.0, float(dates_s.max()) - oldest_s)
    scores = np.zeros(graph.note_slots)
    scores[note_ids] = OLDEST_SCORE + (1.0 - OLDEST_SCORE) * (dates_s - oldest_s) / span_s
    return without_passages(scores, graph.paths)
