"""The best paths between two concepts.

The score of a path is the product of the shares of its steps, as in ``expand``. Steps that only
lists carry are left out as there, unless there is no path without them. The search goes best first
(branch and bound):

1. A heap holds partial paths from the start, by falling bound: the highest score that any path to
   the goal with this beginning can have. That is its score so far times the bound for paths from
   its end to the goal (``goal_bounds``); if only one step is left, times the share of that step.
2. The partial path of the highest bound is taken. If a step leads from its end to the goal, the
   complete path is added to the best paths, and only the requested number of these is kept.
3. It is extended by one step to each neighbour not on it, unless the bound of the extension is
   below the score of the worst of the best paths. The search ends when no partial path is left.
   Only the best extension goes into the heap, and the next one when that is taken: most extensions
   are never needed.

A partial path is dropped when as many others with at least its score and no more steps ended at the
same concept. That never loses the best path; the second or third may be missed where all those
partial paths contain a concept that it needs later. The work is limited, by a higher limit until a
path is found. If the limit may have hidden a better path, the reply is marked ``truncated``.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.graph import ConceptGraph
from clew.query.graph.best_first import BestFirst
from clew.query.graph.goal_bounds import GoalBounds, goal_bounds
from clew.query.graph.path_steps import PathSteps, Steps, whole_steps
from clew.query.references.locate import locate_concept_shown
from clew.query.slices import PAUSE, Slices
from clew.query.suggest import close_concepts, ignored_names
from clew.text.uri import to_uri
from clew.values.arrays import Float64Array
from clew.values.replies import ConceptPath, PathEdge, PathReply, rounded
from clew.values.requests import PathRequest

PATHS_MAX = 3
FILES_MAX = 20

PARTIAL_PATHS_MAX = 1_000  # partial paths that are extended
WORK_MAX = 200_000  # neighbours read, plus ``_EXTENSION_WORK`` per extension made
_EXTENSION_WORK = 5
_PATIENCE = 4  # factor of the limit of work until a path is found


def path(snapshot: Snapshot, request: PathRequest, now_s: float) -> Slices[PathReply]:
    """Return the best paths between two concepts, best first; none if they are not connected.

    If no note mentions one of them, the reply has suggestions. If both names mean one concept, it
    has the path without a step.

    Raises:
        Ambiguous: several notes have one of the names.
    """
    start = yield from _concept_id(snapshot, request.from_)
    goal = yield from _concept_id(snapshot, request.to)
    if start is None or goal is None:
        ends = ((start, request.from_), (goal, request.to))
        unknown = dict.fromkeys(text for concept, text in ends if concept is None)
        return (yield from _without_paths(snapshot, tuple(unknown)))
    weights = snapshot.edge_weights(now_s)
    if start == goal:
        paths, truncated = [CompletePath(-1.0, 0, (), (start,))], False
    else:
        best = yield from _best_paths(snapshot, now_s, (start, goal), request.max_hops)
        paths, truncated = best.paths, best.truncated
    return PathReply(
        revision=snapshot.revision,
        paths=tuple(_path_row(snapshot, weights, best) for best in paths),
        truncated=truncated,
        unknown=(),
        suggestions=(),
        display_suggestions=(),
    )


def _concept_id(snapshot: Snapshot, text: str) -> Slices[int | None]:
    name = yield from locate_concept_shown(snapshot, text)
    return snapshot.graph.concept_id(name) if name is not None else None


def _without_paths(snapshot: Snapshot, unknown: tuple[str, ...]) -> Slices[PathReply]:
    suggestions = yield from close_concepts(snapshot, unknown)
    return PathReply(
        revision=snapshot.revision,
        paths=(),
        truncated=False,
        unknown=unknown,
        ignored=ignored_names(snapshot, unknown),
        suggestions=suggestions,
        display_suggestions=tuple(map(snapshot.display, suggestions)),
    )


def _path_row(snapshot: Snapshot, weights: Float64Array, best: "CompletePath") -> ConceptPath:
    names = tuple(map(snapshot.graph.name, best.concepts))
    return ConceptPath(
        score=rounded(-best.minus_score),
        concepts=names,
        display_names=tuple(map(snapshot.display, names)),
        edges=_edges(snapshot, weights, best.concepts),
    )


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
    has_first: bool = False  # whether it was extended by its first steps already


class _Goal(NamedTuple):
    """The concept where paths end."""

    concept: int
    name: str
    bounds: GoalBounds


class BestPaths:
    """The best complete paths so far, ``PATHS_MAX`` of them."""

    def __init__(self) -> None:
        self.paths: list[CompletePath] = []
        self.missed_bound = 0.0  # the highest bound of the partial paths that were not tried

    @property
    def truncated(self) -> bool:
        """Whether a better path may have been missed."""
        return self.missed_bound > 0.0 and self.missed_bound >= self.score_min

    @property
    def score_min(self) -> float:
        """The score below which a path is not among the best."""
        return -self.paths[-1].minus_score if len(self.paths) == PATHS_MAX else 0.0

    def offer(self, partial: _PartialPath, goal: _Goal) -> None:
        """Complete ``partial`` by a step to the goal, if there is one, and keep the best paths."""
        share = float(goal.bounds.shares[partial.concepts[-1]])
        if share > 0.0:
            names, concepts = (*partial.names, goal.name), (*partial.concepts, goal.concept)
            self.paths.append(CompletePath(-partial.score * share, len(names), names, concepts))
            self.paths.sort()
            del self.paths[PATHS_MAX:]


def _best_paths(
    snapshot: Snapshot, now_s: float, ends: tuple[int, int], hops_max: int
) -> Slices[BestPaths]:
    """Return the best paths of up to ``hops_max`` steps between two concepts."""
    best = yield from _search(snapshot, now_s, ends, hops_max, beside_lists=True)
    if not best.paths and snapshot.has_lists:
        may_exist = best.truncated
        best = yield from _search(snapshot, now_s, ends, hops_max, beside_lists=False)
        if may_exist:
            best.missed_bound = 1.0
    return best


def _search(
    snapshot: Snapshot, now_s: float, ends: tuple[int, int], hops_max: int, *, beside_lists: bool
) -> Slices[BestPaths]:
    """Return the best paths found within ``WORK_MAX``.

    ``beside_lists``: without steps that only lists carry.
    """
    start, goal = ends
    steps_from = whole_steps(snapshot, beside_lists=beside_lists)
    bounds = yield from goal_bounds(snapshot, now_s, ends, steps_from)
    path_steps = PathSteps(snapshot, now_s, bounds, beside_lists=beside_lists)
    target = _Goal(goal, snapshot.graph.name(goal), bounds)
    best = BestPaths()
    start_bound = float(bounds.bounds[start])
    origin = _PartialPath(-start_bound, (snapshot.graph.name(start),), 1.0, (start,))
    waiting: BestFirst[_PartialPath] = BestFirst()
    waiting.add(iter((origin,)))
    taken_by_concept: defaultdict[int, list[_PartialPath]] = defaultdict(list)
    taken_count = work = 0
    while waiting and start_bound > 0.0:
        partial = waiting.take()
        work_left = (WORK_MAX if best.paths else _PATIENCE * WORK_MAX) - work
        if taken_count == PARTIAL_PATHS_MAX or work_left <= 0:
            best.missed_bound = -partial.minus_bound
            break
        work += _EXTENSION_WORK
        concept = partial.concepts[-1]
        taken = taken_by_concept[concept]
        if -partial.minus_bound < best.score_min:
            continue
        if not partial.has_first:
            if _is_dominated(partial, taken):
                continue
            taken.append(partial)
            taken_count += 1
            best.offer(partial, target)
        hops_left = hops_max - len(partial.concepts)  # after one more step
        if hops_left > 0:
            if partial.has_first:
                steps = path_steps.others(concept)
            else:
                steps, others_bound = path_steps.first(concept)
                others = partial._replace(minus_bound=-partial.score * others_bound, has_first=True)
                waiting.add(iter((others,) if others_bound > 0.0 else ()))
            work += len(steps.ids)
            waiting.add(_extensions(snapshot.graph, steps, partial, target, hops_left, best))
        yield PAUSE
    return best


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


def _extensions(
    graph: ConceptGraph,
    steps: Steps,
    partial: _PartialPath,
    goal: _Goal,
    hops_left: int,
    best: BestPaths,
) -> Iterator[_PartialPath]:
    """Yield ``partial`` extended by each of ``steps``, by falling bound.

    Leaves out extensions after which no path of ``hops_left`` more steps is among the ``best``.
    """
    if steps.strength <= 0.0:
        return
    scores = partial.score * steps.scores / steps.strength
    bounds = scores * goal.bounds.within(hops_left)[steps.ids]
    for visited in (*partial.concepts, goal.concept):
        bounds[steps.ids == visited] = 0.0
    promising = np.flatnonzero((bounds > 0.0) & (bounds >= best.score_min))
    promising = promising[np.argsort(-bounds[promising])]
    for run in _runs_of_equals(bounds[promising]):
        ids = steps.ids[promising[run]].tolist()
        named = sorted(zip(map(graph.name, ids), ids, promising[run].tolist(), strict=True))
        for name, concept, index in named:
            if bounds[index] < best.score_min:
                return
            concepts = (*partial.concepts, concept)
            bound, score = float(bounds[index]), float(scores[index])
            yield _PartialPath(-bound, (*partial.names, name), score, concepts)


def _runs_of_equals(values: Float64Array) -> Iterator[slice]:
    """Yield the runs of equal values of a sorted array."""
    ends = np.flatnonzero(values[1:] != values[:-1]) + 1
    first = 0
    for end in ends.tolist():
        yield slice(first, end)
        first = end
    if len(values):
        yield slice(first, len(values))
