"""Mappings that are copied in constant time: an immutable base, and the changes since.

``copy`` shares both layers. The first write after a copy copies the changes, but never the base. So
a snapshot of an index is cheap, however large the index is, and never changes.

When there are many changes, ``copy`` merges them into a new base; older copies keep the old one. A
stored base (``clew.index.structures.stored_map``) is not merged: the next stored index replaces it.
"""

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any, Final, TypeVar, overload

K = TypeVar("K")
V = TypeVar("V")
D = TypeVar("D")

CHANGES_MIN = 1_000  # up to so many changes are never merged
CHANGES_SHARE_MAX = 1 / 32  # of the base; up to this, copying the changes is cheaper than merging

GONE: Final = object()  # tombstone: the value of a removed key in the changes
_MISSING: Final = object()


class LayeredMap(MutableMapping[K, V]):
    """A mutable mapping with a ``copy`` in constant time; iteration has no defined order."""

    __slots__ = ("_base", "_changes", "_is_shared", "_length", "_owned")

    def __init__(self, base: Mapping[K, V] | None = None) -> None:
        """Begin with the items of ``base``, which must not change any more."""
        self._base: Mapping[K, V] = {} if base is None else base
        self._changes: dict[K, Any] = {}
        self._length = len(self._base)
        self._is_shared = False  # whether a copy also reads the changes
        self._owned: set[K] = set()  # keys whose values no copy reads

    def copy(self) -> "LayeredMap[K, V]":
        """Return a mapping with the same items; later writes to either do not reach the other."""
        if len(self._changes) > max(CHANGES_MIN, CHANGES_SHARE_MAX * len(self._base)):
            self._merge()
        self._is_shared = True
        if self._owned:
            self._owned = set()
        other: LayeredMap[K, V] = LayeredMap.__new__(LayeredMap)
        other._base, other._changes = self._base, self._changes
        other._length = self._length
        other._is_shared, other._owned = True, set()
        return other

    def _merge(self) -> None:
        if not isinstance(self._base, dict):
            return  # A stored base is replaced when the next one is written.
        merged = dict(self._base)
        for key, value in self._changes.items():
            if value is GONE:
                merged.pop(key, None)
            else:
                merged[key] = value
        self._base, self._changes, self._is_shared = merged, {}, False

    def own(self, key: K, copy_value: Callable[[V], V]) -> V:
        """Return the value of ``key`` for changing it in place.

        If a copy of this mapping may also have the value, ``copy_value`` copies it first.

        Raises:
            KeyError: there is no such key.
        """
        if key not in self._owned:
            value = copy_value(self[key])
            self._prepare_write()
            self._changes[key] = value
            self._owned.add(key)
            return value
        owned: V = self._changes[key]
        return owned

    def __getitem__(self, key: K) -> V:
        value = self._changes.get(key, _MISSING)
        if value is _MISSING:
            return self._base[key]
        if value is GONE:
            raise KeyError(key)
        found: V = value
        return found

    @overload
    def get(self, key: K, default: None = None, /) -> V | None: ...

    @overload
    def get(self, key: K, default: V | D, /) -> V | D: ...

    def get(self, key: K, default: Any = None, /) -> Any:
        """Return the value of ``key``, or ``default`` if there is none."""
        value = self._changes.get(key, _MISSING)
        if value is _MISSING:
            return self._base.get(key, default)
        return default if value is GONE else value

    def __contains__(self, key: object) -> bool:
        value = self._changes.get(key, _MISSING)  # type: ignore[arg-type]
        return key in self._base if value is _MISSING else value is not GONE

    def __setitem__(self, key: K, value: V) -> None:
        if key not in self:
            self._length += 1
        self._prepare_write()
        self._changes[key] = value
        self._owned.discard(key)

    def add(self, key: K, value: V) -> None:
        """Set the value of a key that is not there, without looking it up again."""
        self._prepare_write()
        self._changes[key] = value
        self._owned.discard(key)
        self._length += 1

    @overload
    def pop(self, key: K, /) -> V: ...

    @overload
    def pop(self, key: K, default: V, /) -> V: ...

    @overload
    def pop(self, key: K, default: D, /) -> V | D: ...

    def pop(self, key: K, default: Any = _MISSING, /) -> Any:
        """Remove a key; return its value, or ``default`` if it is not there.

        Raises:
            KeyError: it is not there, and no ``default`` was given.
        """
        value = self.get(key, _MISSING)
        if value is not _MISSING:
            del self[key]
        elif default is _MISSING:
            raise KeyError(key)
        else:
            return default
        return value

    def __delitem__(self, key: K) -> None:
        if key not in self:
            raise KeyError(key)
        self._prepare_write()
        self._length -= 1
        if key in self._base:
            self._changes[key] = GONE
        else:
            del self._changes[key]
        self._owned.discard(key)

    def _prepare_write(self) -> None:
        if self._is_shared:
            self._changes = self._changes.copy()
            self._is_shared = False

    def __iter__(self) -> Iterator[K]:
        changes = self._changes
        if not changes:
            yield from self._base
            return
        for key in self._base:
            if key not in changes:
                yield key
        for key, value in changes.items():
            if value is not GONE:
                yield key

    def __len__(self) -> int:
        return self._length

    def layers(self) -> tuple[Mapping[K, V], dict[K, Any]]:
        """Return the base and the changes since; a key that was removed since has ``GONE``."""
        return self._base, self._changes
