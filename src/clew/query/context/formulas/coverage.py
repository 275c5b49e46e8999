"""Relevance of passages given those before them: a passage counts more for what it adds.

Passages are taken greedily by

    relevance ** .7 + .5 * (sum over its terms of weight * .3 ** uses so far) / (sum of all weights)
    + .25 * (the highest relevance / sqrt(links) of the passages taken before that link to it)

but at most the value of the passage before it. Uses are the passages taken before that have the
term, in their text or above it; links are all that a passage links to or mentions. So the tenth
note with the same two words of a question comes after the first one with its other words, as a
question may need several notes. It also comes after a note that a better passage links to, which
often has the answer without any word of the question. The power keeps the order of search, but
flattens its scores, which fall steeply from one rank to the next. The sum over terms is submodular:
Lin, Bilmes, "A class of submodular functions for document summarization", ACL 2011; the terms are
the aspects of Santos et al., "Exploiting query reformulations for web search result
diversification", WWW 2010.
"""

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import inf

FLATTENING = 0.7
COVERAGE = 0.5
REPEATED = 0.3
LINKED = 0.25

Term = int


def covering_relevance(
    relevances: Sequence[float],
    terms: Sequence[AbstractSet[Term]],
    weights: Sequence[float],
    linked: Mapping[int, Mapping[int, float]],
) -> list[float]:
    """Return the relevance of each passage when it is taken, as a share of the highest.

    ``relevances``: in [0, 1]. ``terms``: those that each passage has, as indexes of ``weights``.
    ``linked``: for each passage the others that it links to, with ``1 / sqrt(links)``.
    """
    total = sum(weights) or 1.0
    uses: Counter[Term] = Counter()
    link_shares = [0.0] * len(relevances)
    ordered = [sorted(each) for each in terms]

    def gain(index: int) -> float:
        new = sum(weights[term] * REPEATED ** uses[term] for term in ordered[index])
        flattened = relevances[index] ** FLATTENING
        return float(flattened + COVERAGE * new / total + LINKED * link_shares[index])

    # Gains fall as passages are taken, so few are computed anew to find the highest. A gain that
    # rises, as a passage links to it, is pushed again; stale entries of taken passages are skipped.
    waiting = [(-gain(index), index) for index in range(len(relevances))]
    heapq.heapify(waiting)
    gains: dict[int, float] = {}
    least = inf
    while waiting:
        index = waiting[0][1]
        if index in gains:
            heapq.heappop(waiting)
            continue
        now = gain(index)
        if -now > waiting[0][0]:
            heapq.heapreplace(waiting, (-now, index))
            continue
        heapq.heappop(waiting)
        gains[index] = least = min(now, least)
        uses.update(terms[index])
        for other, share in linked.get(index, {}).items():
            if other not in gains and relevances[index] * share > link_shares[other]:
                link_shares[other] = relevances[index] * share
                heapq.heappush(waiting, (-gain(other), other))
    highest = max(gains.values(), default=0.0) or 1.0
    return [gains[index] / highest for index in range(len(relevances))]
