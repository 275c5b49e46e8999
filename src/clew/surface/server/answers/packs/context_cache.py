"""The cache of packs of the method ``context``."""

from typing import NamedTuple

from clew.index.structures.lru import LruCache
from clew.values.arrays import Int64Array
from clew.values.search_replies import ContextReply

CACHE_CHARACTERS_MAX = 16 * 1024 * 1024
ENTRY_CHARACTERS = 4_096  # of an entry, besides its text and its rows
ROW_CHARACTERS = 1_500  # of a row of evidence
PIECE_CHARACTERS = 100  # of what a delivered piece is known by


class CacheKey(NamedTuple):
    """What a pack depends on, besides the weights of notes."""

    request: bytes
    now_s: float
    content_changes: int
    degraded: tuple[str, ...]
    session_version: int  # of what was delivered to the session


class CachedPack(NamedTuple):
    """A pack, and the weights of the notes that it depends on."""

    reply: ContextReply
    weighed: Int64Array | None  # note ids; None for all
    weights: bytes  # their digest
    pieces: frozenset[bytes]  # that the pack delivers


ContextCache = LruCache[CacheKey, CachedPack]


def new_cache(entries_max: int = 256) -> ContextCache:
    """Return an empty cache of at most so many packs, and of less than 16 MiB."""
    least = CACHE_CHARACTERS_MAX // entries_max
    return LruCache(CACHE_CHARACTERS_MAX, lambda cached: max(least, _size(cached)))


def _size(cached: CachedPack) -> int:
    rows = len(cached.reply.evidence) if cached.reply.evidence else 0
    ids_bytes = 0 if cached.weighed is None else cached.weighed.nbytes
    texts = len(cached.reply.context) + ids_bytes
    texts += len(cached.pieces) * PIECE_CHARACTERS
    return ENTRY_CHARACTERS + texts + rows * ROW_CHARACTERS
