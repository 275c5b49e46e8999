"""Multimaps: mappings from a key to the set of its values, without empty sets."""

from clew.index.structures.layered_map import LayeredMap

Multimap = LayeredMap[str, set[str]]


def add(multimap: Multimap, key: str, value: str) -> None:
    """Add ``value`` to the set of ``key``."""
    if key in multimap:
        multimap.own(key, set).add(value)
    else:
        multimap[key] = {value}


def discard(multimap: Multimap, key: str, value: str) -> None:
    """Remove ``value`` from the set of ``key``, if it is there."""
    values = multimap.get(key)
    if values is None or value not in values:
        return
    if len(values) == 1:
        del multimap[key]
    else:
        multimap.own(key, set).discard(value)
