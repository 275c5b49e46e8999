"""Expansion of a concept: the concepts two or more steps away, best first.

The share of a step is its weight divided by the summed weights of all steps from the concept that
it leaves, in 0..1; a note that lists many concepts adds little to each (``formulas.breadth``). The
score of a path is the product of the shares of its steps, so a longer path never scores higher than
its beginning, and a best-first search reaches each concept first by its best path.

Steps that only lists carry are left out (``Snapshot.steps_beside_lists``). If that reaches nothing,
the search starts again from more neighbours, and at last with all steps.

The search starts with the ``SEEDS`` neighbours of the origin that have the largest shares. Its
direct neighbours are neither results nor passed through, since the reply lists them already. A
concept is extended again when a path with fewer steps and a lower score reaches it, since the best
path to it may have reached the depth limit. All concepts extended after the seeds are results, so
the number of results bounds the work at any depth.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from clew.engine.snapshot import Snapshot, StepsFrom
from clew.index.graph import ConceptGraph
from clew.index.graph_rows import Neighbours
from clew.query.graph.best_first import BestFirst
from clew.query.slices import PAUSE, SLICE_ROWS, Slices
from clew.values.arrays import BoolArray, Int64Array

SEEDS = 5
SEEDS_MAX = 50  # seeds of the last search that leaves out steps that only lists carry
_READ_MIN = 1_024  # neighbours read first: most neighbours of a hub are the origin's too

# A neighbour: its negative score, its negative count, its name and its concept id. A better one
# compares as smaller; ties go by name, since ids depend on edits. Neighbours and paths are plain
# tuples: a query makes hundreds, and named ones would cost a tenth of it.
Ranked = tuple[float, int, str, int]

_Onward = tuple[Neighbours, Int64Array]  # steps from a concept, and the indexes of those to take

# A path from the origin: its negative score, its steps, the names of its concepts without the
# origin, and their ids. A better path compares as smaller.
_Path = tuple[float, int, tuple[str, ...], tuple[int, ...]]


class Origin(NamedTuple):
    """The concept to expand."""

    concept: int
    neighbours: Neighbours


class _Steps(NamedTuple):
    """The steps that a walk may take from each concept."""

    first: StepsFrom  # the strongest, which nearly always are enough
    whole: StepsFrom


class Reached(NamedTuple):
    """A concept and the best path to it."""

    concept: int
    score: float
    hops: int  # the number of steps of the path
    names: tuple[str, ...]  # of the path, without the origin


def strongest(graph: ConceptGraph, neighbours: Neighbours, count_max: int) -> list[Ranked]:
    """Return the ``count_max`` strongest neighbours by falling score, falling count, then name.

    ``neighbours``: all of a concept.
    """
    indexes = _strongest(graph, neighbours, count_max, None)
    assert indexes is not None
    return _ranked(graph, neighbours, indexes)


def strongest_in_slices(
    graph: ConceptGraph, neighbours: Neighbours, count_max: int
) -> Slices[list[Ranked]]:
    """Return the same as ``strongest``, with a pause after each run of rows."""
    indexes = _with_ties(neighbours, count_max, None)
    assert indexes is not None
    rows: list[Ranked] = []
    for start in range(0, len(indexes), SLICE_ROWS):
        rows += _ranked(graph, neighbours, indexes[start : start + SLICE_ROWS])
        yield PAUSE
    return sorted(rows)[:count_max]  # takes little time, since each run is sorted


def _ranked(graph: ConceptGraph, neighbours: Neighbours, indexes: Int64Array) -> list[Ranked]:
    ids = neighbours.ids[indexes].tolist()
    rows = zip(
        (-neighbours.scores[indexes]).tolist(),
        (-neighbours.counts[indexes]).tolist(),
        map(graph.name, ids),
        ids,
        strict=True,
    )
    return sorted(rows)


def _strongest(
    graph: ConceptGraph, neighbours: Neighbours, count_max: int, is_allowed: BoolArray | None
) -> Int64Array | None:
    """Return the indexes of the neighbours that ``strongest`` returns, in no order.

    ``is_allowed``: by concept id, false for neighbours to leave out. ``None``: the first neighbours
    alone do not tell.
    """
    indexes = _with_ties(neighbours, count_max, is_allowed)
    if indexes is not None and len(indexes) > count_max:
        names = map(graph.name, neighbours.ids[indexes].tolist())
        scores, counts = neighbours.scores[indexes], neighbours.counts[indexes]
        rows = zip((-scores).tolist(), (-counts).tolist(), names, indexes.tolist(), strict=True)
        indexes = np.array([index for *_, index in sorted(rows)[:count_max]], np.int64)
    return indexes


def _with_ties(
    neighbours: Neighbours, count_max: int, is_allowed: BoolArray | None
) -> Int64Array | None:
    """Return the indexes that ``_strongest`` does, with all ties of the last."""
    indexes = _highest_scores(neighbours, count_max, is_allowed)
    if indexes is None or len(indexes) <= count_max:
        return indexes
    return _cut_ties(neighbours, indexes, count_max)


def _highest_scores(
    neighbours: Neighbours, count_max: int, is_allowed: BoolArray | None
) -> Int64Array | None:
    """Return the indexes of the ``count_max`` highest allowed scores, with all ties of the last.

    Neighbours are sorted by score: reads the first few, and more if these are not enough.
    """
    ids, scores = neighbours.ids, neighbours.scores
    read_count = max(4 * count_max, _READ_MIN)
    while True:
        if is_allowed is None:
            allowed = np.arange(min(read_count, len(ids)))
        else:
            allowed = is_allowed.take(ids[:read_count]).nonzero()[0]
        if len(allowed) > count_max:
            last = scores[allowed[count_max - 1]]
            if scores[allowed[count_max]] < last:
                return allowed[:count_max]
            if scores[allowed[-1]] < last:
                highest: Int64Array = allowed[scores[allowed] >= last]
                return highest
        if read_count >= len(ids):
            return allowed if neighbours.is_whole else None
        read_count *= 4


def _cut_ties(neighbours: Neighbours, indexes: Int64Array, count_max: int) -> Int64Array:
    """Drop ties of the last score whose counts are too low for the first ``count_max``."""
    scores, counts = neighbours.scores[indexes], neighbours.counts[indexes]
    last = np.lexsort((-counts, -scores))[count_max - 1]
    kept: Int64Array = indexes[(scores != scores[last]) | (counts >= counts[last])]
    return kept


def expand(
    snapshot: Snapshot, now_s: float, origin: Origin, depth: int, count_max: int
) -> Slices[list[Reached]]:
    """Return up to ``count_max`` concepts reached in 2 to ``depth`` steps, best first."""
    if depth < 2:
        return []
    beside_lists = _Steps(snapshot.first_steps_beside_lists, snapshot.steps_beside_lists)
    all_steps = _Steps(snapshot.first_steps, snapshot.steps)
    walks = [(beside_lists, SEEDS)]
    if snapshot.has_lists:
        walks += [(beside_lists, SEEDS_MAX), (all_steps, SEEDS)]
    for steps_from, seed_count in walks:
        seeds = _seeds(snapshot.graph, now_s, origin.concept, steps_from, seed_count)
        reached = yield from _walk(snapshot, now_s, origin, depth, count_max, seeds, steps_from)
        if reached:
            return reached
    return []


def _walk(
    snapshot: Snapshot,
    now_s: float,
    origin: Origin,
    depth: int,
    count_max: int,
    seeds: list[_Path],
    steps_from: _Steps,
) -> Slices[list[Reached]]:
    """Return the concepts reached from the paths ``seeds`` by ``steps_from``; see ``expand``."""
    is_allowed = _not_adjacent(snapshot.graph, origin)
    waiting: BestFirst[_Path] = BestFirst()

    def onward(concept: int) -> _Onward:
        return _onward(snapshot.graph, now_s, concept, steps_from, count_max, is_allowed)

    steps = []
    for *_, concepts in seeds:
        steps.append(onward(concepts[-1]))
        yield PAUSE
    waiting.add(_extensions(snapshot.graph, seeds, steps))
    reached: dict[int, Reached] = {}
    fewest_hops: dict[int, int] = {}
    while waiting and len(reached) < count_max:
        path = waiting.take()
        minus_score, hops, names, concepts = path
        concept = concepts[-1]
        if concept not in reached:
            reached[concept] = Reached(concept, -minus_score, hops, names)
        if hops < fewest_hops.get(concept, depth):
            fewest_hops[concept] = hops
            waiting.add(_extensions(snapshot.graph, [path], [onward(concept)]))
        yield PAUSE
    return list(reached.values())


def _not_adjacent(graph: ConceptGraph, origin: Origin) -> BoolArray:
    """Return an array by concept id, false for the origin and its neighbours."""
    is_allowed = np.ones(graph.concept_slots, dtype=np.bool_)
    is_allowed[origin.concept] = False
    is_allowed[origin.neighbours.ids] = False
    return is_allowed


def _onward(
    graph: ConceptGraph,
    now_s: float,
    concept: int,
    steps_from: _Steps,
    count_max: int,
    is_allowed: BoolArray | None,
) -> _Onward:
    """Return steps from ``concept``, and the indexes of the ``count_max`` strongest allowed ones.

    Of all its steps, if the first ones are too few to tell.
    """
    steps = steps_from.first(concept, now_s)
    indexes = _strongest(graph, steps, count_max, is_allowed)
    if indexes is None:
        steps = steps_from.whole(concept, now_s)
        indexes = _strongest(graph, steps, count_max, is_allowed)
        assert indexes is not None
    return steps, indexes


def _seeds(
    graph: ConceptGraph, now_s: float, origin: int, steps_from: _Steps, count_max: int
) -> list[_Path]:
    """Return the paths of one step to start from."""
    steps, indexes = _onward(graph, now_s, origin, steps_from, count_max, None)
    if steps.strength <= 0.0:
        return []
    return [
        (minus_weight / steps.strength, 1, (name,), (origin, concept))
        for minus_weight, _, name, concept in _ranked(graph, steps, indexes)
    ]


def _extensions(
    graph: ConceptGraph, paths: Sequence[_Path], steps: Sequence[_Onward]
) -> Iterator[_Path]:
    """Yield the extensions of ``paths``, which have one length, by one step each, best first.

    ``steps``: for each path, those from its end. Most extensions are never taken, so each is only
    made when it is asked for.
    """
    parts = []
    for number, (path, (onward, indexes)) in enumerate(zip(paths, steps, strict=True)):
        if onward.strength > 0.0:
            minus_scores = path[0] * onward.scores[indexes] / onward.strength
            parts.append((minus_scores, onward.ids[indexes], np.full(len(indexes), number)))
    if not parts:
        return
    minus_scores, ids, numbers = map(np.concatenate, zip(*parts, strict=True))
    order = minus_scores.argsort()
    rows = zip(*(array[order].tolist() for array in (minus_scores, numbers, ids)), strict=True)
    for minus_score, tied in groupby(rows, itemgetter(0)):
        extensions = []
        for _, number, concept in tied:
            _, hops, names, concepts = paths[number]
            extension = (*names, graph.name(concept)), (*concepts, concept)
            extensions.append((minus_score, hops + 1, *extension))
        extensions.sort()
        yield from extensions
