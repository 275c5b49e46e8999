"""Stored strings by number, and numbers by string: immutable, and read in place.

A hash table: the lowest bits of a string's CRC-32 select a bucket, which has one or two rows on
average. Strings crafted to have equal checksums make lookups slow, but never wrong.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import compress, pairwise
from typing import Any
from zlib import crc32

import numpy as np

from clew.index.structures.columns import Column, Columns, array_column, named
from clew.index.structures.records import NEW, Records, record_columns
from clew.values.arrays import BoolArray, Int64Array

READ_MAX = 200_000  # cached stored strings by number
RECENT_MAX = 20_000  # cached numbers of recently found strings
_ERRORS = "surrogatepass"  # names of files that are not UTF-8 have lone surrogates


class StringTable(Mapping[str, int]):
    """The row of each string; a row that is not live has a text, but lookups do not find it."""

    __slots__ = ("_buckets", "_checks", "_mask", "_rows", "checks", "records")

    def __init__(self, columns: Columns) -> None:
        """Read the table that ``string_columns`` wrote.

        Raises:
            ValueError, LookupError: there is none.
        """
        self.records = Records(columns.of("text"))
        self.checks = columns.array("checks", "<u4")  # by row
        buckets, rows = columns.array("buckets", "<u4"), columns.array("rows", "<u4")
        if len(self.checks) != len(self.records) or not len(buckets) or buckets[-1] != len(rows):
            raise ValueError("a table of other strings")
        # For single items, these are several times as fast as arrays.
        self._checks, self._buckets, self._rows = self.checks.data, buckets.data, rows.data
        self._mask = len(buckets) - 2

    @property
    def row_count(self) -> int:
        """The number of rows, live or not."""
        return len(self._checks)

    def text(self, row: int) -> str:
        """Return the string of a row."""
        return str(self.records.raw(row), "utf-8", _ERRORS)

    def texts(self) -> list[str]:
        """Return the strings of all rows, in a third of the time of ``text`` for each."""
        data, starts = self.records.span(0, len(self.records)), self.records.starts
        joined = str(data, "utf-8", _ERRORS)
        if len(joined) < len(data):  # turn starts in bytes into starts in characters
            is_continuation = np.frombuffer(data, np.uint8) & 0xC0 == 0x80
            starts = starts - np.concatenate([[0], np.cumsum(is_continuation)])[starts]
        return [joined[start:end] for start, end in pairwise(starts.tolist())]

    def texts_of(self, rows: Int64Array) -> list[str]:
        """Return the strings of rising rows; all text between the first and the last is copied."""
        if not len(rows):
            return []
        data, starts = (
            bytes(self.records.span(int(rows[0]), int(rows[-1]) + 1)),
            self.records.starts,
        )
        bounds = (starts[places] - starts[rows[0]] for places in (rows, rows + 1))
        spans = zip(*(each.tolist() for each in bounds), strict=True)
        return [str(data[start:end], "utf-8", _ERRORS) for start, end in spans]

    def equal_count(self, other: "StringTable") -> int:
        """Return the number of rows of the shorter table if the other begins with the same rows.

        Else return 0. The bytes are compared, which takes 1 ms for 100,000 paths.
        """
        count = min(self.row_count, other.row_count)
        mine, its = self.records, other.records
        if not np.array_equal(mine.starts[: count + 1], its.starts[: count + 1]):
            return 0
        text, other_text = (np.frombuffer(each.span(0, count), np.uint8) for each in (mine, its))
        return count if np.array_equal(text, other_text) else 0

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[str]:
        return map(self.text, sorted(self._rows))

    def get(self, text: str, default: Any = None, /) -> Any:
        """Return the row of a string, ``default`` if it is not in the table."""
        try:
            key = text.encode()  # Twice as fast as with ``_ERRORS``, and nearly always possible.
        except UnicodeEncodeError:
            key = text.encode("utf-8", _ERRORS)
        check = crc32(key)
        bucket = check & self._mask
        place, end = self._buckets[bucket], self._buckets[bucket + 1]
        while place < end:
            row = self._rows[place]
            if self._checks[row] == check and self.records.raw(row) == key:
                return row
            place += 1
        return default

    def likely(self, texts: Collection[str]) -> list[str]:
        """Return the strings whose checksum a live row has, in order; few are not in the table.

        If few are in the table, this takes a tenth of the time of looking up each.
        """
        keys = (text.encode("utf-8", _ERRORS) for text in texts)
        checks = np.fromiter(map(crc32, keys), np.uint32, len(texts))
        buckets = np.frombuffer(self._buckets, np.uint32)
        rows = np.frombuffer(self._rows, np.uint32)
        bucket_by_text = checks & np.uint32(self._mask)
        positions, ends = buckets[bucket_by_text], buckets[bucket_by_text + 1]
        is_found = np.zeros(len(checks), np.bool_)
        waiting = np.flatnonzero(positions < ends)
        while len(waiting):
            has_check = self.checks[rows[positions[waiting]]] == checks[waiting]
            is_found[waiting[has_check]] = True
            waiting = waiting[~has_check]
            positions[waiting] += 1
            waiting = waiting[positions[waiting] < ends[waiting]]
        return list(compress(texts, is_found.tolist()))

    def __getitem__(self, text: str) -> int:
        row: int | None = self.get(text)
        if row is None:
            raise KeyError(text)
        return row

    def __contains__(self, text: object) -> bool:
        return self.get(text) is not None  # type: ignore[arg-type]


def string_columns(
    base: StringTable | None,
    sources: Int64Array,
    new: Sequence[str],
    is_live: BoolArray | None = None,
) -> Iterator[Column]:
    """Yield the columns of a table of strings.

    ``sources``: for each row its row in ``base``, or ``NEW`` if its string is the next of ``new``.
    ``is_live``: whether lookups find each row; ``None``: all.
    """
    encoded = [text.encode("utf-8", _ERRORS) for text in new]
    checks = np.zeros(len(sources), np.uint32)
    if base is not None:
        checks[sources >= 0] = base.checks[sources[sources >= 0]]
    checks[sources == NEW] = np.fromiter(map(crc32, encoded), np.uint32, len(encoded))
    yield from named(
        "text", record_columns(base.records if base is not None else None, sources, encoded)
    )
    yield array_column("checks", checks)
    live = np.arange(len(checks)) if is_live is None else np.flatnonzero(is_live)
    bucket_count = 1 << max(0, len(live) - 1).bit_length()
    buckets = checks[live] & np.uint32(bucket_count - 1)
    ends = np.cumsum(np.bincount(buckets, minlength=bucket_count))
    yield array_column("buckets", np.concatenate([[0], ends]).astype(np.uint32))
    yield array_column("rows", live[np.argsort(buckets, kind="stable")].astype(np.uint32))


def grown(base: StringTable | None, count: int) -> Int64Array:
    """Return the ``sources`` of ``count`` rows: all rows of ``base``, then new ones."""
    sources = np.arange(count)
    sources[base.row_count if base is not None else 0 :] = NEW
    return sources


class GrowingStrings(Sequence[str]):
    """Strings by number: those of a stored table, and later ones. Copies may share it."""

    __slots__ = ("_later", "_read", "base", "first_later")

    def __init__(self, base: StringTable | None = None) -> None:
        self.base = base
        self.first_later = base.row_count if base is not None else 0
        self._later: list[str] = []
        self._read: dict[int, str] = {}  # cache of single stored strings

    def __len__(self) -> int:
        return self.first_later + len(self._later)

    def __getitem__(self, number: Any) -> Any:
        text = self._read.get(number)
        return self._text(number) if text is None else text

    def _text(self, number: int) -> str:
        if number >= self.first_later:
            return self._later[number - self.first_later]
        if number < 0 or self.base is None:
            raise IndexError(number)
        text = self.base.text(number)
        if len(self._read) >= READ_MAX:
            self._read.clear()
        self._read[number] = text
        return text

    def __iter__(self) -> Iterator[str]:
        if self.base is not None:
            yield from self.base.texts()
        yield from self._later

    def equal_stored_count(self, other: "GrowingStrings") -> int:
        """Return how many stored strings have the same numbers here and there, 0 if unsure."""
        if self.base is None or other.base is None:
            return 0
        return self.base.equal_count(other.base)

    def first(self, count: int) -> list[str]:
        """Return the first ``count`` strings."""
        stored = self.base.texts()[:count] if self.base is not None else []
        return stored + self._later[: count - len(stored)]

    def span(self, first: int, end: int) -> list[str]:
        """Return the strings from ``first`` to before ``end``, without caching them."""
        stored = self.stored_texts(np.arange(first, min(end, self.first_later)))
        return (
            stored + self._later[max(0, first - self.first_later) : max(0, end - self.first_later)]
        )

    def later(self, first: int, end: int) -> list[str]:
        """Return the strings from ``first`` to before ``end``, none of which may be stored."""
        return self._later[first - self.first_later : end - self.first_later]

    def stored_texts(self, numbers: Int64Array) -> list[str]:
        """Return stored strings, uncached, by rising numbers that should be close together."""
        return self.base.texts_of(numbers) if self.base is not None else []

    def stored_with(self, part: str) -> Iterator[Int64Array]:
        """Yield the numbers of the stored strings that contain ``part``, a portion at a time."""
        if self.base is not None:
            yield from self.base.records.containing(part.encode("utf-8", _ERRORS))

    def append(self, text: str) -> None:
        """Add a string; its number is the next."""
        self._later.append(text)

    def columns(self, count: int, is_live: BoolArray | None = None) -> Iterator[Column]:
        """Yield the first ``count`` strings as a table; ``is_live`` as for ``string_columns``."""
        later = self._later[: count - self.first_later]
        return string_columns(self.base, grown(self.base, count), later, is_live)


class StringIds:
    """Distinct strings, numbered in the order in which they were added. Copies may share it.

    It only grows: each copy must ignore numbers beyond its own count.
    """

    __slots__ = ("_later_ids", "_recent", "texts")

    def __init__(self, base: StringTable | None = None) -> None:
        self.texts = GrowingStrings(base)
        self._later_ids: dict[str, int] = {}
        self._recent: dict[str, int] = {}  # cache of ``add_all``: stored strings

    def __len__(self) -> int:
        return len(self.texts)

    def get(self, text: str) -> int | None:
        """Return the number of a string, ``None`` if it was not added."""
        number = self._later_ids.get(text)
        if number is None and self.texts.base is not None:
            number = self.texts.base.get(text)
        return number

    def add(self, text: str) -> int:
        """Return the number of a string, which is added if it is new."""
        number = self.get(text)
        if number is None:
            number = self._later_ids[text] = len(self.texts)
            self.texts.append(text)
        return number

    def add_all(self, texts: Iterable[str]) -> list[int]:
        """Return the numbers of strings, which are added if they are new."""
        later, recent = self._later_ids, self._recent
        numbers = []
        for text in texts:
            number = later.get(text)
            if number is None:
                number = recent.get(text)
            if number is None:
                number = self.add(text)
                if number < self.texts.first_later:
                    if len(recent) >= RECENT_MAX:
                        recent.clear()
                    recent[text] = number
            numbers.append(number)
        return numbers
