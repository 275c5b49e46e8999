"""The comparison of a query with all passages, begun before its words are matched.

The inner products of all vectors take a fifth of a search among 10,000 notes, and half among
100,000, but no Python: so another thread may compute them meanwhile.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from clew.engine.derived.layout import Layout
from clew.engine.snapshot import Snapshot
from clew.index.cosines import Floats
from clew.values.arrays import BoolArray, Int8Array, Int64Array

FEW_SLOTS = 20_000  # if the notes that pass the filters have no more, only these are compared
# Fewer are compared in less than half a millisecond. To hand 69,000 to another thread takes 6% more
# CPU for all of a search, and saves 13% of its time.
BEGUN_SLOTS_MIN = 30_000

Encode = Callable[[str], Int8Array]


class Begin(Protocol):
    """Begins pieces of work that need no Python, if it can."""

    def __call__(self, pieces: Sequence[Callable[[], None]]) -> Callable[[], None]:
        """Return a function that returns once all ``pieces`` were run; it may run some itself."""


def put_off(pieces: Sequence[Callable[[], None]]) -> Callable[[], None]:
    """Return a function that runs all ``pieces``."""

    def run() -> None:
        for piece in pieces:
            piece()

    return run


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """A text that is being compared with all passages."""

    text: str
    vector: Int8Array  # of the text
    _products: Floats  # of the vector with all passages, once they are computed
    _finish: Callable[[], None]

    def products(self) -> Floats:
        """Return the inner products with all passages, once they are computed."""
        self._finish()
        return self._products


def are_few(layout: Layout, note_ids: Int64Array) -> bool:
    """Return whether notes have so few passages that only these are compared."""
    return layout.slot_count(note_ids) <= FEW_SLOTS


def begin_comparison(
    snapshot: Snapshot, text: str, encode: Encode | None, allowed: BoolArray | None, begin: Begin
) -> Comparison | None:
    """Begin to compare ``text`` with all passages, if these are many and all must be compared."""
    vectors = snapshot.passages.vectors
    if encode is None or len(vectors) < BEGUN_SLOTS_MIN or vectors.approximate is not None:
        return None
    if allowed is not None and are_few(snapshot.derived.layout, allowed.nonzero()[0]):
        return None
    vector = encode(text)
    if not vector.any() or vector.shape != (vectors.dimensions,):
        return None
    products, pieces = vectors.comparing(vector)
    return Comparison(text, vector, products, begin(pieces))
