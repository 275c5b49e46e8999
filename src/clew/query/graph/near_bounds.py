"""Bounds for the best path of at most four steps between two concepts, from their neighbours.

Let S(u) be the summed weight of the steps from u, and w(u, x) the weight of the step to x, which is
the same in both directions. The score of a path is the product of w(x, u) / S(x) over its steps
from x to u. The steps of the neighbours of both ends are read in one batch, and give exactly

    two(x) = max over u beside the goal of  w(x, u) / S(x) * w(u, goal) / S(u)
    three(u) = max over x of  w(u, x) / S(u) * two(x),  for u beside the start

and the best score of all paths that these steps make up. So the search needs to follow only the
best path.

A hub, which is a concept of many notes, has many steps, each with a small share. Its steps are read
by themselves, and only if a path over the hub may score as high as the best path found so far:

- for a hub u beside the goal, if w(u, goal) / S(u) times the largest score of two steps from the
  start is as high; a path that goes straight from the start to u needs no steps of u;
- for a hub u beside the start, if w(start, u) / S(start) * min(max w(u, .) max two, max (S two)) /
  S(u) is as high, since w(u, x) is at most S(x).
"""

from typing import NamedTuple

import numpy as np

from clew.engine.snapshot import Snapshot, StepsFrom
from clew.index.graph_rows import Neighbours, incidence
from clew.index.structures.id_sums import grouped
from clew.query.graph.goal_bounds import ROUNDING, GoalBounds, Start
from clew.query.slices import PAUSE, Slices
from clew.values.arrays import Float64Array, Int32Array, Int64Array

HOPS_MAX = 4
HUB_NOTES = 8  # a concept with more notes is a hub
MENTIONS_MAX = 512  # of the neighbours of an end that are read in one batch
HUBS_MAX = 512  # beside an end


class _Edges(NamedTuple):
    """Steps between the neighbours of an end and any concepts: parallel arrays, in no order."""

    ids: Int64Array  # of any concept
    neighbours: Int32Array  # the neighbour at the other end of each step
    weights: Float64Array


class _End(NamedTuple):
    """The steps of an end of paths, and of its neighbours."""

    steps: Neighbours
    edges: _Edges  # of the neighbours that are read in one batch
    hubs: list[int]  # the other neighbours


def near_bounds(
    snapshot: Snapshot, now_s: float, start: Start, goal: int, *, beside_lists: bool
) -> Slices[GoalBounds | None]:
    """Return bounds for the best path from ``start``; ``None`` if an end has too many hubs.

    Returns ``None`` too if paths may have over ``HOPS_MAX`` steps. ``beside_lists``: without steps
    that only lists carry.
    """
    steps_from = snapshot.steps_beside_lists if beside_lists else snapshot.steps
    steps = [steps_from(concept, now_s) for concept in (start.concept, goal)]
    if not all(len(each.ids) for each in steps):
        nothing = np.zeros(snapshot.graph.concept_slots)
        return GoalBounds(nothing, nothing, nothing)
    split = [_batched_and_hubs(each.ids, snapshot.graph.note_counts) for each in steps]
    if start.hops_max > HOPS_MAX or max(len(hubs) for _, hubs in split) > HUBS_MAX:
        return None
    ends = []
    for end_steps, (batched, hubs) in zip(steps, split, strict=True):
        edges = _edges(snapshot, now_s, batched, beside_lists=beside_lists)
        ends.append(_End(end_steps, edges, hubs))
        yield PAUSE
    bounds = _Bounds(snapshot.step_strengths(now_s), start, goal, ends)
    yield PAUSE
    yield from bounds.read_hubs_beside_goal(steps_from, now_s)
    yield from bounds.read_hubs_beside_start(steps_from, now_s)
    return GoalBounds(
        bounds.one,
        bounds.three * ROUNDING,
        bounds.two * ROUNDING,
        bounds.best_score_min / ROUNDING,
    )


