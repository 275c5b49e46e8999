"""Upper bounds for the score of any path from a concept to a goal.

The score of a path is the product of the shares of its steps, each at most 1. So Dijkstra's
algorithm, run backwards from the goal, settles concepts by falling score of their best path to the
goal. The score of a settled concept is exact, and no other concept scores more than the highest
tentative score. The search stops after ``SETTLED_MAX`` concepts, or once the start is settled and
no other concept scores ``FAR_SHARE`` of its score: a path through any of those scores less than
that share of the best path. The best path of a concept that is not settled then either begins with
a step that was followed, so that its tentative score bounds it, or with a step to another concept
that is not settled: at most the largest share of a step from it, times the highest tentative score.

The bounds do not count steps: a path of few steps may score less.

Source: E. W. Dijkstra, "A note on two problems in connexion with graphs", 1959; as a bound for a
search in the other direction: I. Pohl, "Bi-directional search", 1971.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from clew.engine.snapshot import Snapshot, StepsFrom
from clew.query.graph.best_first import BestFirst
from clew.query.slices import PAUSE, Slices
from clew.values.arrays import BoolArray, Float64Array, Int32Array

SETTLED_MAX = 128
FAR_SHARE = 0.5  # of the score of the start: concepts that score less are not settled
ROUNDING = 1.0 + 1e-9  # since the shares of a path may be multiplied in another order


@dataclass(frozen=True, slots=True)
class GoalBounds:
    """Bounds for the scores of paths to a goal; the arrays are by concept id."""

    shares: Float64Array  # of the step to the goal; 0.0 if there is none
    bounds: Float64Array  # no path to the goal has a higher score; 0.0 if there is none
    open_bound: float  # the highest bound of the concepts that are not settled
    # Steps to concepts that are settled, as parallel arrays.
    _from: Int32Array
    _to: Int32Array
    _scores: Float64Array

    def within(self, hops: int) -> Float64Array:
        """Return the bounds for paths of at most ``hops`` steps to the goal."""
        return self.shares if hops == 1 else self.bounds

    def steps_to_settled(self, concept: int) -> tuple[Int32Array, Float64Array]:
        """Return the settled concepts to which steps from ``concept`` lead, and their scores."""
        found = np.flatnonzero(self._from == concept)
        return self._to[found], self._scores[found]


def goal_bounds(
    snapshot: Snapshot, now_s: float, ends: tuple[int, int], steps_from: StepsFrom
) -> Slices[GoalBounds]:
    """Return bounds for paths from any concept to a goal, with weights at ``now_s``.

    ``ends``: the start and the goal; once the start is settled, the search may end early.
    ``steps_from``: the steps that paths may take, the same in both directions.
    """
    yield from snapshot.find_shares(now_s)
    strengths, shares_max = snapshot.step_strengths(now_s), snapshot.largest_shares(now_s)
    best = np.zeros(snapshot.graph.concept_slots)  # the best score found, by concept
    is_settled = np.zeros(len(best), np.bool_)
    shares = best
    settled: list[int] = []
    from_ids: list[Int32Array] = []  # by index in ``settled``
    from_scores: list[Float64Array] = []
    waiting: BestFirst[tuple[float, int]] = BestFirst()  # negative scores, concepts
    start, goal = ends
    concept, score = goal, 1.0
    while score > 0.0 and len(settled) < SETTLED_MAX:
        if is_settled[start] and score < FAR_SHARE * best[start]:
            break
        is_settled[concept] = True
        yield from snapshot.read_rows(concept, now_s)
        onward = steps_from(concept, now_s)
        settled.append(concept)
        from_ids.append(onward.ids)
        from_scores.append(onward.scores)
        is_open = ~is_settled[onward.ids] & (onward.scores > 0.0)
        ids = onward.ids[is_open]
        steps = score * (onward.scores[is_open] / strengths[ids])
        is_better = steps > best[ids]
        ids, steps = ids[is_better], steps[is_better]
        best[ids] = steps
        waiting.add(_highest(ids, steps))
        if concept == goal:
            shares = best.copy()
        yield PAUSE
        concept, score = _next(waiting, is_settled)
    others = shares_max * score
    bounds = np.where(is_settled, best, np.maximum(best, others)) * ROUNDING
    return GoalBounds(
        shares,
        bounds,
        score * ROUNDING,
        np.concatenate(from_ids),
        np.repeat(np.array(settled, np.int32), list(map(len, from_ids))),
        np.concatenate(from_scores),
    )


def _highest(ids: Int32Array, scores: Float64Array) -> Iterator[tuple[float, int]]:
    """Return the concepts of the highest scores that may yet be settled, the highest first."""
    if len(ids) > SETTLED_MAX:
        kept = np.argpartition(-scores, SETTLED_MAX)[:SETTLED_MAX]
        ids, scores = ids[kept], scores[kept]
    return iter(sorted(zip((-scores).tolist(), ids.tolist(), strict=True)))


def _next(waiting: BestFirst[tuple[float, int]], is_settled: BoolArray) -> tuple[int, float]:
    """Return the concept to settle next and its score; the score is 0.0 if there is none."""
    while waiting:
        minus_score, concept = waiting.take()
        if not is_settled[concept]:
            return concept, -minus_score
    return 0, 0.0
