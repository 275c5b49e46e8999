"""Stored mappings: immutable, read in place, each value decoded when it is needed.

They are the bases of layered maps. ``map_columns`` writes a layered map as the next stored mapping,
and encodes only the values that changed since its base.
"""

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from clew.disk.mapped_pages import PartReader
from clew.index.structures.columns import Column, Columns, named
from clew.index.structures.id_sums import are_among
from clew.index.structures.layered_map import GONE, LayeredMap
from clew.index.structures.lru import LruCache
from clew.index.structures.records import NEW, Records, record_columns
from clew.index.structures.row_pool import positions_of_runs
from clew.index.structures.string_table import GrowingStrings, StringTable, string_columns
from clew.values.arrays import BoolArray, Int32Array, Int64Array

V = TypeVar("V")
D = TypeVar("D")

NO_RECORD = memoryview(b"")
_NUMBER_BYTES = 4
_ROWS_AT_ONCE = 1_024  # keys that are decoded together

Encode = Callable[[V], bytes]
Decode = Callable[[memoryview], V]


class StoredMap(Mapping[str, V]):
    """The value of each string of a table; an empty record stands for no value.

    ``cache_bytes``: the size of records up to which recently used values are cached. Values worth
    caching are large, so their records are then copied from the file for decoding: otherwise all
    pages ever read would stay mapped, and count as memory.
    """

    __slots__ = (
        "__weakref__",
        "_cached",
        "_decode",
        "_length",
        "_lock",
        "_reader",
        "keys_table",
        "records",
    )

    def __init__(
        self, keys: StringTable, records: Records, decode: Decode[V], cache_bytes: int = 0
    ) -> None:
        """Make the map of ``records``, which are numbered by row of ``keys``."""
        if len(records) != keys.row_count:
            raise ValueError("values of other keys")
        self.keys_table, self.records, self._decode = keys, records, decode
        self._length = int(np.count_nonzero(np.diff(records.starts)))
        self._lock = Lock()
        self._cached: LruCache[int, tuple[V, int]] | None = None
        if cache_bytes:
            self._cached = LruCache(cache_bytes, lambda cached: cached[1])
        self._reader = PartReader(records.data) if cache_bytes else None

    def record(self, row: int) -> memoryview:
        """Return the record of a row."""
        if self._reader is None:
            return self.records.raw(row)
        return self._reader.read(*self.records.bounds(row))

    def get(self, key: str, default: Any = None, /) -> Any:
        """Return the value of ``key``, or ``default`` if there is none."""
        row = self.keys_table.get(key)
        if row is None:
            return default
        if self._cached is not None:
            with self._lock:
                cached = self._cached.get(row)
            if cached is not None:
                return cached[0]
        record = self.record(row)
        if not len(record):
            return default
        value = self._decode(record)
        if self._cached is not None:
            with self._lock:
                self._cached.put(row, (value, len(record)))
        return value

    def read(self, key: str, decode: Decode[D]) -> D:
        """Return ``decode`` of the record of ``key``, without caching it.

        Raises:
            KeyError: there is no value.
        """
        row = self.keys_table.get(key)
        record = self.record(row) if row is not None else NO_RECORD
        if not len(record):
            raise KeyError(key)
        return decode(record)

    def __getitem__(self, key: str) -> V:
        value: V | None = self.get(key)
        if value is None:
            raise KeyError(key)
        return value

    def __contains__(self, key: object) -> bool:
        row = self.keys_table.get(key)  # type: ignore[arg-type]
        return row is not None and len(self.records.raw(row)) > 0

    def __iter__(self) -> Iterator[str]:
        return map(self.keys_table.text, self.rows().tolist())

    def __len__(self) -> int:
        return self._length

    def pairs(self) -> Iterator[tuple[str, V]]:
        """Yield keys and values, in less time than ``items``, which looks each key up again."""
        rows = self.rows()
        for first in range(0, len(rows), _ROWS_AT_ONCE):
            some = rows[first : first + _ROWS_AT_ONCE]
            for row, key in zip(some.tolist(), self.keys_table.texts_of(some), strict=True):
                yield key, self._decode(self.record(row))

    def rows(self) -> Int64Array:
        """Return the rows of ``keys_table`` that have a value, rising."""
        return np.flatnonzero(np.diff(self.records.starts))


