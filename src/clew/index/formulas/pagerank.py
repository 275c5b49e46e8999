"""PageRank: which notes and concepts most others lead to, over links that go both ways.

Mass is counted in whole units, so every sum is exact and the ranks follow from the graph alone:
neither the order of its links nor the numbers of its nodes play a part.

Source: Page, Brin, Motwani, Winograd, "The PageRank Citation Ranking: Bringing Order to the Web",
Stanford InfoLab, 1999.
"""

from dataclasses import dataclass

import numpy as np

from clew.values.arrays import BoolArray, Float64Array, Int64Array

DAMPING = 0.85  # the share of mass that walks on at each step
STEPS = 20
_UNITS = 2.0**50  # of mass in all: sums of so many stay exact in float64


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """A graph as rows: the first nodes have one each, of the nodes they are linked with."""

    is_node: BoolArray  # by number; some numbers are of none
    lengths: Int64Array  # of each row
    targets: Int64Array  # row after row; none is the node of its own row

    def equals(self, other: "Links") -> bool:
        """Tell whether these are the same links between the same nodes."""
        return (
            np.array_equal(self.is_node, other.is_node)
            and np.array_equal(self.lengths, other.lengths)
            and np.array_equal(self.targets, other.targets)
        )


def pagerank(links: Links) -> Float64Array:
    """Return the share of all mass that each node holds in the end; 0.0 for numbers of no node.

    ``STEPS`` steps of ``x = (1 - d) / n + d * (A D^-1 x + what nodes without links hold / n)`` from
    equal shares, in units of 2**-50, what is lost by rounding down spread over all alike. The
    shares add up to 1 but for ``n`` units at most.
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
        shares = np.floor(mass * factors)
        arriving = np.zeros(len(mass))
        if len(rows):
            sent = np.repeat(shares[:row_count], lengths)
            arriving += np.bincount(targets, sent, len(mass))
            arriving[rows] += np.add.reduceat(shares[targets], starts)
        rest = np.floor((_UNITS - arriving.sum()) / count)
        mass = np.where(links.is_node, arriving + rest, 0.0)
    return mass / _UNITS


def importance(ranks: Float64Array) -> Float64Array:
    """Return ranks as numbers from 0 to 1 of which the largest is 1.0; order is kept.

    ``ln(1 + rank / mean) / ln(1 + largest / mean)``, the mean over nodes: few nodes hold most of
    the mass, and as shares all others would hardly differ from 0.
    """
    count = int(np.count_nonzero(ranks))
    if not count:
        return np.zeros(len(ranks))
    relative: Float64Array = np.log1p(ranks * count)
    relative /= relative.max()
    return relative
