"""Relevance of passages beside each other: what a passage adds to those before it counts more.

Passages are taken greedily by

    relevance ** .7 + .5 * (sum over its terms of weight * .3 ** uses so far) / (sum of all weights)

where uses are passages taken before that have the term. So the tenth note with the same two words
of a question stands behind a first one with its other words, which a question that needs several
notes depends on. The power keeps the order of search, but flattens its scores, which fall steeply
from one rank to the next. The sum is submodular: Lin, Bilmes, "A class of submodular functions for
document summarization", ACL 2011; the terms are the aspects of Santos et al., "Exploiting query
reformulations for web search result diversification", WWW 2010.
"""

import heapq
from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

FLATTENING = 0.7
COVERAGE = 0.5
REPEATED = 0.3

Term = int


def covering_relevance(
    relevances: Sequence[float], terms: Sequence[AbstractSet[Term]], weights: Sequence[float]
) -> list[float]:
    """Return the relevance of each passage when it is taken, as a share of the highest.

    ``relevances``: in [0, 1]. ``terms``: those that each passage has, as indexes of ``weights``.
    """
    total = sum(weights) or 1.0
    uses: Counter[Term] = Counter()

    def gain(index: int) -> float:
        new = sum(weights[term] * REPEATED ** uses[term] for term in sorted(terms[index]))
        return float(relevances[index] ** FLATTENING + COVERAGE * new / total)

    # A gain only falls as passages are taken, so the highest is found by computing a few anew.
    waiting = [(-gain(index), index) for index in range(len(relevances))]
    heapq.heapify(waiting)
    gains = [0.0] * len(relevances)
    while waiting:
        index = waiting[0][1]
        now = gain(index)
        if -now > waiting[0][0]:
            heapq.heapreplace(waiting, (-now, index))
            continue
        heapq.heappop(waiting)
        gains[index] = now
        uses.update(terms[index])
    highest = max(gains, default=0.0) or 1.0
    return [each / highest for each in gains]
