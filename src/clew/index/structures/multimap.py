"""Multimaps: mappings from a key to the set of its values, without empty sets."""

from collections.abc import Iterator

from clew.index.structures.columns import Column, Columns
from clew.index.structures.layered_map import LayeredMap
from clew.index.structures.stored_map import map_columns, read_map
from clew.values.packing import Unpacker, pack

Multimap = LayeredMap[str, set[str]]

_unpack: Unpacker[set[str]] = Unpacker(set[str])


def add(multimap: Multimap, key: str, value: str) -> None:
    """Add ``value`` to the set of ``key``."""
    values = multimap.get(key)
    if values is None:
        multimap.add(key, {value})
    elif value not in values:
        multimap.own(key, set).add(value)


def discard(multimap: Multimap, key: str, value: str) -> None:
    """Remove ``value`` from the set of ``key``, if it is there."""
    values = multimap.get(key)
    if values is None or value not in values:
        return
    if len(values) == 1:
        del multimap[key]
    else:
        multimap.own(key, set).discard(value)


def columns(multimap: Multimap) -> Iterator[Column]:
    """Yield a multimap as columns, for ``read``."""
    return map_columns(multimap, lambda values: pack(sorted(values)))


def read(columns: Columns) -> Multimap:
    """Return the multimap that ``columns`` wrote.

    Raises:
        ValueError, LookupError: there is none.
    """
    return read_map(columns, _unpack)
