"""The best paths between two concepts.

The score of a path is the product of the shares of its steps, as in ``expand``. The search goes
best first (branch and bound):

1. A heap holds partial paths from the start, by falling bound: the highest score that any path to
   the goal with this beginning can have. Shares are at most 1, so it is the score so far times the
   highest share of any step into the goal; if only one step is left, times the share of that step.
2. The partial path of the highest bound is taken. If a step leads from its end to the goal, the
   complete path is offered to the ``PATHS_MAX`` best.
3. It is extended by one step to each neighbour not on it, unless the bound of the extension is
   below the score of the worst of the best paths. The search ends when no partial path is left.

A partial path is dropped when ``PATHS_MAX`` others with at least its score and no more steps ended
at the same concept. So the best path is always found; the second or third may be missed where all
those partial paths contain a concept that it needs later. Further bounds limit the work in a graph
where few paths can be ruled out early; no vault that was measured reached these bounds.
"""

import heapq
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.slices import Slices
from clew.text.uri import to_uri
from clew.values.arrays import Float64Array, Int32Array, Int64Array
from clew.values.replies import ConceptPath, PathEdge, PathReply, rounded
from clew.values.requests import PathRequest

PATHS_MAX = 3
FILES_MAX = 20

PARTIAL_PATHS_MAX = 1_000  # partial paths that are extended
EXTENSIONS_MAX = 2_000  # extensions of one partial path
WORK_MAX = 400_000  # neighbours read, plus ``_EXTENSION_WORK`` per extension; takes at most 0.2 s
_EXTENSION_WORK = 5


def path(snapshot: Snapshot, request: PathRequest, now_s: float) -> Slices[PathReply]:
    """Return the best paths between two concepts, best first; none if they are not connected."""
    graph = snapshot.graph
    start, goal = _concept_id(snapshot, request.from_), _concept_id(snapshot, request.to)
    if start is None or goal is None or start == goal:
        return PathReply(revision=snapshot.revision, paths=())
    weights = snapshot.weights(now_s)
    found = yield from best_paths(snapshot, now_s, start, goal, request.max_hops)
    return PathReply(
        revision=snapshot.revision,
        paths=tuple(
            ConceptPath(
                score=rounded(-best.minus_score),
                concepts=tuple(map(graph.name, best.concepts)),
                edges=_edges(snapshot, weights, best.concepts),
            )
            for best in found
        ),
    )


def _concept_id(snapshot: Snapshot, text: str) -> int | None:
    name = snapshot.concept_named(text)
    return snapshot.graph.concept_id(name) if name is not None else None


def _edges(
    snapshot: Snapshot, weights: Float64Array, concepts: Sequence[int]
) -> tuple[PathEdge, ...]:
    edges = []
    for first, second in pairwise(concepts):
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


class CompletePath(NamedTuple):
    """A path to the goal; a better one compares as smaller. Ties go by length, then by names."""

    minus_score: float
    length: int
    names: tuple[str, ...]
    concepts: tuple[int, ...]


class _PartialPath(NamedTuple):
    """A path from the start; a more promising one compares as smaller, so a heap pops it first."""

    minus_bound: float
    names: tuple[str, ...]
    score: float
    concepts: tuple[int, ...]


class _Goal(NamedTuple):
    """The concept where paths end."""

    concept: int
    name: str
    share_by_concept: Float64Array  # of the step from a concept to the goal; 0 if there is none
    share_max: float


class _BestPaths:
    """The ``PATHS_MAX`` best complete paths so far."""

    def __init__(self) -> None:
        self.paths: list[CompletePath] = []

    @property
    def score_min(self) -> float:
        """The score below which a path is not among the best."""
        return -self.paths[-1].minus_score if len(self.paths) == PATHS_MAX else 0.0

    def offer(self, partial: _PartialPath, goal: _Goal) -> None:
        """Complete ``partial`` by a step to the goal, if there is one, and keep the best paths."""
        share = float(goal.share_by_concept[partial.concepts[-1]])
        if share > 0.0:
            names, concepts = (*partial.names, goal.name), (*partial.concepts, goal.concept)
            self.paths.append(CompletePath(-partial.score * share, len(names), names, concepts))
            self.paths.sort()
            del self.paths[PATHS_MAX:]


