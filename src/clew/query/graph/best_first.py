"""Taking the best of many things, of which each leads to others, so that most are never made."""

import heapq
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class BestFirst(Generic[T]):
    """The least of what some iterators yield, each in rising order; no two things are equal.

    An iterator goes on when what it yielded last is taken.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[T, Iterator[T]]] = []  # a heap

    def __len__(self) -> int:
        """Return the number of iterators that are not at their end."""
        return len(self._waiting)

    def add(self, things: Iterator[T]) -> None:
        """Add what an iterator yields."""
        first = next(things, None)
        if first is not None:
            heapq.heappush(self._waiting, (first, things))

    def take(self) -> T:
        """Remove the least thing and return it."""
        thing, things = self._waiting[0]
        following = next(things, None)
        if following is None:
            heapq.heappop(self._waiting)
        else:
            heapq.heapreplace(self._waiting, (following, things))
        return thing
