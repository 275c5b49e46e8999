"""A lazy merge of sorted iterators: only as many items are made as are taken."""

import heapq
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class BestFirst(Generic[T]):
    """A heap of iterators that each yield rising items; no two items are equal.

    An iterator is advanced when the item that it yielded last is taken.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[T, Iterator[T]]] = []  # a heap

    def __len__(self) -> int:
        """Return the number of iterators that are not exhausted."""
        return len(self._waiting)

    def add(self, items: Iterator[T]) -> None:
        """Add an iterator."""
        first = next(items, None)
        if first is not None:
            heapq.heappush(self._waiting, (first, items))

    def take(self) -> T:
        """Remove the least item of all iterators and return it."""
        item, items = self._waiting[0]
        following = next(items, None)
        if following is None:
            heapq.heappop(self._waiting)
        else:
            heapq.heapreplace(self._waiting, (following, items))
        return item
