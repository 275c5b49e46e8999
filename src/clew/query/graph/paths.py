"""The best chains of concepts from one to another.

A chain is worth the product of its steps' shares, as in ``expand``. The search goes best first and
is exact: what a chain can still be worth is bounded by the best last step into the goal, and a
chain that cannot beat the ones in hand is dropped.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.suggest import close_names
from clew.text.uri import to_uri
from clew.values.arrays import Float64Array, Int32Array
from clew.values.errors import NotFound
from clew.values.replies import ConceptPath, PathEdge, PathReply, rounded
from clew.values.requests import PathRequest

PATHS_MAX = 3
FILES_MAX = 20

# Bounds for a graph where nothing can be ruled out early; never met in the vaults measured.
CONCEPTS_LEFT_MAX = 1_000
STEPS_KEPT_MAX = 2_000
WORK_MAX = 400_000  # neighbours looked at, and five for each step kept: some 0.2 s at most
_STEP_WORK = 5


def path(snapshot: Snapshot, request: PathRequest, now_s: float) -> PathReply:
    """Return the best paths between two concepts, best first; none when they are not connected."""
    graph = snapshot.graph
    start, goal = _concept_id(snapshot, request.from_), _concept_id(snapshot, request.to)
    if start is None or goal is None or start == goal:
        return PathReply(revision=snapshot.revision, paths=())
    weights = snapshot.weights(now_s)
    found = best_paths(snapshot, now_s, start, goal, request.max_hops)
    return PathReply(
        revision=snapshot.revision,
        paths=tuple(
            ConceptPath(
                score=rounded(score),
                concepts=tuple(map(graph.name, ids)),
                edges=_edges(snapshot, weights, ids),
            )
            for score, ids in found
        ),
    )


def _concept_id(snapshot: Snapshot, text: str) -> int | None:
    name = snapshot.concept_named(text)
    return snapshot.graph.concept_id(name) if name is not None else None


def _edges(snapshot: Snapshot, weights: Float64Array, ids: Sequence[int]) -> tuple[PathEdge, ...]:
    edges = []
    for first, second in pairwise(ids):
        notes = snapshot.graph.shared_notes(first, second)
        edges.append(
            PathEdge(
                from_=snapshot.graph.name(first),
                to=snapshot.graph.name(second),
                weighted_score=rounded(float(weights[notes].sum())),
                files=tuple(map(to_uri, snapshot.newest_paths(notes, FILES_MAX))),
            )
        )
    return tuple(edges)


@dataclass(slots=True)
class _Found:
    """The best finished paths so far."""

    paths: list[tuple[float, tuple[str, ...], tuple[int, ...]]] = field(default_factory=list)

    def offer(self, score: float, names: tuple[str, ...], ids: tuple[int, ...]) -> None:
        self.paths.append((-score, names, ids))
        self.paths.sort(key=lambda found: (found[0], len(found[1]), found[1]))
        del self.paths[PATHS_MAX:]

    @property
    def worst(self) -> float:
        """The score a path must reach to matter."""
        return -self.paths[-1][0] if len(self.paths) == PATHS_MAX else 0.0


def best_paths(
    snapshot: Snapshot, now_s: float, start: int, goal: int, max_hops: int
) -> list[tuple[float, tuple[int, ...]]]:
    """Return up to ``PATHS_MAX`` paths as (score, concept ids), best first."""
    graph = snapshot.graph
    strengths = graph.strengths(snapshot.weights(now_s))
    into = snapshot.neighbours(goal, now_s)
    last_share = np.zeros_like(strengths)  # what the step from a concept to the goal is worth
    reachable = into.ids[strengths[into.ids] > 0.0]
    last_share[reachable] = (into.scores / np.maximum(strengths[into.ids], 1e-300))[
        strengths[into.ids] > 0.0
    ]
    best_last = float(last_share.max(initial=0.0))
    found = _Found()
    waiting: list[tuple[float, tuple[str, ...], float, tuple[int, ...]]] = [
        (-1.0, (graph.name(start),), 1.0, (start,))
    ]
    times_left: dict[int, int] = {}
    budget, work = CONCEPTS_LEFT_MAX, 0
    while waiting and budget and work < WORK_MAX and best_last > 0.0:
        bound, names, score, ids = heapq.heappop(waiting)
        here = ids[-1]
        if -bound < found.worst or times_left.get(here, 0) >= PATHS_MAX:
            continue
        times_left[here] = times_left.get(here, 0) + 1
        budget -= 1
        if last_share[here] > 0.0:
            found.offer(score * float(last_share[here]), (*names, graph.name(goal)), (*ids, goal))
        steps_left = max_hops - len(ids)  # after the step that leaves ``here``
        if steps_left < 1:
            continue
        around = snapshot.neighbours(here, now_s)
        if around.strength <= 0.0:
            continue
        worth = score * around.scores / around.strength
        ends = last_share[around.ids]
        bounds = worth * (np.maximum(ends, best_last) if steps_left > 1 else ends)
        bounds[np.isin(around.ids, np.array((*ids, goal), dtype=np.int32))] = 0.0
        onwards = _worthwhile(bounds, around.ids, found.worst)
        work += len(around.ids) + _STEP_WORK * len(onwards)
        for at in onwards:
            concept = int(around.ids[at])
            onward = (*names, graph.name(concept))
            heapq.heappush(waiting, (-float(bounds[at]), onward, float(worth[at]), (*ids, concept)))
    return [(-score, ids) for score, _, ids in found.paths]


def _worthwhile(bounds: Float64Array, ids: Int32Array, worst: float) -> list[int]:
    """Return the places whose bound can still matter, at most ``STEPS_KEPT_MAX``."""
    places = np.flatnonzero((bounds > 0.0) & (bounds >= worst))
    if len(places) > STEPS_KEPT_MAX:
        places = places[np.lexsort((ids[places], -bounds[places]))[:STEPS_KEPT_MAX]]
    return [int(at) for at in places]


def unknown_concept(snapshot: Snapshot, text: str) -> NotFound:
    """Return the error for a name that is no concept, with close ones as its hint."""
    near = close_names(text, snapshot.graph.concepts())
    return NotFound(f"no note mentions {text!r}", f"close to it: {', '.join(near)}" if near else "")
