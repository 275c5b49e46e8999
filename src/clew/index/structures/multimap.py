"""Multimaps: dicts from a key to the set of its values, without empty sets."""

Multimap = dict[str, set[str]]


def add(multimap: Multimap, key: str, value: str) -> None:
    """Add ``value`` to the set of ``key``."""
    multimap.setdefault(key, set()).add(value)


def discard(multimap: Multimap, key: str, value: str) -> None:
    """Remove ``value`` from the set of ``key``, if it is there."""
    values = multimap.get(key)
    if values is not None:
        values.discard(value)
        if not values:
            del multimap[key]
