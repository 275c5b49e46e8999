"""The best path of two steps between two concepts that share no note.

Its score is the product of the shares of its steps, as in ``paths``: with w(a, b) for the weight of
a step and S(a) for the summed weight of the steps from a, a path from a over b to c has the score
w(a, b) / S(a) * w(b, c) / S(b). Steps that only lists carry are left out.
"""

import numpy as np

from clew.engine.snapshot import Snapshot


def concept_between(snapshot: Snapshot, start: int, goal: int, now_s: float) -> int | None:
    """Return the concept over which the best path leads, ``None`` if there is no path.

    Of equally good paths, that over the first name is the best.
    """
    first = snapshot.steps_beside_lists(start, now_s)
    last = snapshot.steps_beside_lists(goal, now_s)
    ids, at_first, at_last = np.intersect1d(
        first.ids, last.ids, assume_unique=True, return_indices=True
    )
    weights = first.scores[at_first] * last.scores[at_last]
    ids, weights = ids[weights > 0.0], weights[weights > 0.0]
    if not len(ids):
        return None
    scores = weights / snapshot.step_strengths(now_s)[ids]  # S(a) is the same for all paths
    best: list[int] = ids[scores == scores.max()].tolist()
    return min(best, key=snapshot.graph.name)
