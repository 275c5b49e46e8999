"""The size of the portions in which a large round is applied and stored, to bound its memory.

Portions are counted in passages, so the bound holds whether the notes are many or long. A passage
has about 600 characters.
"""

from collections.abc import Iterable

from clew.values.vault import ReadNote

PASSAGES_MIN = 5_000  # few, so that queries are soon answered while a vault is first indexed
PASSAGES_MAX = 60_000
# In a round of so many notes each slice is applied at once, while parsers read the next ones.
LONG_ROUND_NOTES = 1_000
SHARE = 0.25  # of the indexed passages, since each portion makes the whole index be written


def portion_passages(indexed_count: int) -> int:
    """Return how many passages make a portion if ``indexed_count`` passages are indexed."""
    return min(PASSAGES_MAX, max(PASSAGES_MIN, int(SHARE * indexed_count)))


def passage_count(reads: Iterable[ReadNote]) -> int:
    """Return how many passages notes have, their titles included."""
    return sum(1 + len(read.note.chunks) for read in reads)
