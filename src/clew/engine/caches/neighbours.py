"""Cache of the neighbours of concepts, with the weights of edges, in one graph at one ``now``.

A few hubs are next to almost every concept, so nearly all queries need their neighbours, which take
longest to find. The neighbours of a concept follow from the rows that contain it, and from the
weights of their notes. So the new cache of a changed graph takes over the values of all concepts
without a changed row. Another ``now`` clears the cache, since weights decay.
"""

from collections.abc import Iterator
from enum import Enum, auto
from itertools import product
from typing import NamedTuple, TypeAlias

import numpy as np

from clew.engine.caches.changed import changed_concepts
from clew.index.formulas.breadth import are_lists, edge_weights, step_weights
from clew.index.graph import ConceptGraph, RowsWith
from clew.index.graph_rows import (
    NOTES_AT_ONCE,
    Neighbours,
    neighbours,
    neighbours_beside,
    step_sums,
    step_sums_of,
)
from clew.index.notes.ages import NoteAges
from clew.index.structures.lru import CacheCounts, LruCache
from clew.values.arrays import BoolArray, Float64Array

CACHED_BYTES_MAX = 8 * 1024 * 1024  # of the neighbours of all cached concepts together
FIRST_BYTES_MAX = 6 * 1024 * 1024  # of their first steps alone: of some 700 hubs
FIRST_STEPS = 512  # the strongest steps from a concept, which are kept apart from all of them
_BYTES_A_CONCEPT = 800  # three arrays, a value and a key without their contents
_SHARE_MAX = 0.25  # of all mentions: beyond it, one pass over all rows is cheaper


class _Kind(Enum):
    EDGES = auto()
    STEPS = auto()
    STEPS_BESIDE_LISTS = auto()


_Cache: TypeAlias = LruCache[tuple[int, _Kind], Neighbours]


def _new_cache(bytes_max: int, counts: CacheCounts) -> _Cache:
    return LruCache(bytes_max, lambda found: found.nbytes + _BYTES_A_CONCEPT, counts)


