"""Upper bounds for the score of any path from a concept to a goal.

The score of a path is the product of the shares of its steps, each at most 1. So Dijkstra's
algorithm, run backwards from the goal, settles concepts by falling score of their best path to the
goal. The score of a settled concept is exact, and no other concept scores more than the highest
tentative score. After ``SETTLED_MAX`` concepts the search stops, and the highest tentative score
bounds all concepts that are not settled.

The bounds do not count steps: a path of few steps may score less.

Source: E. W. Dijkstra, "A note on two problems in connexion with graphs", 1959; as a bound for a
search in the other direction: I. Pohl, "Bi-directional search", 1971.
"""

from dataclasses import dataclass

import numpy as np

from clew.engine.snapshot import Snapshot, StepsFrom
from clew.query.slices import PAUSE, Slices
from clew.values.arrays import Float64Array

SETTLED_MAX = 64
ROUNDING = 1.0 + 1e-9  # since the shares of a path may be multiplied in another order


@dataclass(frozen=True, slots=True)
class GoalBounds:
    """Bounds for the scores of paths to a goal; the arrays are by concept id."""

    shares: Float64Array  # of the step to the goal; 0.0 if there is none
    bounds: Float64Array  # no path to the goal has a higher score; 0.0 if there is none

    def within(self, hops: int) -> Float64Array:
        """Return the bounds for paths of at most ``hops`` steps to the goal."""
        return self.shares if hops == 1 else self.bounds


def goal_bounds(
    snapshot: Snapshot, now_s: float, goal: int, steps_from: StepsFrom
) -> Slices[GoalBounds]:
    """Return the bounds for paths to the concept ``goal``, with weights at ``now_s``.

    ``steps_from``: the steps that paths may take, the same in both directions.
    """
    strengths = snapshot.step_strengths(now_s)
    best = np.zeros(snapshot.graph.concept_slots)  # the best score found, by concept
    tentative = best.copy()  # the same without settled concepts
    is_settled = np.zeros(len(best), np.bool_)
    shares = best
    concept, score = goal, 1.0
    for _ in range(SETTLED_MAX):
        is_settled[concept] = True
        tentative[concept] = 0.0
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
        concept = int(tentative.argmax())
        score = float(tentative[concept])
        if score == 0.0:
            break
    # The other concepts may have better paths that were not followed, so the last score is a bound.
    bounds = np.where(is_settled, best, score) * ROUNDING
    return GoalBounds(shares, bounds)
