"""What communities are made of, and what is remembered of them from one time to the next.

``partition_job`` finds them, in a process of its own. This module prepares the job, and imports
nothing heavy, so the indexer can load it.
"""

import hashlib
from collections.abc import Sequence

import numpy as np
from msgspec import Struct, field

from clew.index.graph import ConceptGraph
from clew.index.graph_rows import sorted_rows
from clew.values.communities import EdgeWeights, Partition
from clew.values.packing import Unpacker, pack

FIRST_ID = 1
DIVISION = 1  # to be raised when the same rows would be divided, or told of, in another way


class Rows(Struct, frozen=True, array_like=True):
    """Who stands with whom: notes as rows of concepts, a function of the notes alone."""

    names: tuple[str, ...]  # of the concepts, sorted
    lengths: bytes  # of the rows, int32
    cells: bytes  # places of concepts in ``names``, row after row, int32
    weights: EdgeWeights


class Remembered(Struct, frozen=True, array_like=True):
    """The communities there were last, and of which rows."""

    digest: str = ""  # of the rows
    partition: Partition = field(default_factory=Partition)
    next_id: int = FIRST_ID  # what no community was called so far


class Job(Struct, frozen=True, array_like=True):
    """All that making communities takes; ``ids`` and ``sizes`` are of those there were before."""

    rows: Rows
    ids: bytes  # by place in the names, int32; 0 for none
    sizes: dict[int, int]  # by id
    next_id: int


unpack_job: Unpacker[Job] = Unpacker(Job)
unpack_remembered: Unpacker[Remembered] = Unpacker(Remembered)


def rows_of(
    graph: ConceptGraph, weights: EdgeWeights, max_concepts: int
) -> tuple[Rows, tuple[str, ...]]:
    """Return the rows that make communities, and the paths of notes left out for their length."""
    names, paths, lengths, cells = sorted_rows(graph)
    is_kept = lengths <= max_concepts
    rows = Rows(
        names=tuple(names),
        lengths=lengths[is_kept].astype("<i4").tobytes(),
        cells=cells[np.repeat(is_kept, lengths)].astype("<i4").tobytes(),
        weights=weights,
    )
    return rows, tuple(_chosen(paths, ~is_kept))


def _chosen(paths: Sequence[str], chosen: "np.typing.NDArray[np.bool_]") -> list[str]:
    return [paths[place] for place in np.flatnonzero(chosen).tolist()]


def digest_of(rows: Rows) -> str:
    """Return what tells these rows from others, and this way to divide them from others."""
    return hashlib.sha256(pack((DIVISION, rows))).hexdigest()


def job_for(rows: Rows, before: Remembered) -> Job:
    """Return the work of finding the communities of ``rows``, known by the ids of those before."""
    communities = before.partition.communities
    known = {name: community.id for community in communities for name in community.members}
    ids = np.array([known.get(name, 0) for name in rows.names], dtype="<i4")
    sizes = {community.id: len(community.members) for community in communities}
    return Job(rows, ids.tobytes(), sizes, before.next_id)