class NeighbourCache:
    """The neighbours of the most recently used concepts, at most ``CACHED_BYTES_MAX`` in all.

    Queries that follow only the strongest steps share the ``first`` steps from each concept: those
    of a hub of a large vault are a hundredth of all, which would push out all others.
    """

    def __init__(
        self,
        graph: ConceptGraph,
        ages: NoteAges,
        broad_from: int,
        counts: CacheCounts,
        earlier: "NeighbourCache | None" = None,
    ) -> None:
        """``broad_from``: see ``formulas.breadth``; ``earlier``: an earlier revision's cache."""
        self.graph, self._ages, self._broad_from = graph, ages, broad_from
        self.now_s: float | None = None  # None: not used yet
        # Its values are taken over at the first use; then it is dropped.
        self.earlier: NeighbourCache | None = earlier
        if earlier is not None and earlier.now_s is None:
            self.earlier = earlier.earlier
        self._rows: RowsWith | None = None
        self._is_list: BoolArray | None = None
        self._edge_weights: Float64Array | None = None
        self._step_weights: Float64Array | None = None
        self._step_sums: _StepSums | None = None
        self.lru = _new_cache(CACHED_BYTES_MAX, counts)
        self.first = _new_cache(FIRST_BYTES_MAX, counts)

    def neighbours(self, concept: int, now_s: float) -> Neighbours:
        """Return the neighbours of ``concept``; the scores are the weights of edges."""
        return self._get(concept, self.edge_weights(now_s), _Kind.EDGES)

    def steps(self, concept: int, now_s: float) -> Neighbours:
        """Return the neighbours of ``concept``; the scores are the weights of steps."""
        return self._get(concept, self.step_weights(now_s), _Kind.STEPS)

    def steps_beside_lists(self, concept: int, now_s: float) -> Neighbours:
        """Return the ``steps`` that go through some note that is no list of concepts.

        ``strength`` is the sum of all ``steps``, so each step keeps its share.
        """
        return self._get(concept, self.step_weights(now_s), _Kind.STEPS_BESIDE_LISTS)

    def first_steps(self, concept: int, now_s: float) -> Neighbours:
        """Return the ``FIRST_STEPS`` strongest of the ``steps``, or all if there are no more.

        Of a hub they are those beside lists, since steps that only lists carry are weak.
        """
        beside = self.first_steps_beside_lists(concept, now_s)
        if beside.has_strongest:
            return beside
        return self._get(concept, self.step_weights(now_s), _Kind.STEPS, FIRST_STEPS)

    def first_steps_beside_lists(self, concept: int, now_s: float) -> Neighbours:
        """Return the ``FIRST_STEPS`` strongest of the ``steps_beside_lists``, or all."""
        return self._get(concept, self.step_weights(now_s), _Kind.STEPS_BESIDE_LISTS, FIRST_STEPS)

    def rows_with(self, concept: int) -> RowsWith:
        """Return the rows of the notes that mention ``concept``; the latest result is cached."""
        rows = self._rows
        if rows is None or rows.concept != concept:
            rows = self._rows = self.graph.rows_with(concept)
        return rows

    def read_rows(self, concept: int, now_s: float) -> Iterator[None]:
        """Read the rows of a hub, unless steps from it are cached; then pause.

        The rows take about half of the time in which all steps are found.
        """
        self._use_moment(now_s)
        kinds = _Kind.STEPS, _Kind.STEPS_BESIDE_LISTS
        if self.graph.note_count(concept) > NOTES_AT_ONCE and not any(
            (concept, kind) in self.lru for kind in kinds
        ):
            self.rows_with(concept)
            yield

    @property
    def is_list(self) -> BoolArray:
        """Whether each note is a list of concepts, by note id."""
        if self._is_list is None:
            self._is_list = are_lists(self.graph.rows.lengths, self._broad_from)
        return self._is_list

    def _get(
        self, concept: int, weights: Float64Array, kind: _Kind, most: int | None = None
    ) -> Neighbours:
        cache = self.lru if most is None else self.first
        value = cache.get((concept, kind))
        if value is None:
            value = self._find(concept, weights, kind, most)
            cache.put((concept, kind), value)
        return value

    def _find(
        self, concept: int, weights: Float64Array, kind: _Kind, most: int | None
    ) -> Neighbours:
        if most is not None and (concept, kind) in self.lru:
            return self._get(concept, weights, kind).first(most)
        rows = self.rows_with(concept)
        if kind is _Kind.STEPS_BESIDE_LISTS:
            return neighbours_beside(rows, weights, self.is_list, most)
        return neighbours(rows, weights, most)

    def step_strengths(self, now_s: float) -> Float64Array:
        """Return the summed weight of the steps from each concept, by concept id."""
        return self._step_sums_at(now_s).strengths

    def largest_shares(self, now_s: float) -> Float64Array:
        """Return a bound for the share of any step from each concept, by concept id.

        A step to a concept that all notes of a concept mention has this share.
        """
        return self._step_sums_at(now_s).shares_max

    def _step_sums_at(self, now_s: float) -> "_StepSums":
        weights = self.step_weights(now_s)  # first, since it drops values of another moment
        if self._step_sums is None:
            self._step_sums = _with_shares(*step_sums(self.graph, weights))
        return self._step_sums

    def find_shares(self, now_s: float) -> Iterator[None]:
        """Find ``step_strengths`` and ``largest_shares``; pause after ``NOTES_AT_ONCE`` notes.

        Nothing is kept if another request asks for another moment meanwhile.
        """
        weights = self.step_weights(now_s)
        if self._step_sums is not None:
            return
        strengths, totals = np.zeros((2, self.graph.concept_slots))
        for first in range(0, len(weights), NOTES_AT_ONCE):
            notes = np.arange(first, min(first + NOTES_AT_ONCE, len(weights)))
            of_strength, of_total = step_sums(self.graph, weights, notes)
            strengths += of_strength
            totals += of_total
            yield
        if now_s == self.now_s:
            self._step_sums = _with_shares(strengths, totals)

    def edge_weights(self, now_s: float) -> Float64Array:
        """Return the weight of each note in the edges of its pairs, by note id."""
        self._use_moment(now_s)
        if self._edge_weights is None:
            lengths = self.graph.rows.lengths
            self._edge_weights = edge_weights(self.decay(now_s), lengths, self._broad_from)
        return self._edge_weights

    def step_weights(self, now_s: float) -> Float64Array:
        """Return the weight of each note in a step between its concepts, by note id."""
        self._use_moment(now_s)
        if self._step_weights is None:
            self._step_weights = step_weights(self.decay(now_s), self.graph.rows.lengths)
        return self._step_weights

    def decay(self, now_s: float) -> Float64Array:
        """Return the weight of each note by its age, by note id."""
        return self._ages.weights(now_s, self.graph.note_slots)

    def _use_moment(self, now_s: float) -> None:
        if now_s == self.now_s:
            return
        self.lru.clear()
        self.first.clear()
        self._edge_weights = self._step_weights = self._step_sums = None
        self.now_s = now_s
        earlier, self.earlier = self.earlier, None
        if earlier is not None and earlier.now_s == now_s:
            self._follow(earlier, now_s)

    def _follow(self, earlier: "NeighbourCache", now_s: float) -> None:
        """Take over the values of concepts without a changed row."""
        before = earlier.decay(now_s)
        is_reweighed = self.decay(now_s)[: len(before)] != before
        changed = changed_concepts(earlier.graph, self.graph, is_reweighed)
        if changed is None:
            return
        self.lru, self.first = earlier.lru.copy(), earlier.first.copy()
        for key in product(changed.tolist(), _Kind):
            self.lru.remove(key)
            self.first.remove(key)
        counts = self.graph.note_counts
        known = earlier._step_sums  # noqa: SLF001 - of the same class
        if known is not None and counts[changed].sum() <= _SHARE_MAX * counts.sum():
            found = _with_shares(*step_sums_of(self.graph, changed, self.step_weights(now_s)))
            added = self.graph.concept_slots - len(known.strengths)
            self._step_sums = _StepSums(*(np.pad(values, (0, added)) for values in known))
            for values, new in zip(self._step_sums, found, strict=True):
                values[changed] = new


class _StepSums(NamedTuple):
    """Two values of the steps from each concept, by concept id."""

    strengths: Float64Array  # the summed weight of the steps
    shares_max: Float64Array  # a bound for the share of each step


def _with_shares(strengths: Float64Array, totals: Float64Array) -> _StepSums:
    return _StepSums(strengths, _ratios(totals, strengths))


def _ratios(totals: Float64Array, strengths: Float64Array) -> Float64Array:
    """Return totals divided by strengths, 0.0 where there is no strength."""
    ratios = np.zeros(len(totals))
    np.divide(totals, strengths, out=ratios, where=strengths > 0.0)
    return ratios
