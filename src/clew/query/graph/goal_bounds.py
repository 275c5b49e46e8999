"""Upper bounds for the score of any path from a concept to a goal.

The score of a path is the product of the shares of its steps, each at most 1. So Dijkstra's
algorithm, run backwards from the goal, finds the best score from each concept to the goal, highest
first: once a concept is settled, its score is exact, and no concept that is not settled yet has a
better one than the best of the rest. After ``SETTLED_MAX`` concepts the search stops, and that best
of the rest bounds all others.

The bounds do not count steps: a path of few steps may score less.

Where only the best path from one start is asked for, the search stops sooner. Every path takes a
first step from the start, so none that steps to a concept which is not settled scores more than the
largest share of such a step times the best of the rest. Once that is below the score of a path that
was met, the best path steps to a settled concept.

Source: E. W. Dijkstra, "A note on two problems in connexion with graphs", 1959; as a bound for a
search in the other direction: I. Pohl, "Bi-directional search", 1971.
"""

from dataclasses import dataclass

import numpy as np

from clew.engine.snapshot import Snapshot, StepsFrom
from clew.query.slices import PAUSE, Slices
from clew.values.arrays import BoolArray, Float64Array

SETTLED_MAX = 64
LOOKED_EVERY = 8  # concepts settled: whether the best path is known already
ROUNDING = 1.0 + 1e-9  # the shares of a path may be multiplied in another order


@dataclass(frozen=True, slots=True)
class GoalBounds:
    """What is known of the paths to a goal; the arrays are by concept id."""

    shares: Float64Array  # of the step to the goal; 0.0 if there is none
    bounds: Float64Array  # no path to the goal has a higher score; 0.0 if there is none
    two: Float64Array  # the same for paths of at most two steps
    met: float = 0.0  # a path from the start that was asked for scores at least as much

    def within(self, hops: int) -> Float64Array:
        """Return the bounds for paths of at most so many steps to the goal."""
        return (self.shares, self.two)[hops - 1] if hops <= 2 else self.bounds


@dataclass(frozen=True, slots=True)
class Start:
    """The concept from which the best path is asked for."""

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

    ``steps_from``: the steps that paths may take, the same in both directions. ``start``: the
    bounds need only be enough to find the best path from it.
    """
    strengths = snapshot.step_strengths(now_s)
    best = np.zeros(snapshot.graph.concept_slots)  # the best score found, by concept
    rest = best.copy()  # the same without settled concepts
    is_settled = np.zeros(len(best), np.bool_)
    near = _StepsOf(start, steps_from, now_s, len(best)) if start else None
    shares = best
    concept, score, met = goal, 1.0, 0.0
    for count in range(SETTLED_MAX):
        is_settled[concept] = True
        rest[concept] = 0.0
        if near is not None and concept == near.start.concept:
            break
        onward = steps_from(concept, now_s)
        is_open = ~is_settled[onward.ids] & (onward.scores > 0.0)
        ids = onward.ids[is_open]
        steps = score * (onward.scores[is_open] / strengths[ids])
        is_better = steps > best[ids]
        ids, steps = ids[is_better], steps[is_better]
        best[ids] = rest[ids] = steps
        if concept == goal:
            shares = best.copy()
        yield PAUSE
        if near is not None:
            near.hops[ids] = near.hops[concept] + 1
        concept = int(rest.argmax())
        score = float(rest[concept])
        if score == 0.0:
            break
        if near is not None and count % LOOKED_EVERY == 0:
            met = max(met, near.met(best))
            if near.share_max(is_settled) * score < met:
                break
    # A concept that is not settled may still be reached by a path that was not followed.
    bounds = np.where(is_settled, best, score) * ROUNDING
    return GoalBounds(shares, bounds, bounds, met / ROUNDING)


class _StepsOf:
    """The steps from the start, beside what is known of the paths from where they lead."""

    def __init__(
        self, start: Start, steps_from: StepsFrom, now_s: float, concept_slots: int
    ) -> None:
        self.start = start
        steps = steps_from(start.concept, now_s)
        self._ids = steps.ids
        self._shares = steps.scores / (steps.strength or 1.0)
        self.hops = np.zeros(concept_slots, np.int64)  # to the goal, of the best path found

    def met(self, best: Float64Array) -> float:
        """Return the best score of a path to the goal with few enough steps, as far as known."""
        scores = self._shares * best[self._ids]
        scores[self.hops[self._ids] >= self.start.hops_max] = 0.0
        return float(scores.max(initial=0.0))

    def share_max(self, is_settled: BoolArray) -> float:
        """Return the largest share of a step to a concept that is not settled."""
        return float(self._shares[~is_settled[self._ids]].max(initial=0.0))
