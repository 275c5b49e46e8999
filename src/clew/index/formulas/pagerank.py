"""PageRank of notes and concepts, over links in both directions.

Mass is counted in whole units, so every sum is exact and ranks depend on the graph alone, not on
the order of its links or the numbers of its nodes.

Source: Page, Brin, Motwani, Winograd, "The PageRank Citation Ranking: Bringing Order to the Web",
Stanford InfoLab, 1999.
"""

from dataclasses import dataclass

import numpy as np

from clew.values.arrays import BoolArray, Float64Array, Int64Array

DAMPING = 0.85  # share of mass that follows links at each step
STEPS = 20
_UNITS = 2.0**50  # total mass; sums up to this are exact in float64


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """An undirected graph: rows of neighbours for nodes 0, 1, 2 ...; later nodes have no row."""

    is_node: BoolArray  # by node number; some numbers are unused
    lengths: Int64Array  # of the rows, by node number
    targets: Int64Array  # node numbers, row after row; no node is in its own row


def pagerank(links: Links) -> Float64Array:
    """Return the final share of mass of each node; 0.0 for unused numbers.

    Makes ``STEPS`` steps of ``x = (1 - d) / n + d * (A D^-1 x + dangling / n)`` from equal shares,
    where ``dangling`` is the mass of nodes without links. Works in units of 2**-50; mass lost by
    rounding down is spread over all nodes. The shares add up to 1, less at most ``n`` units.
    """
    count = int(np.count_nonzero(links.is_node))
    if not count:
        return np.zeros(len(links.is_node))
    lengths, targets = links.lengths, links.targets
    row_count = len(lengths)
    degrees = np.bincount(targets, minlength=len(links.is_node)).astype(np.float64)
    degrees[:row_count] += lengths
    rows = np.flatnonzero(lengths)
    starts = (np.cumsum(lengths) - lengths)[rows]
    factors = np.zeros(len(degrees))
    np.divide(DAMPING, degrees, out=factors, where=degrees > 0)
    mass = np.where(links.is_node, np.floor(_UNITS / count), 0.0)
    for _ in range(STEPS):
        sent_mass = np.floor(mass * factors)  # by node: the mass it sends along each of its links
        arriving = np.zeros(len(mass))
        if len(rows):
            sent = np.repeat(sent_mass[:row_count], lengths)
            arriving += np.bincount(targets, sent, len(mass))
            arriving[rows] += np.add.reduceat(sent_mass[targets], starts)
        spread = np.floor((_UNITS - arriving.sum()) / count)
        mass = np.where(links.is_node, arriving + spread, 0.0)
    return mass / _UNITS


def importance(ranks: Float64Array) -> Float64Array:
    """Return ranks scaled to 0..1, so that the largest is 1.0.

    The formula is ``ln(1 + rank / mean) / ln(1 + largest / mean)``. Few nodes hold most of the
    mass; on a linear scale all others would be close to 0.
    """
    count = int(np.count_nonzero(ranks))
    if not count:
        return np.zeros(len(ranks))
    relative: Float64Array = np.log1p(ranks * count)
    relative /= relative.max()
    return relative