class StoredLists(Mapping[int, memoryview]):
    """A list of 32-bit numbers for each key 0, 1, 2 ...; keys with an empty list are missing."""

    __slots__ = ("_length", "records")

    def __init__(self, records: Records) -> None:
        self.records = records
        self._length = int(np.count_nonzero(np.diff(records.starts)))

    def get(self, key: int, default: Any = None, /) -> Any:
        """Return the numbers of ``key``, or ``default`` if there are none."""
        if not 0 <= key < len(self.records):
            return default
        numbers = self.records.raw(key)
        return numbers.cast("i") if len(numbers) else default

    def joined(self, keys: Int64Array) -> tuple[Int64Array, Int32Array]:
        """Return the lengths of the lists of these stored keys, and the lists one after another."""
        starts = self.records.starts
        firsts = starts.take(keys) // _NUMBER_BYTES
        lengths: Int64Array = starts.take(keys + 1) // _NUMBER_BYTES - firsts
        numbers = np.frombuffer(self.records.data, np.intc)
        return lengths, numbers.take(positions_of_runs(firsts, lengths))

    def __getitem__(self, key: int) -> memoryview:
        numbers: memoryview | None = self.get(key)
        if numbers is None:
            raise KeyError(key)
        return numbers

    def __contains__(self, key: object) -> bool:
        return self.get(key) is not None  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[int]:
        return iter(np.flatnonzero(np.diff(self.records.starts)).tolist())

    def __len__(self) -> int:
        return self._length


def joined_lists(layered: LayeredMap[int, Any], keys: Int64Array) -> tuple[Int64Array, Int32Array]:
    """Return the length of the list of each key, 0 for none, and the lists, one after the other."""
    base, changes = layered.layers()
    stored_count = len(base.records) if isinstance(base, StoredLists) else 0
    is_stored = keys < stored_count
    if changes:
        is_stored &= ~_which_are_in(changes, keys)
    if isinstance(base, StoredLists) and is_stored.all():
        return base.joined(keys)
    others = [layered.get(key, b"") for key in keys[~is_stored].tolist()]
    lengths, stored = np.zeros(len(keys), np.int64), np.zeros(0, np.int32)
    lengths[~is_stored] = np.fromiter(map(len, others), np.int64, len(others))
    if isinstance(base, StoredLists):
        lengths[is_stored], stored = base.joined(keys[is_stored])
    in_stored = is_stored.repeat(lengths)
    joined = np.empty(len(in_stored), np.int32)
    joined[in_stored] = stored
    joined[~in_stored] = np.frombuffer(b"".join(others), np.intc)
    return lengths, joined


def _which_are_in(changes: Mapping[int, Any], keys: Int64Array) -> BoolArray:
    """Return which of ``keys`` are in ``changes``; Python loops over the smaller of the two."""
    if len(keys) <= len(changes):
        return np.fromiter((key in changes for key in keys.tolist()), np.bool_, len(keys))
    return are_among(keys, np.fromiter(changes, np.int64, len(changes)))


def pairs(layered: LayeredMap[str, V]) -> Iterator[tuple[str, V]]:
    """Yield the keys and values of a map, in no order; fast for a stored base."""
    base, changes = layered.layers()
    if not isinstance(base, StoredMap):
        yield from layered.items()
        return
    for key, value in base.pairs():
        if key not in changes:
            yield key, value
    for key, value in changes.items():
        if value is not GONE:
            yield key, value