class _Bounds:
    """The best scores of paths to the goal that were read; the arrays are by concept id."""

    def __init__(self, strengths: Float64Array, start: Start, goal: int, ends: list[_End]) -> None:
        self._first, self._last = ends
        self._start, self._goal = start, goal
        self._strengths = np.maximum(strengths, np.finfo(np.float64).tiny)
        steps = self._first.steps
        self._share_to = np.zeros(len(strengths))  # of the step from the start
        self._share_to[steps.ids] = steps.scores / (steps.strength or 1.0)
        ids, neighbours, weights = self._first.edges
        self._onward = weights / self._strengths[neighbours]  # the shares of these steps
        self._two_steps = self._share_to[neighbours] * self._onward  # from the start
        steps = self._last.steps
        self.one = np.zeros(len(strengths))  # the best score of one step to the goal
        self.one[steps.ids] = steps.scores / self._strengths[steps.ids]
        ids, neighbours, weights = self._last.edges
        self.two = self.one.copy()  # of at most two steps
        np.maximum.at(self.two, ids, weights * self.one[neighbours] / self._strengths[ids])
        self.two[goal] = 0.0
        self.three = self.two  # of at most three, for neighbours of the start
        self.best_score_min = 0.0  # of the paths from the start
        self._raise_best_score()

    def _raise_best_score(self) -> None:
        """Raise ``best_score_min`` to the best score of the paths that were read."""
        by_hops = self.one, self.one, self.two, self.three
        hops_max = self._start.hops_max
        score = float((self._share_to * by_hops[hops_max - 1]).max())
        if hops_max == HOPS_MAX:
            onward = self.two[self._first.edges.ids]
            score = max(score, float((self._two_steps * onward).max(initial=0.0)))
        self.best_score_min = max(self.best_score_min, score)

    def read_hubs_beside_goal(self, steps_from: StepsFrom, now_s: float) -> Slices[None]:
        """Raise ``two`` by the steps of those hubs over which the best path may go."""
        highest = float(self._two_steps.max(initial=0.0))
        for share_to, hub in self._first_hubs():
            if share_to * ROUNDING <= highest:  # no share of a step is above 1
                break
            share = _best_score(steps_from(hub, now_s)) / self._strengths[hub]
            highest = max(highest, float(share_to * share))
        for hub in self._last.hubs:
            if self.one[hub] * highest * ROUNDING >= self.best_score_min:
                steps = steps_from(hub, now_s)
                scores = steps.scores * self.one[hub] / self._strengths[steps.ids]
                self.two[steps.ids] = np.maximum(self.two[steps.ids], scores)
                yield PAUSE
        self.two[self._goal] = 0.0

    def read_hubs_beside_start(self, steps_from: StepsFrom, now_s: float) -> Slices[None]:
        """Compute ``three``, with the steps of those hubs over which the best path may go."""
        ids, neighbours, _ = self._first.edges
        self.three = self.two.copy()
        np.maximum.at(self.three, neighbours, self._onward * self.two[ids])
        self._raise_best_score()
        yield PAUSE
        highest, strongest = float(self.two.max()), float((self._strengths * self.two).max())
        for share_to, hub in self._first_hubs():
            strength = self._strengths[hub]
            bound = min(highest * ROUNDING, strongest / strength)
            if share_to * bound * ROUNDING < self.best_score_min:
                continue
            steps = steps_from(hub, now_s)
            bound = min(_best_score(steps) * highest, strongest) / strength
            if share_to * bound * ROUNDING >= self.best_score_min:
                score = float((steps.scores * self.two[steps.ids]).max(initial=0.0)) / strength
                self.three[hub] = max(self.three[hub], score)
                yield PAUSE
        self._raise_best_score()
        self.three[self._start.concept] = 1.0

    def _first_hubs(self) -> list[tuple[float, int]]:
        """Return the hubs beside the start, the largest share of the step to each first."""
        hubs = self._first.hubs
        return sorted(zip(self._share_to[hubs].tolist(), hubs, strict=True), reverse=True)


def _best_score(steps: Neighbours) -> float:
    """Return the highest score of ``steps``, which are sorted; 0.0 if there are none."""
    return float(steps.scores[0]) if len(steps.scores) else 0.0


def _batched_and_hubs(ids: Int32Array, note_counts: Int32Array) -> tuple[Int32Array, list[int]]:
    """Split concepts into those whose steps are read in one batch, and the hubs.

    Concepts beyond ``MENTIONS_MAX`` mentions are treated like hubs.
    """
    counts = note_counts[ids]
    order = np.argsort(counts, kind="stable")
    ids, counts = ids[order], counts[order]
    is_batched = (counts <= HUB_NOTES) & (np.cumsum(counts) <= MENTIONS_MAX)
    batched_count = int(is_batched.sum())
    return ids[:batched_count], ids[batched_count:].tolist()


def _edges(snapshot: Snapshot, now_s: float, concepts: Int32Array, *, beside_lists: bool) -> _Edges:
    """Return all steps between any of ``concepts`` and other concepts."""
    graph, around = snapshot.graph, snapshot.around
    indexes, notes = incidence(graph, concepts)
    ids, lengths = graph.concepts_of_notes(notes)
    keys = indexes.repeat(lengths) * graph.concept_slots + ids
    order, group, firsts = grouped(keys)
    distinct, notes = keys[firsts], notes.repeat(lengths).take(order)
    weights = np.bincount(group, around.step_weights(now_s).take(notes))
    if beside_lists:
        is_carried = np.bincount(group, ~around.is_list.take(notes)) > 0
        distinct, weights = distinct.compress(is_carried), weights.compress(is_carried)
    indexes, ids = np.divmod(distinct, graph.concept_slots)
    neighbours = concepts[indexes]
    steps = (ids != neighbours).nonzero()[0]
    return _Edges(ids[steps], neighbours[steps], weights[steps].astype(np.float64))
