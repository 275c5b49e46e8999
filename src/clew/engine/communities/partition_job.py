"""The partition job: the input of a search for communities, and the result to save.

``run_partition`` runs a job, in a process of its own, since that takes seconds. This module imports
nothing slow, so the indexer can load it.
"""

import hashlib

import numpy as np
from msgspec import Struct, field

from clew.index.graph import ConceptGraph
from clew.index.graph_rows import sorted_rows
from clew.values.communities import EdgeWeights, Partition
from clew.values.packing import Unpacker, pack

FIRST_ID = 1
# Part of the digest: raise it when equal rows would give another partition or another result.
ALGORITHM_VERSION = 4


class Rows(Struct, frozen=True, array_like=True):
    """The concepts of each note; equal notes give equal rows, whatever was edited before."""

    names: tuple[str, ...]  # names of the concepts, sorted
    lengths: bytes  # lengths of the rows, int32
    cells: bytes  # indexes into ``names``, row after row, int32
    weights: EdgeWeights


class SavedCommunities(Struct, frozen=True, array_like=True):
    """The latest partition, and the digest of the rows it was made from."""

    digest: str = ""
    partition: Partition = field(default_factory=Partition)
    next_id: int = FIRST_ID  # the lowest community id that was never used


class Job(Struct, frozen=True, array_like=True):
    """The rows to partition, and the earlier communities, whose ids carry over."""

    rows: Rows
    earlier_ids: bytes  # by concept: the id of its earlier community or 0, int32
    earlier_sizes: dict[int, int]  # by earlier id: the number of members
    next_id: int


unpack_job: Unpacker[Job] = Unpacker(Job)
unpack_saved_communities: Unpacker[SavedCommunities] = Unpacker(SavedCommunities)


def rows_to_partition(
    graph: ConceptGraph, weights: EdgeWeights, concepts_max: int
) -> tuple[Rows, tuple[str, ...]]:
    """Return the rows to partition, and the paths of notes left out for too many concepts."""
    names, paths, lengths, cells = sorted_rows(graph)
    is_kept = lengths <= concepts_max
    rows = Rows(
        names=tuple(names),
        lengths=lengths[is_kept].astype("<i4").tobytes(),
        cells=cells[np.repeat(is_kept, lengths)].astype("<i4").tobytes(),
        weights=weights,
    )
    return rows, tuple(paths[index] for index in np.flatnonzero(~is_kept).tolist())


def rows_digest(rows: Rows) -> str:
    """Return the sha256 of the rows and of ``ALGORITHM_VERSION``."""
    return hashlib.sha256(pack((ALGORITHM_VERSION, rows))).hexdigest()


def new_job(rows: Rows, earlier: SavedCommunities) -> Job:
    """Return the job that partitions ``rows`` and carries over the ids of ``earlier``."""
    communities = earlier.partition.communities
    id_by_name = {name: community.id for community in communities for name in community.members}
    earlier_ids = np.array([id_by_name.get(name, 0) for name in rows.names], dtype="<i4")
    earlier_sizes = {community.id: len(community.members) for community in communities}
    return Job(rows, earlier_ids.tobytes(), earlier_sizes, earlier.next_id)
