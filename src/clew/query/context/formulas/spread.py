"""Evidence of pieces of a passage, of which each piece gives a share to its neighbours."""

from collections.abc import Sequence

REACH = 3  # neighbours whose evidence counts
SPREAD = 0.5  # share of a piece's evidence that its neighbour gets

_SPREADS = [SPREAD**distance for distance in range(REACH + 1)]


def spread_evidence(weights: Sequence[float], rows: Sequence[bool]) -> list[float]:
    """Return the evidence of pieces whose own terms have these weights.

    A row of a table gets nothing from the rows beside it, nor from text with pieces between.
    """
    spread = [0.0] * len(weights)
    for at, weight in enumerate(weights):
        if weight:  # few pieces have any
            for index in range(max(0, at - REACH), min(len(weights), at + REACH + 1)):
                is_near = index == at or (abs(at - index) == 1 and not rows[at])
                if is_near or not rows[index]:
                    spread[index] = max(spread[index], weight * _SPREADS[abs(at - index)])
    return spread
