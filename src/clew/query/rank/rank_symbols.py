"""Symbols of the vault, best first, as many as fit a token budget.

``rank`` orders the symbols by relevance and importance; ``packing`` fills the budget with them.

A note and the concept that it is are one symbol, with the better relevance of the two. Notes that
have the query's name come first, whatever their scores.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import merge, nsmallest
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from clew.engine.derived.importance import Importance
from clew.engine.snapshot import Snapshot
from clew.query.rank.dependency import linked_relevance
from clew.query.rank.legacy import legacy_score
from clew.query.rank.packing import Ranked, Ranking, pack_map, pack_rows
from clew.query.rank.relevance import Relevance, bm25_relevance, legacy_relevance_of_symbols
from clew.query.rank.symbols import SYMBOLS
from clew.query.references.locate import notes_named
from clew.query.search.matching import Scope
from clew.query.search.query_terms import query_terms
from clew.query.search.spelling import correction_reply
from clew.query.slices import PAUSE, Slices
from clew.text.counting import CountTokens
from clew.text.query_language import SEARCHED_CHARACTERS_MAX
from clew.values.arrays import BoolArray, Float64Array, Int64Array
from clew.values.requests import SYMBOLS_MAX, Rank
from clew.values.search_replies import RankReply

if TYPE_CHECKING:
    from clew.index.code.code_index import Ref

NAME_CHARACTERS_MAX = 1_000  # of a query that may be the name of a note
NAMED_MAX = 10  # notes that come first since they have the query's name
_NAMES_A_STEP = 32
_MILLIONTH = 1e-6  # scores are rounded to millionths
_NAMED_BONUS = 2.0  # added to the scores of notes that have the query's name; above every score


def rank(snapshot: Snapshot, request: Rank, count_tokens: CountTokens) -> Slices[RankReply]:
    """Return the symbols that are relevant to a query, best first, as rows or as a map.

    Raises:
        InvalidParams: the query has no word, or none but stop words.
    """
    scope = Scope(snapshot, allowed=None)
    query = query_terms(request.query[:SEARCHED_CHARACTERS_MAX], snapshot.languages)
    relevance_of_mode = (
        legacy_relevance_of_symbols if request.search_mode == "legacy" else bm25_relevance
    )
    named: frozenset[Ref] = frozenset()
    if snapshot.code.files:
        from clew.query.rank.code_symbols import code_named  # noqa: PLC0415 - see ``gather``

        named = code_named(snapshot, request.query)
    # A query that names code is not corrected, though no note may have the word.
    relevance = yield from relevance_of_mode(scope, query, fuzzy=request.fuzzy and not named)
    if not snapshot.derived.has_importance:
        yield snapshot.derived.weigh_nodes
    if request.strategy == "dependency":
        relevance = linked_relevance(snapshot, relevance)
    relevance = _with_notes_as_concepts(snapshot, relevance)
    code: list[Ranked] = []
    if snapshot.code.files:
        from clew.query.rank.code_symbols import code_symbols  # noqa: PLC0415 - see ``gather``

        code = yield from code_symbols(snapshot, relevance.query, request, named)
    importance = snapshot.derived.importance
    is_present = importance.link_changes == snapshot.graph.link_changes
    ranking = Ranking(
        snapshot=snapshot,
        importance_revision=snapshot.revision if is_present else importance.revision,
        request=request,
        tier=relevance.tier,
        correction=correction_reply(request.query, relevance.corrections),
        relevant_count=relevance.count + len(code),
    )
    yield PAUSE
    candidates = _candidates(snapshot, relevance, importance, request)
    named_count = int(np.count_nonzero(candidates.keys >= _NAMED_BONUS))
    symbols = _merged(_in_order(snapshot, candidates), code, named_count)
    pack = pack_map if request.format == "map" else pack_rows
    return (yield from pack(ranking, symbols, count_tokens))


def _with_notes_as_concepts(snapshot: Snapshot, relevance: Relevance) -> Relevance:
    """Return ``relevance`` after moving that of each concept with a note to its note."""
    nodes = snapshot.derived.nodes
    relevant = np.flatnonzero(relevance.by_concept)
    relevant = relevant[nodes.node_by_concept[relevant] < nodes.note_slots]
    by_note, by_concept = relevance.by_note.copy(), relevance.by_concept.copy()
    notes = nodes.node_by_concept[relevant]
    by_note[notes] = np.maximum(by_note[notes], by_concept[relevant])
    by_concept[relevant] = 0.0
    return replace(relevance, by_note=by_note, by_concept=by_concept)


@dataclass(frozen=True, slots=True, eq=False)
class _Candidates:
    """The best relevant symbols, as arrays in their order, except that ties are in any order."""

    kinds: Int64Array  # indexes into ``SYMBOLS``
    ids: Int64Array
    relevance: Float64Array
    importance: Float64Array
    combined: Float64Array  # rounded
    keys: Float64Array  # falling; equal for ties


def _candidates(
    snapshot: Snapshot, relevance: Relevance, importance: Importance, request: Rank
) -> _Candidates:
    """Return at least ``SYMBOLS_MAX`` of the relevant symbols, those with the highest scores."""
    by_kind = (relevance.by_note, relevance.by_heading, relevance.by_concept)
    notes, headings, concepts = (np.flatnonzero(each > 0) for each in by_kind)
    relevances = np.concatenate(
        [relevance.by_note[notes], relevance.by_heading[headings], relevance.by_concept[concepts]]
    )
    importances = np.concatenate(
        [
            importance.of_notes(notes),
            importance.of_notes(snapshot.symbols.note_by_heading[headings]),
            importance.of_concepts(concepts),
        ]
    )
    combined = np.rint(_combined(relevances, importances, request) / _MILLIONTH) * _MILLIONTH
    keys = combined.copy()
    keys[: len(notes)] += np.where(
        _have_name(snapshot, relevance.query.text, notes), _NAMED_BONUS, 0.0
    )
    chosen = _highest(keys, SYMBOLS_MAX)
    chosen = chosen[np.argsort(-keys[chosen], kind="stable")]
    kinds = np.repeat([0, 1, 2], [len(notes), len(headings), len(concepts)])
    ids = np.concatenate([notes, headings, concepts])
    return _Candidates(
        kinds[chosen],
        ids[chosen],
        relevances[chosen],
        importances[chosen],
        combined[chosen],
        keys[chosen],
    )


def _have_name(snapshot: Snapshot, query: str, note_ids: Int64Array) -> BoolArray:
    """Return a mask of the notes whose name is ``query``, for the first ``NAMED_MAX`` by path."""
    paths = notes_named(snapshot, query.strip()) if len(query) <= NAME_CHARACTERS_MAX else ()
    named = [snapshot.graph.note_ids[path] for path in nsmallest(NAMED_MAX, paths)]
    return np.isin(note_ids, named)


def _combined(relevance: Float64Array, importance: Float64Array, request: Rank) -> Float64Array:
    if request.strategy == "importance":
        return importance
    if request.search_mode == "legacy":
        return legacy_score(relevance, importance)
    return relevance * importance


def _highest(keys: Float64Array, most: int) -> Int64Array:
    """Return the indexes of the ``most`` highest keys, and of all ties with the last of them."""
    if len(keys) <= most:
        return np.arange(len(keys))
    return np.flatnonzero(keys >= np.partition(keys, len(keys) - most)[len(keys) - most])


def _in_order(snapshot: Snapshot, candidates: _Candidates) -> Iterator[Ranked | None]:
    """Yield up to ``SYMBOLS_MAX`` symbols, ties by kind, name and id; ``None`` for a pause.

    Symbols are named only as they are asked for, since few may fit the budget.
    """
    count = 0
    for first, last in _runs(candidates.keys):
        sorted_runs: list[list[Ranked]] = []
        for start in range(first, last, _NAMES_A_STEP):
            steps = range(start, min(last, start + _NAMES_A_STEP))
            named = (_ranked(snapshot, candidates, index) for index in steps)
            sorted_runs.append(sorted(named, key=_tie_order))
            if len(steps) == _NAMES_A_STEP:
                yield None
        yield from islice(merge(*sorted_runs, key=_tie_order), SYMBOLS_MAX - count)
        count += last - first
        if count >= SYMBOLS_MAX:
            return


def _merged(
    rows: Iterator[Ranked | None], code: Sequence[Ranked], first_count: int
) -> Iterator[Ranked | None]:
    """Yield rows and code by falling scores; the first ``first_count`` rows stay in front."""
    at = 0
    for number, row in enumerate(rows):
        if row is not None and number >= first_count:
            while at < len(code) and code[at].combined > row.combined:
                yield code[at]
                at += 1
        yield row
    yield from code[at:]


def _tie_order(row: Ranked) -> tuple[str, str, str]:
    return row.symbol.kind, row.symbol.name, row.symbol.id


def _runs(keys: Float64Array) -> Iterator[tuple[int, int]]:
    """Yield the first index of each run of equal keys, and the index after it."""
    starts = np.flatnonzero(np.diff(keys, prepend=np.nan) != 0)
    yield from pairwise([*starts.tolist(), len(keys)])


def _ranked(snapshot: Snapshot, candidates: _Candidates, index: int) -> Ranked:
    symbol = SYMBOLS[candidates.kinds[index]](snapshot, int(candidates.ids[index]))
    scores = (candidates.relevance, candidates.importance, candidates.combined)
    return Ranked(symbol, *(float(column[index]) for column in scores))
