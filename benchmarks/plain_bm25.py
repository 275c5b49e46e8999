"""A plain BM25 over whole notes: the baseline that packs are compared with.

It shares nothing with the index but the formula: words are stemmed in English, stop words left out.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping

from Stemmer import Stemmer

from clew.text.stopwords import STOP_WORDS

K1, B = 1.5, 0.75
_WORD = re.compile(r"\w+")


class PlainBm25:
    """The postings of some texts."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._stem = Stemmer("english").stemWord
        counts = {name: Counter(self._terms(text)) for name, text in texts.items()}
        self._lengths = {name: sum(each.values()) for name, each in counts.items()}
        self._mean = sum(self._lengths.values()) / max(1, len(texts))
        self._postings: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for name, terms in counts.items():
            for term, count in terms.items():
                self._postings[term][name] = count

    def _terms(self, text: str) -> list[str]:
        words = _WORD.findall(text.casefold())
        return [self._stem(word) for word in words if word not in STOP_WORDS]

    def ranked(self, query: str) -> list[str]:
        """Return the names of the texts with any term of ``query``, best first; ties by name.

        Source: Robertson, Zaragoza, "The probabilistic relevance framework: BM25 and beyond", 2009.
        """
        scores: defaultdict[str, float] = defaultdict(float)
        for term in self._terms(query):
            holding = self._postings.get(term, {})
            rarity = math.log(1 + (len(self._lengths) - len(holding) + 0.5) / (len(holding) + 0.5))
            for name, count in holding.items():
                length = K1 * (1 - B + B * self._lengths[name] / self._mean)
                scores[name] += rarity * count * (K1 + 1) / (count + length)
        return sorted(scores, key=lambda name: (-scores[name], name))
