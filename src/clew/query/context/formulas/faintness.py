"""Which passages are too faint for a pack: they would fill it, and not help to answer the query.

A passage is too faint if it is much less relevant than the best, says little of the query, and no
clear one links to it. In a small vault most of what is found is so. More is too faint where a
passage about as relevant as the best says all of the query, as with "Jaccard index": what only has
"index" helps no more.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple


class Bounds(NamedTuple):
    """Below both, a passage is too faint."""

    relevance: float  # as a share of the highest
    terms: float  # how much of the query it says, by weight, 0..1


FAINT = Bounds(0.06, 0.25)
FAINT_BESIDE_COMPLETE = Bounds(0.2, 0.6)
COMPLETE = Bounds(0.5, 0.95)  # a passage that reaches both says all that was asked


def faint_passages(
    relevances: Sequence[float],
    said: Sequence[float],
    linked: Mapping[int, Mapping[int, float]],
) -> AbstractSet[int]:
    """Return the indexes of the passages that are too faint.

    ``relevances``: as ranked, 0 or more. ``said``: the share of the query that each says, by
    weight, 0..1. ``linked``: the indexes of the passages that each one links to.
    """
    highest = max(relevances, default=0.0)
    is_complete = any(
        relevance >= COMPLETE.relevance * highest and share >= COMPLETE.terms
        for relevance, share in zip(relevances, said, strict=True)
    )
    bounds = FAINT_BESIDE_COMPLETE if is_complete else FAINT
    least = bounds.relevance * highest
    clear = {index for index, relevance in enumerate(relevances) if relevance >= least}
    clear.update(target for source in frozenset(clear) for target in linked.get(source, ()))
    return {
        index for index, share in enumerate(said) if index not in clear and share < bounds.terms
    }
