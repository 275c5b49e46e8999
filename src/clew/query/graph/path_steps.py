"""The steps by which a search for paths goes on from a concept: most often a few of them.

A hub of a large vault has tens of thousands of neighbours, and finding them takes milliseconds. Its
first steps are kept (``Snapshot.first_steps``), and those to concepts near the goal are known from
there (``GoalBounds.steps_to_settled``). No other step has a larger share than the last of the first
ones, nor leads to a concept with a higher bound than ``GoalBounds.open_bound``. So the others are
only found if a path by them may be among the best.
"""

from typing import NamedTuple

import numpy as np

from clew.engine.snapshot import Snapshot, StepsFrom
from clew.index.structures.id_sums import are_among
from clew.query.graph.goal_bounds import GoalBounds
from clew.values.arrays import Float64Array, Int32Array


class Steps(NamedTuple):
    """Steps from one concept, in no order."""

    ids: Int32Array  # of the concepts to which they lead
    scores: Float64Array  # their weights
    strength: float  # the summed weights of all steps from the concept


class PathSteps:
    """The steps from concepts at one moment, for paths to one goal."""

    def __init__(
        self, snapshot: Snapshot, now_s: float, bounds: GoalBounds, *, beside_lists: bool
    ) -> None:
        """``beside_lists``: without steps that only lists carry."""
        first = snapshot.first_steps_beside_lists if beside_lists else snapshot.first_steps
        self._first_from = first
        self._whole_from = whole_steps(snapshot, beside_lists=beside_lists)
        self._now_s, self._bounds = now_s, bounds

    def first(self, concept: int) -> tuple[Steps, float]:
        """Return steps from ``concept``, and a bound for paths by its other steps to the goal.

        The bound is 0.0 if there are no others.
        """
        first = self._first_from(concept, self._now_s)
        ids, scores, others_bound = first.ids, first.scores, 0.0
        if not first.is_whole:
            others_bound = float(scores[-1]) / first.strength * self._bounds.open_bound
            settled_ids, settled_scores = self._bounds.steps_to_settled(concept)
            is_new = ~are_among(settled_ids, ids)
            ids = np.concatenate((ids, settled_ids[is_new]))
            scores = np.concatenate((scores, settled_scores[is_new]))
        return Steps(ids, scores, first.strength), others_bound

    def others(self, concept: int) -> Steps:
        """Return the steps from ``concept`` that are not in ``first``."""
        whole = self._whole_from(concept, self._now_s)
        is_other = ~are_among(whole.ids, self.first(concept)[0].ids)
        return Steps(whole.ids[is_other], whole.scores[is_other], whole.strength)


def whole_steps(snapshot: Snapshot, *, beside_lists: bool) -> StepsFrom:
    """Return the function that finds all steps from a concept; see ``PathSteps``."""
    return snapshot.steps_beside_lists if beside_lists else snapshot.steps
