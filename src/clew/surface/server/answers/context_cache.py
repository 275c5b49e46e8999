"""The cache of packs of the method ``context``."""

from typing import NamedTuple

from clew.index.structures.lru import LruCache
from clew.values.arrays import Int64Array
from clew.values.search_replies import ContextReply

CACHE_CHARACTERS_MAX = 16 * 1024 * 1024
ENTRY_CHARACTERS = 4_096  # of an entry, besides its text and its rows
ROW_CHARACTERS = 1_500  # of a row of evidence


class CacheKey(NamedTuple):
    """What a pack depends on, besides the weights of notes."""

    request: bytes
    now_s: float
    content_changes: int
    degraded: tuple[str, ...]


class CachedPack(NamedTuple):
    """A pack, and the weights of the notes that it depends on."""

    reply: ContextReply
    weighed: Int64Array  # note ids
    weights: bytes


ContextCache = LruCache[CacheKey, CachedPack]


def new_cache(entries_max: int = 256) -> ContextCache:
    """Return an empty cache of at most so many packs, and of less than 16 MiB."""
    least = CACHE_CHARACTERS_MAX // entries_max
    return LruCache(CACHE_CHARACTERS_MAX, lambda cached: max(least, _size(cached)))


def _size(cached: CachedPack) -> int:
    rows = len(cached.reply.evidence) if cached.reply.evidence else 0
    texts = len(cached.reply.context) + len(cached.weights) * 2
    return ENTRY_CHARACTERS + texts + rows * ROW_CHARACTERS
