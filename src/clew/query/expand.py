"""From a concept outward: what is reached over its best relations, best first.

A step from one concept to the next is worth its share: the weight of that edge over the weight of
all edges of the concept it leaves. A path is worth the product of its steps, so going on never
gains, and a best-first search meets each concept first at its best path.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from clew.engine.snapshot import Snapshot
from clew.index.graph import BoolArray, ConceptGraph, Neighbours

SEEDS = 5
_TIES_WORTH_CUTTING = 3

Places = npt.NDArray[np.int64]


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
    graph: ConceptGraph, neighbours: Neighbours, most: int, hidden: BoolArray | None = None
) -> list[int]:
    """Return the places in ``neighbours`` of the ``most`` strongest, best first.

    Strongest by (score descending, count descending, name). ``hidden``: bool array of shape
    (concept_count,), true for concepts to leave out.
    """
    places = _strongest(neighbours, most, hidden)
    if len(places) > _TIES_WORTH_CUTTING * most:
        places = _cut_ties(neighbours, places, most)
    ranked = sorted(
        zip(
            (-neighbours.scores[places]).tolist(),
            (-neighbours.counts[places]).tolist(),
            map(graph.name, neighbours.ids[places].tolist()),
            places.tolist(),
            strict=True,
        )
    )
    return [place for _, _, _, place in ranked[:most]]


def _strongest(neighbours: Neighbours, most: int, hidden: BoolArray | None) -> Places:
    """Return the ``most`` places of highest score that are not hidden, and all equal to the last.

    Looks at the front of the order alone, and further only while that is not enough.
    """
    order, scores = neighbours.order, neighbours.scores
    looked_at = 4 * most
    while True:
        front = order[:looked_at]
        if hidden is not None:
            front = front[~hidden[neighbours.ids[front]]]
        is_all = looked_at >= len(order)
        if len(front) > most and (is_all or scores[front[-1]] < scores[front[most - 1]]):
            found: Places = front[scores[front] >= scores[front[most - 1]]]
            return found
        if is_all:
            return front
        looked_at *= 4


def _cut_ties(neighbours: Neighbours, places: Places, most: int) -> Places:
    """Drop the places that ties in score cannot lift into the first ``most``, by count."""
    order = np.lexsort((-neighbours.counts[places], -neighbours.scores[places]))
    last = places[order[most - 1]]
    scores, counts = neighbours.scores[places], neighbours.counts[places]
    level = scores == neighbours.scores[last]
    kept: Places = places[~level | (counts >= neighbours.counts[last])]
    return kept


def expand(
    snapshot: Snapshot,
    now_s: float,
    start: int,
    seeds: Sequence[Step],
    hidden: BoolArray,
    depth: int,
    most: int,
) -> list[Reached]:
    """Return up to ``most`` concepts reached from ``start`` in 2 to ``depth`` steps, best first.

    ``seeds`` are the first steps; ``hidden`` is true for ``start`` and all its direct relations,
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
        places = best(graph, around, most, hidden)
        worths = (score * around.scores[places] / around.strength).tolist()
        for concept, worth in zip(around.ids[places].tolist(), worths, strict=True):
            onward = (*names, graph.name(concept))
            heapq.heappush(waiting, (-worth, len(path), onward, (*path, concept)))

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


def hidden_from(graph: ConceptGraph, start: int, around: Neighbours) -> BoolArray:
    """Return what an expansion from ``start`` must not show: itself and its direct relations."""
    hidden = np.zeros(graph.concept_slots, dtype=np.bool_)
    hidden[start] = True
    hidden[around.ids] = True
    return hidden


def first_steps(around: Neighbours, places: Sequence[int]) -> list[Step]:
    """Return the steps to the first ``SEEDS`` of ``places``, from which an expansion starts."""
    if around.strength <= 0.0:
        return []
    return [
        Step(int(around.ids[at]), float(around.scores[at]) / around.strength)
        for at in places[:SEEDS]
    ]
