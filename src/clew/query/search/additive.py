"""The additive ranking: one bounded part for each reason to show a note, and their sum.

Each part is told beside the total, so that a reader can see why a note stands where it does. What
fills the parts (legs of search, dates, config) is not known here.
"""

import math
import re
import unicodedata
from dataclasses import dataclass

SEMANTIC_WEIGHT = 0.5
RECENCY_MAX = 0.2
RECENCY_DAYS = 365.0  # after which a note gets nothing for being new
ENTITY_MAX = 0.3
ENTITY_EACH = 0.1
ENTITY_EXACT = 0.2  # at least, where a concept is what the query says
SOURCE_DEFAULT = 0.05
SOURCE_MAX = 0.1
KEYWORD_MAX = 0.1
KEYWORD_WEIGHT = 0.05
EXPLICIT = 0.4

# Han, Hiragana, Thai, Lao, Myanmar, Khmer: their words stand side by side without spaces. Katakana
# is not among them, since foreign words in it are runs of their own.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff]"
)
_KATAKANA = re.compile("[\u30a1-\u30ff\u31f0-\u31ff]")


@dataclass(frozen=True, slots=True)
class Breakdown:
    """What each reason adds to a note's score."""

    semantic: float  # 0..0.5
    recency: float  # 0..0.2
    entity: float  # 0..0.3
    source: float  # 0..0.1
    keyword: float  # 0..0.1
    explicit: float  # 0 or 0.4

    @property
    def total(self) -> float:
        """Return the score: the sum of the parts, in [0, 1.6]."""
        parts = (self.semantic, self.recency, self.entity, self.source, self.keyword, self.explicit)
        return math.fsum(parts)


def additive(
    similarity: float, days: float, entity: float, source: float, keyword: float, explicit: bool
) -> Breakdown:
    """Return the parts of a note's score.

    ``similarity`` is a cosine, of which what is below 0 or above 1 does not count; ``days`` the
    note's age; ``entity``, ``source`` and ``keyword`` are parts as ``entity_part`` and
    ``keyword_part`` give them and config says, cut to their bounds; ``explicit`` tells that the
    query names the note's source (``is_named``).
    """
    return Breakdown(
        semantic=SEMANTIC_WEIGHT * _within(similarity, 1.0),
        recency=recency_part(days),
        entity=_within(entity, ENTITY_MAX),
        source=_within(source, SOURCE_MAX),
        keyword=_within(keyword, KEYWORD_MAX),
        explicit=EXPLICIT if explicit else 0.0,
    )


def recency_part(days: float) -> float:
    """Return ``0.2 * (1 - days / 365)``, in [0, 0.2]: a date in the future counts as now."""
    return _within(RECENCY_MAX * (1.0 - days / RECENCY_DAYS), RECENCY_MAX)


def entity_part(matches: int, exact: bool) -> float:
    """Return what shared concepts add: 0.1 each, in [0, 0.3], and at least 0.2 if ``exact``."""
    return max(ENTITY_EXACT if exact else 0.0, _within(ENTITY_EACH * matches, ENTITY_MAX))


def keyword_part(bm25: float, best_bm25: float) -> float:
    """Return ``0.05 * f`` with ``f = 2 * bm25 / best_bm25``, in [0, 0.1]; 0 where nothing fits."""
    if best_bm25 <= 0:
        return 0.0
    return _within(KEYWORD_WEIGHT * 2 * (bm25 / best_bm25), KEYWORD_MAX)


def is_named(said: str, source: str) -> bool:
    """Tell whether a query says the name of ``source`` as whole words, in whatever case.

    ``said`` are its ``folded_words``. A folder is named by its path or by its last part, and any
    separator may stand between words: "my daily notes" names ``Journal/daily-notes``. In scripts
    that put no spaces between words, any place will do.
    """
    names = (source, source.rstrip("/").rpartition("/")[2])
    return any(_says(said, folded_words(name)) for name in names)


def folded_words(text: str) -> str:
    """Return the folded words of ``text`` with one space between them."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    spaced = (c if unicodedata.category(c)[0] in "LMN" else " " for c in folded)
    return " ".join("".join(spaced).split())


def _within(part: float, most: float) -> float:
    return min(most, max(0.0, part))


def _says(said: str, name: str) -> bool:
    at = said.find(name) if name else -1
    while at >= 0:
        end = at + len(name)
        if _is_boundary(said[at - 1 : at], said[at]) and _is_boundary(
            said[end - 1], said[end : end + 1]
        ):
            return True
        at = said.find(name, at + 1)
    return False


def _is_boundary(before: str, after: str) -> bool:
    """Tell whether a word may end between two characters, each empty at an end of the text."""
    if before in ("", " ") or after in ("", " "):
        return True
    if unicodedata.category(after)[0] == "M":
        return False
    if _UNSPACED.match(before) or _UNSPACED.match(after):
        return True
    return (_KATAKANA.match(before) is None) is not (_KATAKANA.match(after) is None)