def values_of(layered: LayeredMap[str, V], keys: AbstractSet[str]) -> Iterator[V]:
    """Yield the values of the ``keys`` that a map has; fast if few of them are stored."""
    base, changes = layered.layers()
    stored = base.keys_table.likely(keys) if isinstance(base, StoredMap) else keys
    for key in {*stored, *(changes.keys() & keys)}:
        value = layered.get(key)
        if value is not None:
            yield value


def packed_value(layered: LayeredMap[str, V], key: str, encode: Encode[V]) -> bytes | memoryview:
    """Return the encoded value of a key, without decoding it if it is stored.

    Raises:
        KeyError: there is no such key.
    """
    base, changes = layered.layers()
    if isinstance(base, StoredMap) and key not in changes:
        row = base.keys_table.get(key)
        if row is not None and len(record := base.record(row)):
            return record
    return encode(layered[key])


def map_columns(layered: LayeredMap[str, V], encode: Encode[V]) -> Iterator[Column]:
    """Yield a map with its keys as columns, for ``read_map``."""
    base, changes = layered.layers()
    if isinstance(base, StoredMap):
        is_kept = np.diff(base.records.starts) > 0
        for key in changes:
            row = base.keys_table.get(key)
            if row is not None:
                is_kept[row] = False
        kept = np.flatnonzero(is_kept)
        new = [key for key, value in changes.items() if value is not GONE]
        keys_table, records = base.keys_table, base.records
    else:
        kept, new, keys_table, records = np.zeros(0, np.int64), list(layered), None, None
    sources = np.concatenate([kept, np.full(len(new), NEW)])
    yield from named("keys", string_columns(keys_table, sources, new))
    values = (encode(layered[key]) for key in new)
    yield from named("values", record_columns(records, sources, values))


def read_map(columns: Columns, decode: Decode[V]) -> LayeredMap[str, V]:
    """Return the map that ``map_columns`` wrote.

    Raises:
        ValueError, LookupError: there is none.
    """
    keys, values = StringTable(columns.of("keys")), Records(columns.of("values"))
    return LayeredMap(StoredMap(keys, values, decode))


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a table of strings that another index stores; only some are live."""

    texts: GrowingStrings
    count: int
    row_of: Callable[[str], int | None]  # the row of a live text


def value_columns(layered: LayeredMap[str, V], encode: Encode[V], rows: Rows) -> Iterator[Column]:
    """Yield the values of a map as records by row of its keys, for ``StoredMap``.

    The record of a row that is not live, or has no value, is empty.
    """
    base, changes = layered.layers()
    sources = np.full(rows.count, NEW)
    records = None
    if isinstance(base, StoredMap) and base.keys_table is rows.texts.base:
        records = base.records
        sources[: len(records)] = np.arange(len(records))
        for key in changes:
            row = base.keys_table.get(key)
            if row is not None:
                sources[row] = NEW
    new_rows = np.flatnonzero(sources == NEW).tolist()

    def record(row: int) -> bytes:
        key = rows.texts[row]
        value = layered.get(key) if rows.row_of(key) == row else None
        return b"" if value is None else encode(value)

    yield from record_columns(records, sources, map(record, new_rows))


def list_columns(layered: LayeredMap[int, Any], count: int) -> Iterator[Column]:
    """Yield the lists of the keys below ``count`` as columns, for ``read_lists``."""
    base, changes = layered.layers()
    sources = np.full(count, NEW)
    records = base.records if isinstance(base, StoredLists) else None
    if records is not None:
        sources[: len(records)] = np.arange(len(records))
        sources[[key for key in changes if key < count]] = NEW
    new = np.flatnonzero(sources == NEW).tolist()
    empty = b""
    yield from record_columns(records, sources, (bytes(layered.get(key, empty)) for key in new))


def read_lists(columns: Columns) -> LayeredMap[int, Any]:
    """Return the lists that ``list_columns`` wrote.

    Raises:
        ValueError, LookupError: there are none.
    """
    return LayeredMap(StoredLists(Records(columns)))
