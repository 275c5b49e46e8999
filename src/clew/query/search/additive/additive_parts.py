"""The additive ranking: one bounded part for each reason to show a note, and their sum.

A reply shows each part and the total, which explains the rank of a note. This module does not know
where the parts come from (legs of search, dates, config).
"""

import math
import re
import unicodedata
from dataclasses import dataclass

SEMANTIC_WEIGHT = 0.5
RECENCY_MAX = 0.2
RECENCY_DAYS = 365.0  # a note of this age or older gets no recency part
ENTITY_MAX = 0.3
ENTITY_EACH = 0.1
ENTITY_EXACT = 0.2  # the least entity part if the query names a concept exactly
SOURCE_DEFAULT = 0.05
SOURCE_MAX = 0.1
KEYWORD_MAX = 0.1
EXPLICIT = 0.4

# Han, Hiragana, Thai, Lao, Myanmar, Khmer: scripts that put no spaces between words. Katakana is
# not among them: a run of it is a foreign word, so a name must be the whole run.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff]"
)
_KATAKANA = re.compile("[\u30a1-\u30ff\u31f0-\u31ff]")


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a note's score."""

    semantic: float  # 0..0.5
    recency: float  # 0..0.2
    entity: float  # 0..0.3
    source: float  # 0..0.1
    keyword: float  # 0..0.1
    explicit: float  # 0 or 0.4

    @property
    def total(self) -> float:
        """The score: the sum of the parts, in [0, 1.6]."""
        parts = (self.semantic, self.recency, self.entity, self.source, self.keyword, self.explicit)
        return math.fsum(parts)


def additive_parts(
    *,
    similarity: float,
    age_days: float,
    entity: float,
    source: float,
    keyword: float,
    is_source_named: bool,
) -> Parts:
    """Return the parts of a note's score, each cut to its bounds.

    ``similarity`` is the cosine of the semantic leg, ``entity`` comes from ``entity_part``,
    ``source`` from config and ``keyword`` from ``keyword_part``.
    """
    return Parts(
        semantic=SEMANTIC_WEIGHT * _clamped(similarity, 1.0),
        recency=recency_part(age_days),
        entity=_clamped(entity, ENTITY_MAX),
        source=_clamped(source, SOURCE_MAX),
        keyword=_clamped(keyword, KEYWORD_MAX),
        explicit=EXPLICIT if is_source_named else 0.0,
    )


def recency_part(age_days: float) -> float:
    """Return ``0.2 * (1 - age / 365)``, in [0, 0.2]; a date in the future counts as now."""
    return _clamped(RECENCY_MAX * (1.0 - age_days / RECENCY_DAYS), RECENCY_MAX)


def entity_part(shared_count: int, is_exact: bool) -> float:
    """Return 0.1 for each concept that the note and the query share, in [0, 0.3].

    At least 0.2 if the match ``is_exact``: the query is the name of one of them.
    """
    part = _clamped(ENTITY_EACH * shared_count, ENTITY_MAX)
    return max(ENTITY_EXACT if is_exact else 0.0, part)


def keyword_part(bm25: float, best_bm25: float) -> float:
    """Return ``0.1 * bm25 / best_bm25``, in [0, 0.1]; 0 if no note has a score."""
    if best_bm25 <= 0:
        return 0.0
    return _clamped(KEYWORD_MAX * (bm25 / best_bm25), KEYWORD_MAX)


def is_named(source: str, words: str) -> bool:
    """Return whether a query has the name of ``source`` as whole words, in any case.

    ``words`` are the query's ``folded_words``. A folder is named by its path or by its last part,
    and any separator may stand between words: "my daily notes" names ``Journal/daily-notes``. In
    scripts that put no spaces between words, the name may stand anywhere.
    """
    names = (source, source.rstrip("/").rpartition("/")[2])
    return any(_holds_name(words, folded_words(name)) for name in names)


def folded_words(text: str) -> str:
    """Return the case-folded words of ``text`` with one space between them."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    spaced = (c if unicodedata.category(c)[0] in "LMN" else " " for c in folded)
    return " ".join("".join(spaced).split())


def _clamped(part: float, most: float) -> float:
    return min(most, max(0.0, part))


def _holds_name(words: str, name: str) -> bool:
    start = words.find(name) if name else -1
    while start >= 0:
        end = start + len(name)
        begins_word = _is_boundary(words[start - 1 : start], words[start])
        if begins_word and _is_boundary(words[end - 1], words[end : end + 1]):
            return True
        start = words.find(name, start + 1)
    return False


def _is_boundary(before: str, after: str) -> bool:
    """Return whether a word can end between two characters; an end of the text is empty."""
    if before in ("", " ") or after in ("", " "):
        return True
    if unicodedata.category(after)[0] == "M":
        return False
    if _UNSPACED.match(before) or _UNSPACED.match(after):
        return True
    return (_KATAKANA.match(before) is None) is not (_KATAKANA.match(after) is None)
