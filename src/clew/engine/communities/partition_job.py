"""Making communities: from rows of concepts to named groups. Slow, for a process of its own."""

import numpy as np

from clew.engine.communities.partition import Job, Remembered, digest_of
from clew.index.leiden import carry_over_ids, modularity, partition, strengths, weighted_edges
from clew.values.arrays import Float64Array, Int64Array
from clew.values.communities import Community, Partition

CENTRAL_MAX = 10
BRIDGES_MAX = 5


def divided(job: Job) -> Remembered:
    """Return the communities of a job's rows, largest first, then by their first name."""
    names = job.rows.names
    cells, lengths, before = (
        np.frombuffer(part, "<i4").astype(np.int64)
        for part in (job.rows.cells, job.rows.lengths, job.ids)
    )
    edges = weighted_edges(cells, lengths, len(names), job.rows.weights)
    membership = partition(edges)
    ids = carry_over_ids(membership, before, job.sizes, job.next_id)
    within, beyond = strengths(edges, membership)
    communities = []
    for group, community_id in enumerate(ids):
        members = np.flatnonzero(membership == group)
        communities.append(
            Community(
                id=community_id,
                members=tuple(names[place] for place in members.tolist()),
                central=tuple(names[place] for place in _strongest(members, within, CENTRAL_MAX)),
                bridges=tuple(names[place] for place in _strongest(members, beyond, BRIDGES_MAX)),
            )
        )
    return Remembered(
        digest=digest_of(job.rows),
        partition=Partition(tuple(communities), modularity(edges, membership)),
        next_id=max([job.next_id, *(community_id + 1 for community_id in ids)]),
    )


def _strongest(members: Int64Array, strength: Float64Array, most: int) -> list[int]:
    """Return the members of the greatest strength, above 0 alone; equals by name."""
    order = np.lexsort((members, -strength[members]))[:most]
    chosen: list[int] = members[order][strength[members[order]] > 0].tolist()
    return chosen
