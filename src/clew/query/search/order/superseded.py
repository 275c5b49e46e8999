"""Rank live notes above the notes that they replace, and bring in those that no leg found."""

from dataclasses import replace

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.search.finding.judged import Judged
from clew.query.search.fusion import SCORE_STEP
from clew.query.slices import PAUSE, SLICE_ROWS, Slices
from clew.query.successors import live_paths
from clew.values.arrays import BoolArray, Int64Array
from clew.values.replies import SCORE_DECIMALS


def replaced_notes(snapshot: Snapshot, note_ids: Int64Array) -> Slices[list[tuple[int, list[int]]]]:
    """Return those of these notes that are superseded, each with its live notes, by id."""
    index, graph = snapshot.successors, snapshot.graph
    if index.is_empty:
        return []
    is_asked = np.zeros(graph.note_slots, np.bool_)
    is_asked[note_ids] = True
    # Loop over the smaller set: the notes asked for, or all superseded ones.
    is_few = len(note_ids) < len(index.replaced)
    paths = map(graph.path, note_ids.tolist()) if is_few else iter(index.replaced)
    found: list[tuple[int, list[int]]] = []
    for number, path in enumerate(paths):
        if number % SLICE_ROWS == SLICE_ROWS - 1:
            yield PAUSE
        note_id = graph.note_ids[path]
        if is_asked[note_id] and index.is_replaced(path):
            live = [graph.note_ids[each] for each in live_paths(snapshot, path)]
            found.append((note_id, live))
    return sorted(found)


def with_live_above(
    snapshot: Snapshot, judged: Judged, may_enter: BoolArray | None
) -> Slices[Judged]:
    """Return hits in which each live note is ranked above the admitted notes that it replaces.

    A live note that is no admitted hit is brought in if ``may_enter``, by note id, allows it;
    ``None``: all are allowed.
    """
    admitted = judged.admission.of(judged.note_ids)
    replaced = yield from replaced_notes(snapshot, admitted)
    if not any(live for _, live in replaced):
        return judged
    order, confidences = judged.order.copy(), judged.admission.confidences.copy()
    brought_in = set[int]()
    for old, live in replaced:
        for note_id in live:
            if confidences[note_id] <= 0:
                if may_enter is not None and not may_enter[note_id]:
                    continue
                brought_in.add(note_id)
            order[note_id] = max(order[note_id], _above(float(order[old]), judged))
            confidences[note_id] = max(confidences[note_id], confidences[old])
    brought = np.array(sorted(brought_in), np.int64)
    return replace(
        judged,
        note_ids=np.union1d(judged.note_ids, brought),
        order=order,
        scores=order if judged.scores is judged.order else judged.scores,
        admission=replace(judged.admission, confidences=confidences),
        brought_in=brought,
    )


def _above(value: float, judged: Judged) -> float:
    """Return the least value that ranks higher; a list by date has values that are not rounded."""
    if judged.scores is judged.order:
        return round(value + SCORE_STEP, SCORE_DECIMALS)
    return float(np.nextafter(value, np.inf))
