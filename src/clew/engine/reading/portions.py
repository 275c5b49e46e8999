"""The size of the portions in which a large round is applied and stored, to bound its memory.

Portions are counted in passages, so the bound holds whether the notes are many or long. A passage
has about 600 characters.
"""

from collections.abc import Iterable

from clew.values.vault import ReadNote

PASSAGES_MIN = 5_000  # few, so that queries are soon answered while a vault is first indexed
PASSAGES_MAX = 60_000
SLICEWISE_NOTES_MIN = 1_000  # in a smaller round, few notes wait for the others
SHARE = 0.25  # of the indexed passages, since each portion makes the whole index be written


def portion_passages(indexed_count: int) -> int:
    """Return how many passages make a portion if ``indexed_count`` passages are indexed."""
    return min(PASSAGES_MAX, max(PASSAGES_MIN, int(SHARE * indexed_count)))


def applies_each_slice(changed_count: int, *, is_first: bool) -> bool:
    """Return whether a round applies each slice at once, while parsers read the next slices.

    In a first index the portions are small, and are stored at once.
    """
    return changed_count >= SLICEWISE_NOTES_MIN and not is_first


def passage_count(reads: Iterable[ReadNote]) -> int:
    """Return how many passages notes have, their titles included."""
    return sum(1 + len(read.note.chunks) for read in reads)
