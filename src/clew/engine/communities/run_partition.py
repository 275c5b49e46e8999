"""Run a partition job: rows of concepts become communities. Takes seconds on a large vault.

Imports igraph and leidenalg, so only the partition process may import this module.
"""

import numpy as np

from clew.engine.communities.partition_job import Job, SavedCommunities, rows_digest
from clew.index.formulas.community_edges import community_edges
from clew.index.formulas.leiden import carry_over_ids, partition
from clew.index.formulas.weighted_rows import modularity, strengths, weighted_rows
from clew.values.arrays import Float64Array, Int64Array
from clew.values.communities import Community, Partition

CENTRAL_MAX = 10
BRIDGES_MAX = 5


def run_job(job: Job) -> SavedCommunities:
    """Return the communities of a job's rows, sorted by falling size, then by first member."""
    names = job.rows.names
    cells, lengths, earlier_ids = map(
        _integers, (job.rows.cells, job.rows.lengths, job.earlier_ids)
    )
    rows = weighted_rows(cells, lengths, len(names), job.rows.weights)
    membership = partition(community_edges(rows))
    ids = carry_over_ids(membership, earlier_ids, job.earlier_sizes, job.next_id)
    within, beyond = strengths(rows, membership)
    communities = tuple(
        _community(community_id, np.flatnonzero(membership == group), names, within, beyond)
        for group, community_id in enumerate(ids)
    )
    return SavedCommunities(
        digest=rows_digest(job.rows),
        partition=Partition(communities, modularity(rows, membership)),
        next_id=max([job.next_id, *(community_id + 1 for community_id in ids)]),
    )


def _integers(data: bytes) -> Int64Array:
    return np.frombuffer(data, "<i4").astype(np.int64)


def _community(
    community_id: int,
    members: Int64Array,
    names: tuple[str, ...],
    within: Float64Array,
    beyond: Float64Array,
) -> Community:
    """Return a community; ``within`` and ``beyond`` are the strengths by concept."""
    return Community(
        id=community_id,
        members=tuple(names[member] for member in members.tolist()),
        central=tuple(names[member] for member in _strongest(members, within, CENTRAL_MAX)),
        bridges=tuple(names[member] for member in _strongest(members, beyond, BRIDGES_MAX)),
    )


def _strongest(members: Int64Array, strength: Float64Array, count_max: int) -> list[int]:
    """Return up to ``count_max`` members with the highest strengths above 0; ties by name."""
    order = np.lexsort((members, -strength[members]))[:count_max]
    strongest: list[int] = members[order][strength[members[order]] > 0].tolist()
    return strongest
