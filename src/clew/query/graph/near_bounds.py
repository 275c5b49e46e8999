"""Upper bounds for paths of at most four steps between two concepts with few neighbours.

Paths of one and two steps to the goal are scored exactly: the steps from the neighbours of the goal
are read at once. That leaves the first step and the second. With S(u) for the summed weight of the
steps from u and w(u, x) for the weight of one, a path from u over x has at most the score

    w(u, x) / S(u) * two(x) <= min(max two(x), max S(x) * two(x) / S(u))

where two(x) is the best score of at most two steps from x, since w(u, x) is at most S(x). So a hub,
whose S(u) is large, is seldom worth a look.
"""

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.graph_rows import incidence
from clew.query.graph.goal_bounds import ROUNDING, GoalBounds, Start
from clew.query.slices import PAUSE, Slices
from clew.values.arrays import Float64Array, Int32Array, Int64Array

HOPS_MAX = 4
NEIGHBOURS_MAX = 128  # of either end
HUB_NOTES = 24  # of a concept whose steps are read by themselves, since they are likely known


def near_bounds(
    snapshot: Snapshot, now_s: float, start: Start, goal: int, *, beside_lists: bool
) -> Slices[GoalBounds | None]:
    """Return bounds for the best path from ``start``; ``None`` if an end has many neighbours.

    ``beside_lists``: without steps that only lists carry.
    """
    steps_from = snapshot.steps_beside_lists if beside_lists else snapshot.steps
    first, last = steps_from(start.concept, now_s), steps_from(goal, now_s)
    has_many = max(len(first.ids), len(last.ids)) > NEIGHBOURS_MAX
    if has_many or start.hops_max > HOPS_MAX:
        return None
    strengths = np.maximum(snapshot.step_strengths(now_s), np.finfo(np.float64).tiny)
    one = np.zeros(len(strengths))
    one[last.ids] = last.scores / strengths[last.ids]
    two = one.copy()
    is_hub = snapshot.graph.note_counts[last.ids] > HUB_NOTES
    is_between = last.ids != start.concept
    for hub in last.ids[is_hub & is_between].tolist():
        steps = steps_from(hub, now_s)
        scores = steps.scores * one[hub] / strengths[steps.ids]
        two[steps.ids] = np.maximum(two[steps.ids], scores)
        yield PAUSE
    others = last.ids[~is_hub & is_between]
    ids, leads_to, weights = _steps_to(snapshot, now_s, others, beside_lists=beside_lists)
    np.maximum.at(two, ids, weights * one[leads_to] / strengths[ids])
    two[goal] = 0.0
    yield PAUSE
    shares = first.scores / (first.strength or 1.0)
    met = float((shares * (one if start.hops_max == 2 else two)[first.ids]).max(initial=0.0))
    most = min(float(two.max(initial=0.0)), 1.0)
    three = np.maximum(two, np.minimum(most, (strengths * two).max(initial=0.0) / strengths))
    three[start.concept] = 1.0 if len(first.ids) and len(last.ids) else 0.0
    return GoalBounds(one, three * ROUNDING, two * ROUNDING, met / ROUNDING)


def _steps_to(
    snapshot: Snapshot, now_s: float, concepts: Int32Array, *, beside_lists: bool
) -> tuple[Int64Array, Int32Array, Float64Array]:
    """Return all steps to any of ``concepts``: from where, to which one, and their weights."""
    graph, around = snapshot.graph, snapshot.around
    indexes, notes = incidence(graph, concepts)
    ids, lengths = graph.concepts_of_notes(notes)
    keys = np.repeat(indexes, lengths) * graph.concept_slots + ids
    distinct, places = np.unique(keys, return_inverse=True)
    weights = np.bincount(places, np.repeat(around.step_weights(now_s)[notes], lengths))
    if beside_lists:
        carried = np.bincount(places, np.repeat(~around.is_list[notes], lengths))
        distinct, weights = distinct[carried > 0], weights[carried > 0]
    indexes, ids = np.divmod(distinct, graph.concept_slots)
    leads_to = concepts[indexes]
    is_step = ids != leads_to
    return ids[is_step], leads_to[is_step], weights[is_step].astype(np.float64)
