"""What one leg of search found: notes with a raw score each, best first."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.values.arrays import Float64Array, Int64Array

HITS_MAX = 200  # of one leg

NO_SLOT = -1


@dataclass(frozen=True, slots=True)
class Hits:
    """Notes by falling score; arrays of equal length."""

    notes: Int64Array
    scores: Float64Array  # raw: comparable within one leg and one query alone
    slots: Int64Array  # the part of each note that speaks for it most, ``NO_SLOT`` for none

    def places(self) -> dict[int, int]:
        """Return the place of each note."""
        return {note: place for place, note in enumerate(self.notes.tolist())}


NOTHING = Hits(np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64))


def best(scores: Float64Array, slots: Int64Array, paths: Sequence[str]) -> Hits:
    """Return the ``HITS_MAX`` best notes of a score above 0; equals by path.

    ``scores``, ``slots`` and ``paths`` are by note id.
    """
    notes = ranked(scores, paths, HITS_MAX)
    return Hits(notes, scores[notes], slots[notes])


def ranked(scores: Float64Array, paths: Sequence[str], most: int | None = None) -> Int64Array:
    """Return the ``most`` best notes of a score above 0, best first; equals by path.

    ``scores`` and ``paths`` are by note id.
    """
    found = np.flatnonzero(scores > 0)
    if most is not None and len(found) > most:
        bound = np.partition(scores[found], len(found) - most)[len(found) - most]
        found = found[scores[found] >= bound]
    return ordered(found, scores, paths)[:most]


def ordered(notes: Int64Array, scores: Float64Array, paths: Sequence[str]) -> Int64Array:
    """Return ``notes`` by falling score; equals by path."""
    notes = notes[np.argsort(-scores[notes], kind="stable")]
    falling = scores[notes]
    is_as_next = falling[1:] == falling[:-1]
    if is_as_next.any():
        tied = np.flatnonzero(np.append(is_as_next, False) | np.append(False, is_as_next))
        among = notes[tied].tolist()
        named = zip((-falling[tied]).tolist(), map(paths.__getitem__, among), among, strict=True)
        notes[tied] = [note for _, _, note in sorted(named)]
    return notes
