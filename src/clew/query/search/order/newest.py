"""Order notes by when they were written, where a query asks for the newest: "last meeting"."""

from itertools import chain

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.search.admission.admitted import Admission
from clew.query.search.fusion import SCORE_STEP
from clew.query.search.legs.temporal import are_planned
from clew.query.search.narrowing.kinds import NamedKinds
from clew.text.concept import name_words
from clew.text.dates.intent import Period
from clew.values.arrays import Float64Array, Int64Array

SCORE_SHARE = 0.5  # least share of the best score, as confidences of most hits are close to 1
ALIKE = 0.97  # least share of the best confidence, and of the most words of the query


def newest_first_dates(snapshot: Snapshot, note_ids: Int64Array, period: Period) -> Float64Array:
    """Return the dates by which to order these notes, the newest first.

    Notes of days to come are after all others, the next day first: the last meeting has taken
    place. Templates are last.
    """
    dates_s = snapshot.ages.written_s(note_ids)
    oldest_s = float(dates_s.min(initial=np.inf))
    ahead_s = np.maximum(0.0, dates_s - period.today_ends_s)
    is_planned = are_planned(snapshot, note_ids, period)
    dates_s = np.where(is_planned, oldest_s - 1.0 - ahead_s, dates_s)
    last_s = float(dates_s.min(initial=np.inf)) - 1.0
    return np.where(snapshot.fields.are_templates(note_ids), last_s, dates_s)


def newest_of_alike_first(
    snapshot: Snapshot,
    scores: Float64Array,
    admission: Admission,
    kinds: NamedKinds,
    period: Period,
) -> Float64Array:
    """Return scores by note id, permuted so that of alike notes the newest has the highest.

    Notes are alike if they are of the kinds that the query names, have as much of its other words
    as any, and answer it about as well as the best one. A confidence alone does not tell them
    apart, as that of most hits is close to 1.
    """
    note_ids: Int64Array = np.flatnonzero(
        admission.confidences >= ALIKE * admission.best_confidence
    )
    note_ids = note_ids[scores[note_ids] >= max(SCORE_SHARE * scores.max(initial=0.0), SCORE_STEP)]
    note_ids = note_ids[~snapshot.fields.are_templates(note_ids)]
    if kinds.kinds:
        note_ids = note_ids[snapshot.fields.are_of_kinds(note_ids, kinds.kinds)]
    words_of_kinds = frozenset(chain.from_iterable(map(name_words, kinds.names)))
    weights = admission.weights_of_words(note_ids, words_of_kinds)
    note_ids = note_ids[weights >= ALIKE * weights.max(initial=0.0)]
    # Notes of one date keep their order.
    by_score = note_ids[np.argsort(-scores[note_ids], kind="stable")]
    dates_s = newest_first_dates(snapshot, by_score, period)
    ordered = scores.copy()
    ordered[by_score[np.argsort(-dates_s, kind="stable")]] = scores[by_score]
    return ordered
