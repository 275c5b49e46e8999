"""Bounds for the best path of at most four steps between two concepts, from what is beside them.

Let S(u) be the summed weight of the steps from u, and w(u, x) the weight of one, which is the same
in both directions. The score of a path over x, u and the like is the product of w(x, u) / S(x) of
its steps. The steps of the neighbours of both ends are read at once, and tell exactly

    two(x) = max over u beside the goal of  w(x, u) / S(x) * w(u, goal) / S(u)
    three(u) = max over x of  w(u, x) / S(u) * two(x),  for u beside the start

and the best score of all paths that meet so. Then the search goes straight along the best path.

A concept of many notes has many steps, each with a small share. It is read by itself, and only if a
path over it may be as good as the best one that is met:

- as the last but one, if w(u, goal) / S(u) times the largest score of two steps from the start is
  as high; a path that goes straight from the start to u is known without its steps;
- as the first, if w(start, u) / S(start) * min(max w(u, .) max two, max (S two)) / S(u) is as high,
  since w(u, x) is at most S(x).
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
HUB_NOTES = 8  # of a concept; the steps of one with more are read by themselves
MENTIONS_MAX = 512  # of the other neighbours of an end
HUBS_MAX = 512  # beside an end


class _Edges(NamedTuple):
    """Steps between the neighbours of an end and any concepts: parallel arrays, in no order."""

    ids: Int64Array  # of any concept
    beside: Int32Array  # of the neighbour
    weights: Float64Array


class _End(NamedTuple):
    """The steps of an end of paths, and of its neighbours."""

    steps: Neighbours
    edges: _Edges  # of the neighbours that few notes mention
    hubs: list[int]  # the other neighbours


def near_bounds(
    snapshot: Snapshot, now_s: float, start: Start, goal: int, *, beside_lists: bool
) -> Slices[GoalBounds | None]:
    """Return bounds for the best path from ``start``; ``None`` if an end has many neighbours.

    ``beside_lists``: without steps that only lists carry.
    """
    steps_from = snapshot.steps_beside_lists if beside_lists else snapshot.steps
    steps = [steps_from(concept, now_s) for concept in (start.concept, goal)]
    if not all(len(each.ids) for each in steps):
        nothing = np.zeros(snapshot.graph.concept_slots)
        return GoalBounds(nothing, nothing, nothing)
    near = [_few_and_hubs(each.ids, snapshot.graph.note_counts) for each in steps]
    if start.hops_max > HOPS_MAX or max(len(hubs) for _, hubs in near) > HUBS_MAX:
        return None
    ends = []
    for own, (few, hubs) in zip(steps, near, strict=True):
        edges = _edges(snapshot, now_s, few, beside_lists=beside_lists)
        ends.append(_End(own, edges, hubs))
        yield PAUSE
    known = _Known(snapshot.step_strengths(now_s), start, goal, ends)
    yield PAUSE
    yield from known.read_hubs_beside_goal(steps_from, now_s)
    yield from known.read_hubs_beside_start(steps_from, now_s)
    return GoalBounds(known.one, known.three * ROUNDING, known.two * ROUNDING, known.met / ROUNDING)


class _Known:
    """What is known of paths from the start to the goal; the arrays are by concept id."""

    def __init__(self, strengths: Float64Array, start: Start, goal: int, ends: list[_End]) -> None:
        self._first, self._last = ends
        self._start, self._goal = start, goal
        self._strengths = np.maximum(strengths, np.finfo(np.float64).tiny)
        steps = self._first.steps
        self._share_to = np.zeros(len(strengths))  # of the step from the start
        self._share_to[steps.ids] = steps.scores / (steps.strength or 1.0)
        ids, beside, weights = self._first.edges
        self._onward = weights / self._strengths[beside]  # the shares of these steps
        self._two_steps = self._share_to[beside] * self._onward  # from the start
        steps = self._last.steps
        self.one = np.zeros(len(strengths))  # the best score of one step to the goal
        self.one[steps.ids] = steps.scores / self._strengths[steps.ids]
        ids, beside, weights = self._last.edges
        self.two = self.one.copy()  # of at most two steps
        np.maximum.at(self.two, ids, weights * self.one[beside] / self._strengths[ids])
        self.two[goal] = 0.0
        self.three = self.two  # of at most three, for neighbours of the start
        self.met = 0.0  # the best score of a path from the start
        self._meet()

    def _meet(self) -> None:
        """Tell the best score of a path from the start, as far as known."""
        by_hops = self.one, self.one, self.two, self.three
        hops_max = self._start.hops_max
        met = float((self._share_to * by_hops[hops_max - 1]).max())
        if hops_max == HOPS_MAX:
            onward = self.two[self._first.edges.ids]
            met = max(met, float((self._two_steps * onward).max(initial=0.0)))
        self.met = max(self.met, met)

    def read_hubs_beside_goal(self, steps_from: StepsFrom, now_s: float) -> Slices[None]:
        """Raise ``two`` by the steps over hubs, as far as a path over them may be the best."""
        highest = float(self._two_steps.max(initial=0.0))
        for share_to, hub in self._first_hubs():
            if share_to * ROUNDING <= highest:  # no share of a step is above 1
                break
            share = _best_score(steps_from(hub, now_s)) / self._strengths[hub]
            highest = max(highest, float(share_to * share))
        for hub in self._last.hubs:
            if self.one[hub] * highest * ROUNDING >= self.met:
                steps = steps_from(hub, now_s)
                scores = steps.scores * self.one[hub] / self._strengths[steps.ids]
                self.two[steps.ids] = np.maximum(self.two[steps.ids], scores)
                yield PAUSE
        self.two[self._goal] = 0.0

    def read_hubs_beside_start(self, steps_from: StepsFrom, now_s: float) -> Slices[None]:
        """Tell ``three``, with hubs as far as a path over them may be the best."""
        ids, beside, _ = self._first.edges
        self.three = self.two.copy()
        np.maximum.at(self.three, beside, self._onward * self.two[ids])
        self._meet()
        yield PAUSE
        highest, strongest = float(self.two.max()), float((self._strengths * self.two).max())
        for share_to, hub in self._first_hubs():
            strength = self._strengths[hub]
            if share_to * min(highest * ROUNDING, strongest / strength) * ROUNDING < self.met:
                continue
            steps = steps_from(hub, now_s)
            bound = min(_best_score(steps) * highest, strongest) / strength
            if share_to * bound * ROUNDING >= self.met:
                score = float((steps.scores * self.two[steps.ids]).max(initial=0.0)) / strength
                self.three[hub] = max(self.three[hub], score)
                yield PAUSE
        self._meet()
        self.three[self._start.concept] = 1.0

    def _first_hubs(self) -> list[tuple[float, int]]:
        """Return the hubs beside the start, the largest share of the step to each first."""
        hubs = self._first.hubs
        return sorted(zip(self._share_to[hubs].tolist(), hubs, strict=True), reverse=True)


def _best_score(steps: Neighbours) -> float:
    """Return the score of the best of some steps; 0.0 for none."""
    return float(steps.scores[0]) if len(steps.scores) else 0.0


def _few_and_hubs(ids: Int32Array, note_counts: Int32Array) -> tuple[Int32Array, list[int]]:
    """Return those of the concepts whose steps are read at once, and the others."""
    counts = note_counts[ids]
    order = np.argsort(counts, kind="stable")
    ids, counts = ids[order], counts[order]
    few = int(((counts <= HUB_NOTES) & (np.cumsum(counts) <= MENTIONS_MAX)).sum())
    return ids[:few], ids[few:].tolist()


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
    beside = concepts[indexes]
    steps = (ids != beside).nonzero()[0]
    return _Edges(ids[steps], beside[steps], weights[steps].astype(np.float64))
