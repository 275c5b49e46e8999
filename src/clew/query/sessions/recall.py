"""Recall turns of sessions by words and meaning, fused.

A turn is admitted by the evidence that admits notes in search: the share of the query's terms that
it has, weighted by rarity, and its cosine above the model's noise. Its similarity is this evidence
divided by the highest possible one. Turns are ranked by the share of terms plus weighted closeness,
since the reported relevance is capped and so has many ties.

Knows nothing of files and of the socket: ``last_turns`` and ``recall`` are for any caller.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from clew.index.formulas.bm25 import inverse_frequency
from clew.index.formulas.decay import SECONDS_A_DAY
from clew.query.search.admission.evidence import MEANING, closeness, evidence
from clew.query.search.query_terms import query_terms
from clew.query.sessions.features import (
    Features,
    TurnModel,
    features_of,
    term_hash,
    vectors_of,
)
from clew.query.sessions.relevance import SIMILARITY_MIN, relevance
from clew.query.slices import PAUSE, Slices
from clew.values.arrays import BoolArray, Float64Array, Int64Array
from clew.values.memory.turns import Session, Turn

BLOCK = 64  # turns that one step compares
SEARCHED_MAX = 20_000  # turns, the newest of all sessions
EVIDENCE_MAX = MEANING + 1.0  # of a turn that has all terms and the same meaning
MEANING_WEIGHT = 0.5  # of the closeness in the ranking; the share of terms has weight 1


class RecalledTurn(NamedTuple):
    """A turn that speaks of a query."""

    turn: Turn
    similarity: float  # calibrated, in [0, 1]
    relevance: float  # in [0, 0.5]


class Ranked(NamedTuple):
    """Turns in the order of a ranking, and the similarity of each."""

    turns: list[Turn]
    similarities: list[float]


def last_turns(session: Session, most: int) -> tuple[Turn, ...]:
    """Return the last turns of a session, at most ``most``, in their order."""
    return session.turns[max(0, len(session.turns) - most) :] if most > 0 else ()


def newest_turns(sessions: Iterable[Session], most: int = SEARCHED_MAX) -> list[Turn]:
    """Return the last turns of the sessions that were used last, at most ``most`` in all."""
    turns: list[Turn] = []
    for session in sorted(sessions, key=lambda each: (-each.last_s, each.id)):
        turns += last_turns(session, most - len(turns))
    return turns


def recall(
    turns: Sequence[Turn],
    query: str,
    model: TurnModel,
    *,
    now_s: float,
    session_id: str | None,
    limit: int,
) -> Slices[list[RecalledTurn]]:
    """Return the turns that speak of ``query``, best first, at most ``limit``.

    ``session_id``: the present session, whose turns are more relevant.

    Raises:
        InvalidParams: the query has no word to look for.
    """
    scored = yield from _scored(turns, query, model)
    admitted = np.flatnonzero(scored.similarities >= SIMILARITY_MIN)
    yield PAUSE
    recalled: list[RecalledTurn] = []
    for at in _order(turns, scored.scores, admitted)[:limit].tolist():
        turn, similarity = turns[at], float(scored.similarities[at])
        days = (now_s - turn.time_s) / SECONDS_A_DAY
        is_same = turn.session_id == session_id
        counted = relevance(similarity, is_same_session=is_same, days=days)
        assert counted is not None
        recalled.append(RecalledTurn(turn, similarity, counted))
    return recalled


def ranked(turns: Sequence[Turn], query: str, model: TurnModel) -> Slices[Ranked]:
    """Return all turns, admitted or not, best first; ties newest first.

    Raises:
        InvalidParams: the query has no word to look for.
    """
    scored = yield from _scored(turns, query, model)
    order = _order(turns, scored.scores, np.arange(len(turns)))
    return Ranked([turns[at] for at in order.tolist()], scored.similarities[order].tolist())


class _Scored(NamedTuple):
    """Two numbers for each turn: its similarity, and the score by which it is ranked."""

    similarities: Float64Array
    scores: Float64Array


def _scored(turns: Sequence[Turn], query: str, model: TurnModel) -> Slices[_Scored]:
    terms = query_terms(query, model.languages).terms
    hashes = [term_hash(term) for term in terms]
    vector = vectors_of([query], model.encode)[0]
    has_term = np.zeros((len(terms), len(turns)), np.bool_)
    cosines = np.zeros(len(turns))
    for start in range(0, len(turns), BLOCK):
        block = slice(start, start + BLOCK)
        features = yield from features_of(turns[block], model)
        has_term[:, block] = _has_terms(features, hashes)
        if vector is not None:
            cosines[block] = [0.0 if f.vector is None else vector @ f.vector for f in features]
        yield PAUSE
    shares = _shares(has_term)
    yield PAUSE
    closeness_by_turn = closeness(cosines, model.noise)
    similarities = np.minimum(1.0, evidence(shares, closeness_by_turn) / EVIDENCE_MAX)
    return _Scored(similarities, shares + MEANING_WEIGHT * closeness_by_turn)


def _has_terms(features: Sequence[Features], hashes: Sequence[int]) -> BoolArray:
    """Return which terms each turn has, of shape (terms, turns)."""
    lengths = [len(each.terms) for each in features]
    row_of = np.repeat(np.arange(len(features)), lengths)
    all_terms = np.concatenate([each.terms for each in features])
    has_term = np.zeros((len(hashes), len(features)), np.bool_)
    for row, wanted in zip(has_term, hashes, strict=True):
        row[row_of[all_terms == wanted]] = True
    return has_term


def _shares(has_term: BoolArray) -> Float64Array:
    """Return the share of the terms that each turn has, weighted by rarity among the turns."""
    count = has_term.shape[1]
    weights = np.array([inverse_frequency(count, int(row.sum())) for row in has_term])
    total = weights.sum()
    shares: Float64Array = weights @ has_term / total if total else np.zeros(count)
    return np.minimum(1.0, shares)


def _order(turns: Sequence[Turn], scores: Float64Array, chosen: Int64Array) -> Int64Array:
    """Return the indexes ``chosen``, best turn first; ties newest first."""
    times_s = np.array([turns[at].time_s for at in chosen.tolist()])
    numbers = np.array([turns[at].number for at in chosen.tolist()])
    order = np.lexsort((-numbers, -times_s, -scores[chosen].round(9)))
    return chosen[order]
