"""From a concept outward: what is reached over its best relations, best first.

A step from one concept to the next is worth its share: the weight of that edge over the weight of
all edges of the concept it leaves. A path is worth the product of its steps, so going on never
gains, and a best-first search meets each concept first at its best path.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.graph import ConceptGraph, Neighbours
from clew.values.arrays import BoolArray, Int64Array

SEEDS = 5
_TIES_WORTH_CUTTING = 3

# A neighbour as -score, -count, name, id, so that the better is the smaller. Plain, since a hundred
# are made for one answer.
Ranked = tuple[float, int, str, int]


@dataclass(frozen=True, slots=True)
class Reached:
    """A concept and the best way to it."""

    concept: int
    score: float
    path: tuple[int, ...]  # concept ids, from the one asked for to this one

    @property
    def hops(self) -> int:
        """How many steps the way takes."""
        return len(self.path) - 1


@dataclass(frozen=True, slots=True)
class Step:
    """A first step from the concept asked for."""

    concept: int
    share: float


def best(
    graph: ConceptGraph, neighbours: Neighbours, most: int, is_shown: BoolArray | None = None
) -> list[Ranked]:
    """Return the ``most`` strongest of ``neighbours``, best first.

    Strongest by (score descending, count descending, name). ``is_shown``: bool array of shape
    (concept_count,), false for concepts to leave out.
    """
    places = _strongest(neighbours, most, is_shown)
    if len(places) > _TIES_WORTH_CUTTING * most:
        places = _cut_ties(neighbours, places, most)
    ids = neighbours.ids[places].tolist()
    ranked = zip(
        (-neighbours.scores[places]).tolist(),
        (-neighbours.counts[places]).tolist(),
        map(graph.name, ids),
        ids,
        strict=True,
    )
    return sorted(ranked)[:most]


def _strongest(neighbours: Neighbours, most: int, is_shown: BoolArray | None) -> Int64Array:
    """Return the ``most`` places of highest score that are shown, and all equal to the last.

    Looks at the front alone, and further only while that is not enough.
    """
    ids, scores = neighbours.ids, neighbours.scores
    looked_at = 4 * most
    while True:
        if is_shown is None:
            front = np.arange(min(looked_at, len(ids)))
        else:
            front = np.flatnonzero(is_shown[ids[:looked_at]])
        if len(front) > most and scores[front[-1]] < (least := scores[front[most - 1]]):
            found: Int64Array = front[scores[front] >= least]
            return found
        if looked_at >= len(ids):
            return front
        looked_at *= 4


def _cut_ties(neighbours: Neighbours, places: Int64Array, most: int) -> Int64Array:
    """Drop the places that ties in score cannot lift into the first ``most``, by count."""
    order = np.lexsort((-neighbours.counts[places], -neighbours.scores[places]))
    last = places[order[most - 1]]
    scores, counts = neighbours.scores[places], neighbours.counts[places]
    level = scores == neighbours.scores[last]
    kept: Int64Array = places[~level | (counts >= neighbours.counts[last])]
    return kept


def expand(
    snapshot: Snapshot,
    now_s: float,
    start: int,
    seeds: Sequence[Step],
    is_shown: BoolArray,
    depth: int,
    most: int,
) -> list[Reached]:
    """Return up to ``most`` concepts reached from ``start`` in 2 to ``depth`` steps, best first.

    ``seeds`` are the first steps; ``is_shown`` is false for ``start`` and all its direct relations,
    which are neither reached again nor passed through. Whatever is gone on from, beside the seeds,
    is a result, so the work is bounded by ``most`` whatever the depth.
    """
    graph = snapshot.graph
    # Names, not ids, decide between equals: ids depend on the order of edits.
    waiting: list[tuple[float, int, tuple[str, ...], tuple[int, ...]]] = []
    reached: dict[int, Reached] = {}
    fewest_hops: dict[int, int] = {}

    def leave(path: tuple[int, ...], names: tuple[str, ...], score: float) -> None:
        around = snapshot.neighbours(path[-1], now_s)
        if around.strength <= 0.0:
            return
        for minus_score, _, name, concept in best(graph, around, most, is_shown):
            minus_worth = score * minus_score / around.strength
            heapq.heappush(waiting, (minus_worth, len(path), (*names, name), (*path, concept)))

    if depth > 1:
        for seed in seeds:
            leave((start, seed.concept), (graph.name(seed.concept),), seed.share)
    while waiting and len(reached) < most:
        worth, hops, names, path = heapq.heappop(waiting)
        concept = path[-1]
        if concept not in reached:
            reached[concept] = Reached(concept, -worth, path)
        if hops < fewest_hops.get(concept, depth):
            # A worse but shorter way still matters: it may go on where the best has no step left.
            fewest_hops[concept] = hops
            leave(path, names, -worth)
    return list(reached.values())


def shown_from(graph: ConceptGraph, start: int, around: Neighbours) -> BoolArray:
    """Return what an expansion from ``start`` may show: not itself, nor its direct relations."""
    is_shown = np.ones(graph.concept_slots, dtype=np.bool_)
    is_shown[start] = False
    is_shown[around.ids] = False
    return is_shown


def first_steps(around: Neighbours, ranked: Sequence[Ranked]) -> list[Step]:
    """Return the steps to the first ``SEEDS`` of ``ranked``, from which an expansion starts."""
    if around.strength <= 0.0:
        return []
    return [
        Step(concept, -minus_score / around.strength)
        for minus_score, _, _, concept in ranked[:SEEDS]
    ]
