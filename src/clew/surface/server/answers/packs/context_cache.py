"""The cache of packs of the method ``context``."""

from typing import NamedTuple

from clew.index.structures.lru import LruCache
from clew.values.arrays import Int64Array
from clew.values.search_replies import ContextReply

CACHE_CHARACTERS_MAX = 16 * 1024 * 1024
ENTRY_CHARACTERS = 4_096  # the size of an entry without its text and rows
ROW_CHARACTERS = 1_500  # the size of a row of evidence
PIECE_CHARACTERS = 100  # the size of the digest of a delivered piece


class CacheKey(NamedTuple):
    """All inputs of a pack but the weights of notes."""

    request: bytes
    now_s: float
    content_changes: int
    degraded: tuple[str, ...]
    session_version: int  # changes with the pieces delivered to the session


class CachedPack(NamedTuple):
    """A pack, and a digest of the weights on which it depends."""

    reply: ContextReply
    weighed: Int64Array | None  # ids of the notes with these weights; None for all
    weights: bytes  # digest of the weights
    pieces: frozenset[bytes]  # digests of the pieces in the pack


ContextCache = LruCache[CacheKey, CachedPack]


def new_cache(entries_max: int = 256) -> ContextCache:
    """Return an empty cache of at most ``entries_max`` packs and 16 MiB."""
    least = CACHE_CHARACTERS_MAX // entries_max
    return LruCache(CACHE_CHARACTERS_MAX, lambda cached: max(least, _size(cached)))


def _size(cached: CachedPack) -> int:
    rows = len(cached.reply.evidence) if cached.reply.evidence else 0
    ids_bytes = 0 if cached.weighed is None else cached.weighed.nbytes
    texts = len(cached.reply.context) + ids_bytes
    texts += len(cached.pieces) * PIECE_CHARACTERS
    return ENTRY_CHARACTERS + texts + rows * ROW_CHARACTERS
