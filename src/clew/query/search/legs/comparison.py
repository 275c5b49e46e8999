"""The comparison of a query with all passages, begun before its words are matched.

The inner products of a hundred thousand vectors take as long as all else that a search does before
it needs them, and no Python: so another thread may compute them meanwhile.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from clew.engine.derived.layout import Layout
from clew.engine.snapshot import Snapshot
from clew.index.cosines import Products
from clew.values.arrays import BoolArray, Int8Array, Int64Array

FEW_SLOTS = 20_000  # if the notes that pass the filters have no more, only these are compared
# Fewer are compared in less than 2 ms. To hand 69,000 to another thread took 8% more CPU for all of
# a search, and saved 6% of its time.
BEGUN_SLOTS_MIN = 150_000

T = TypeVar("T")

Encode = Callable[[str], Int8Array]


class Begin(Protocol):
    """Begins work that needs no Python, if it can; returns a function that waits for its result."""

    def __call__(self, work: Callable[[], T]) -> Callable[[], T]:
        """Return a function that returns the result of ``work``, or runs it."""


def put_off(work: Callable[[], T]) -> Callable[[], T]:
    """Return ``work``, which runs when its result is needed."""
    return work


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """A text that is being compared with all passages."""

    text: str
    vector: Int8Array  # of the text
    products: Callable[[], Products]  # waits until they are computed


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
    return Comparison(text, vector, begin(lambda: vectors.products(vector)))
