"""A cache with least-recently-used eviction, bounded by the summed size of its values.

Invariant: the sizes add up to at most ``size_max``, except that the value put last is always kept,
even if it is larger. The cache does not know when values become stale: its owner calls ``clear``.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


@dataclass(slots=True)
class CacheCounts:
    """The numbers of hits and misses of one or more caches."""

    hits: int = 0
    misses: int = 0


class LruCache(Generic[Key, Value]):
    """Values by key, the least recently used evicted first; counts hits and misses."""

    def __init__(
        self, size_max: int, size_of: Callable[[Value], int], counts: CacheCounts | None = None
    ) -> None:
        """``size_of`` returns the size of a value, which must be positive and never change."""
        self._size_max = size_max
        self._size_of = size_of
        # Least recently used first. An OrderedDict, since finding the first key of a dict takes
        # time for all keys that were removed before it.
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._size = 0
        self.counts = counts or CacheCounts()

    def copy(self) -> "LruCache[Key, Value]":
        """Return a cache of the same values, which counts hits and misses with this one."""
        other = LruCache[Key, Value](self._size_max, self._size_of, self.counts)
        other._values, other._size = self._values.copy(), self._size
        return other

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: Key) -> bool:
        """Return whether there is a value of ``key``; this does not count as a use."""
        return key in self._values

    def __iter__(self) -> Iterator[Key]:
        """Yield the keys in the order of eviction."""
        return iter(self._values)

    def get(self, key: Key) -> Value | None:
        """Return the value of ``key`` and count a hit, or return ``None`` and count a miss."""
        value = self._values.get(key)
        if value is None:
            self.counts.misses += 1
            return None
        self.counts.hits += 1
        self._values.move_to_end(key)
        return value

    def put(self, key: Key, value: Value) -> None:
        """Add or replace the value of ``key``, then evict until the sizes fit."""
        self.remove(key)
        self._values[key] = value
        self._size += self._size_of(value)
        while self._size > self._size_max and len(self._values) > 1:
            self.remove(next(iter(self._values)))

    def items(self) -> Iterable[tuple[Key, Value]]:
        """Return the keys and values in the order of eviction; this does not count as a use."""
        return self._values.items()

    def clear(self) -> None:
        """Remove all values; the counts of hits and misses stay."""
        self._values.clear()
        self._size = 0

    def remove(self, key: Key) -> None:
        """Remove the value of ``key``, if there is one."""
        value = self._values.pop(key, None)
        if value is not None:
            self._size -= self._size_of(value)
