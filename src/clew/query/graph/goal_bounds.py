"""Upper bounds for the score of any path from a concept to a goal.

The score of a path is the product of the shares of its steps, each at most 1. So Dijkstra's
algorithm, run backwards from the goal, finds the best score from each concept to the goal, highest
first: once a concept is settled, its score is exact, and no concept that is not settled yet has a
better one than the best of the rest. After ``SETTLED_MAX`` concepts the search stops, and that best
of the rest bounds all others.

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
_ROUNDING = 1.0 + 1e-9  # the shares of a path may be multiplied in another order


@dataclass(frozen=True, slots=True)
class GoalBounds:
    """What is known of the paths to a goal; both arrays are by concept id."""

    shares: Float64Array  # of the step to the goal; 0.0 if there is none
    bounds: Float64Array  # no path to the goal has a higher score; 0.0 if there is none


def goal_bounds(
    snapshot: Snapshot,
    now_s: float,
    goal: int,
    steps_from: StepsFrom,
    until: int | None = None,
) -> Slices[GoalBounds]:
    """Return the bounds for paths to the concept ``goal``, with weights at ``now_s``.

    ``steps_from``: the steps that paths may take, the same in both directions. ``until``: a concept
    that is settled last; its bound is exact then, and those of the others are enough to find the
    best path from it.
    """
    strengths = snapshot.step_strengths(now_s)
    best = np.zeros(snapshot.graph.concept_slots)  # the best score found, by concept
    rest = best.copy()  # the same without settled concepts
    is_settled = np.zeros(len(best), np.bool_)
    shares = best
    concept, score = goal, 1.0
    for _ in range(SETTLED_MAX):
        is_settled[concept] = True
        rest[concept] = 0.0
        if concept == until:
            break
        onward = steps_from(concept, now_s)
        is_open = ~is_settled[onward.ids] & (onward.scores > 0.0)
        ids = onward.ids[is_open]
        steps = score * (onward.scores[is_open] / strengths[ids])
        best[ids] = np.maximum(best[ids], steps)
        rest[ids] = best[ids]
        if concept == goal:
            shares = best.copy()
        yield PAUSE
        concept = int(rest.argmax())
        score = float(rest[concept])
        if score == 0.0:
            break
    # A concept that is not settled may still be reached by a path that was not followed.
    return GoalBounds(shares, np.where(is_settled, best, score) * _ROUNDING)