def best_paths(
    snapshot: Snapshot, now_s: float, start: int, goal: int, hops_max: int
) -> Slices[list[CompletePath]]:
    """Return up to ``PATHS_MAX`` paths of up to ``hops_max`` steps, best first."""
    target = _goal(snapshot, now_s, goal)
    best = _BestPaths()
    waiting = [_PartialPath(-1.0, (snapshot.graph.name(start),), 1.0, (start,))]
    taken_by_concept: defaultdict[int, list[_PartialPath]] = defaultdict(list)
    taken_count = work = 0
    while waiting and taken_count < PARTIAL_PATHS_MAX and work < WORK_MAX and target.share_max > 0:
        partial = heapq.heappop(waiting)
        concept = partial.concepts[-1]
        taken = taken_by_concept[concept]
        if -partial.minus_bound < best.score_min or _is_dominated(partial, taken):
            continue
        taken.append(partial)
        taken_count += 1
        best.offer(partial, target)
        hops_left = hops_max - len(partial.concepts)  # after one more step
        if hops_left > 0:
            extensions, read_count = _extensions(
                snapshot, now_s, partial, target, hops_left, best.score_min
            )
            for extension in extensions:
                heapq.heappush(waiting, extension)
            work += read_count + _EXTENSION_WORK * len(extensions)
        yield
    return best.paths


def _is_dominated(partial: _PartialPath, others: Sequence[_PartialPath]) -> bool:
    """Return whether ``PATHS_MAX`` of ``others`` are at most as long and at least as good.

    A path that was taken earlier has a higher bound, yet its score may be lower, because the bound
    is tighter for a path with one step left.
    """
    dominating = sum(
        len(other.concepts) <= len(partial.concepts) and other.score >= partial.score
        for other in others
    )
    return dominating >= PATHS_MAX


def _goal(snapshot: Snapshot, now_s: float, goal: int) -> _Goal:
    """Return the goal, with the share of the step to it from each concept."""
    strengths = snapshot.graph.strengths(snapshot.weights(now_s))
    neighbours = snapshot.neighbours(goal, now_s)
    share_by_concept = np.zeros_like(strengths)
    is_left = strengths[neighbours.ids] > 0.0
    ids = neighbours.ids[is_left]
    share_by_concept[ids] = neighbours.scores[is_left] / np.maximum(strengths[ids], 1e-300)
    share_max = float(share_by_concept.max(initial=0.0))
    return _Goal(goal, snapshot.graph.name(goal), share_by_concept, share_max)


def _extensions(
    snapshot: Snapshot,
    now_s: float,
    partial: _PartialPath,
    goal: _Goal,
    hops_left: int,
    score_min: float,
) -> tuple[list[_PartialPath], int]:
    """Return ``partial`` extended by one step, and the number of neighbours read for that.

    Leaves out extensions after which no path through ``hops_left`` more steps reaches
    ``score_min``.
    """
    neighbours = snapshot.neighbours(partial.concepts[-1], now_s)
    if neighbours.strength <= 0.0:
        return [], 0
    scores = partial.score * neighbours.scores / neighbours.strength
    bounds = scores * (goal.share_max if hops_left > 1 else goal.share_by_concept[neighbours.ids])
    visited = np.array((*partial.concepts, goal.concept), dtype=np.int32)
    bounds[np.isin(neighbours.ids, visited)] = 0.0
    extensions = []
    for index in _promising(bounds, neighbours.ids, score_min).tolist():
        concept = int(neighbours.ids[index])
        names = (*partial.names, snapshot.graph.name(concept))
        concepts = (*partial.concepts, concept)
        extensions.append(
            _PartialPath(-float(bounds[index]), names, float(scores[index]), concepts)
        )
    return extensions, len(neighbours.ids)


def _promising(bounds: Float64Array, ids: Int32Array, score_min: float) -> Int64Array:
    """Return the indexes of the ``EXTENSIONS_MAX`` highest bounds that reach ``score_min``."""
    indexes = np.flatnonzero((bounds > 0.0) & (bounds >= score_min))
    if len(indexes) > EXTENSIONS_MAX:
        indexes = indexes[np.lexsort((ids[indexes], -bounds[indexes]))[:EXTENSIONS_MAX]]
    return indexes
