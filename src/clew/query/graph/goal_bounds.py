"""Upper bounds for the score of any path from a concept to a goal.

The score of a path is the product of the shares of its steps, each at most 1. So Dijkstra's
algorithm, run backwards from the goal, settles concepts by falling score of their best path to the
goal. The score of a settled concept is exact, and no other concept scores more than the highest
tentative score. After ``SETTLED_MAX`` concepts the search stops, and the highest tentative score
bounds all concepts that are not settled.

The bounds do not count steps: a path of few steps may score less.

If only the best path from one start is needed, the search stops sooner. A path whose first step
leads to a concept that is not settled scores at most the largest share of such a step times the
highest tentative score. Once that is below the score of a path found so far, the first step of the
best path leads to a settled concept.

Source: E. W. Dijkstra, "A note on two problems in connexion with graphs", 1959; as a bound for a
search in the other direction: I. Pohl, "Bi-directional search", 1971.
"""

from dataclasses import dataclass

import numpy as np

from clew.engine.snapshot import Snapshot, StepsFrom
from clew.query.slices import PAUSE, Slices
from clew.values.arrays import BoolArray, Float64Array

SETTLED_MAX = 64
CHECKED_EVERY = 8  # settled concepts between checks whether the search can stop sooner
ROUNDING = 1.0 + 1e-9  # since the shares of a path may be multiplied in another order


@dataclass(frozen=True, slots=True)
class GoalBounds:
    """Bounds for the scores of paths to a goal; the arrays are by concept id."""

    shares: Float64Array  # of the step to the goal; 0.0 if there is none
    bounds: Float64Array  # no path to the goal has a higher score; 0.0 if there is none
    two_hops: Float64Array  # the same for paths of at most two steps
    best_score_min: float = 0.0  # the best path from the requested start scores at least this much

    def within(self, hops: int) -> Float64Array:
        """Return the bounds for paths of at most ``hops`` steps to the goal."""
        return (self.shares, self.two_hops)[hops - 1] if hops <= 2 else self.bounds


@dataclass(frozen=True, slots=True)
class Start:
    """The concept from which the best path is needed, and the most steps of that path."""

    concept: int
    hops_max: int


def goal_bounds(
    snapshot: Snapshot,
    now_s: float,
    goal: int,
    steps_from: StepsFrom,
    start: Start | None = None,
) -> Slices[GoalBounds]:
    """Return the bounds for paths to the concept ``goal``, with weights at ``now_s``.

    ``steps_from``: the steps that paths may take, the same in both directions. ``start``: if given,
    the bounds are only enough to find the best path from it.
    """
    strengths = snapshot.step_strengths(now_s)
    best = np.zeros(snapshot.graph.concept_slots)  # the best score found, by concept
    tentative = best.copy()  # the same without settled concepts
    is_settled = np.zeros(len(best), np.bool_)
    first_steps = _FirstSteps(start, steps_from, now_s, len(best)) if start else None
    shares = best
    concept, score, best_score_min = goal, 1.0, 0.0
    for count in range(SETTLED_MAX):
        is_settled[concept] = True
        tentative[concept] = 0.0
        if first_steps is not None and concept == first_steps.start.concept:
            break
        onward = steps_from(concept, now_s)
        is_open = ~is_settled[onward.ids] & (onward.scores > 0.0)
        ids = onward.ids[is_open]
        steps = score * (onward.scores[is_open] / strengths[ids])
        is_better = steps > best[ids]
        ids, steps = ids[is_better], steps[is_better]
        best[ids] = tentative[ids] = steps
        if concept == goal:
            shares = best.copy()
        yield PAUSE
        if first_steps is not None:
            first_steps.hops[ids] = first_steps.hops[concept] + 1
        concept = int(tentative.argmax())
        score = float(tentative[concept])
        if score == 0.0:
            break
        if first_steps is not None and count % CHECKED_EVERY == 0:
            best_score_min = max(best_score_min, first_steps.best_score(best))
            if first_steps.share_max(is_settled) * score < best_score_min:
                break
    # The other concepts may have better paths that were not followed, so the last score is a bound.
    bounds = np.where(is_settled, best, score) * ROUNDING
    return GoalBounds(shares, bounds, bounds, best_score_min / ROUNDING)


class _FirstSteps:
    """The steps from the start, with the number of steps from where they lead to the goal."""

    def __init__(
        self, start: Start, steps_from: StepsFrom, now_s: float, concept_slots: int
    ) -> None:
        self.start = start
        steps = steps_from(start.concept, now_s)
        self._ids = steps.ids
        self._shares = steps.scores / (steps.strength or 1.0)
        self.hops = np.zeros(concept_slots, np.int64)  # to the goal, of the best path found

    def best_score(self, best: Float64Array) -> float:
        """Return the score of the best path found so far that has at most ``hops_max`` steps."""
        scores = self._shares * best[self._ids]
        scores[self.hops[self._ids] >= self.start.hops_max] = 0.0
        return float(scores.max(initial=0.0))

    def share_max(self, is_settled: BoolArray) -> float:
        """Return the largest share of a step to a concept that is not settled."""
        return float(self._shares[~is_settled[self._ids]].max(initial=0.0))
