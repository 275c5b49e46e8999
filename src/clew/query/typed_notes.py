"""The notes of some types, such as those that state preferences."""

from collections.abc import Iterable

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.slices import PAUSE, SLICE_ROWS, Slices


def paths_of_types(snapshot: Snapshot, types: Iterable[str]) -> Slices[frozenset[str]]:
    """Return the paths of the notes of these types; ``types``: as ``kind_name`` writes them."""
    graph, fields = snapshot.graph, snapshot.fields
    is_of_any = np.logical_or.reduce([fields.of_kind("type", each) for each in types])
    note_ids = np.flatnonzero(graph.is_live & is_of_any).tolist()
    paths: set[str] = set()
    for start in range(0, len(note_ids), SLICE_ROWS):
        paths.update(map(graph.path, note_ids[start : start + SLICE_ROWS]))
        yield PAUSE
    return frozenset(paths)
