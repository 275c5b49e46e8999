"""The cache of what pipelines found: for as long as the notes, and their weights, stay the same.

What depends on a session is not cached: its turns and values may change at any time.
"""

from collections.abc import Iterable
from hashlib import blake2b
from typing import NamedTuple

from msgspec import msgpack

from clew.engine.snapshot import Snapshot
from clew.index.structures.lru import LruCache
from clew.query.assemble.contribution import Contribution
from clew.query.assemble.mentions import KV_SCHEME
from clew.query.slices import Slices
from clew.values.vault import Pipeline, Step

CACHE_CHARACTERS_MAX = 16 * 1024 * 1024
ENTRY_CHARACTERS = 4_096  # of an entry, besides its texts
PASSAGE_CHARACTERS = 1_000  # of a passage, besides the text of its note
_OF_SESSIONS = ("recall", "kv")


class PipelineKey(NamedTuple):
    """What the result of a pipeline depends on, besides the weights of notes."""

    pipeline: str  # "" for the built-in one
    request: bytes  # a digest of the task, and of what else the pipeline is given
    now_s: float
    content_changes: int
    shows_private: bool
    degraded: tuple[str, ...]


class CachedResult(NamedTuple):
    """What a pipeline brought, and a digest of the weights of notes then."""

    found: Contribution
    weights: bytes


PipelineCache = LruCache[PipelineKey, CachedResult]


def new_pipeline_cache() -> PipelineCache:
    """Return an empty cache of less than 16 MiB."""
    return LruCache(CACHE_CHARACTERS_MAX, _size)


def digest_of(task: str, token_budget: int, held: Iterable[str]) -> bytes:
    """Return a digest of what pipelines are given."""
    given = msgpack.encode((task, token_budget, tuple(held)))
    return blake2b(given, digest_size=16).digest()


def depends_on_session(pipeline: Pipeline) -> bool:
    """Return whether a step asks for turns or values of the session."""
    return any(map(_asks_session, pipeline.steps))


def _asks_session(step: Step) -> bool:
    return step.kind in _OF_SESSIONS or KV_SCHEME in step.text("ref")


def with_cache(
    cache: PipelineCache, key: PipelineKey, snapshot: Snapshot, slices: Slices[Contribution]
) -> Slices[Contribution]:
    """Return what the pipeline found before if nothing changed since, else run its ``slices``."""
    weights = blake2b(snapshot.decay(key.now_s).tobytes(), digest_size=16).digest()
    cached = cache.get(key)
    if cached is not None and cached.weights == weights:
        return cached.found
    found = yield from slices
    cache.put(key, CachedResult(found, weights))
    return found


def _size(cached: CachedResult) -> int:
    material = cached.found.material
    size = ENTRY_CHARACTERS + sum(len(item.text) for item in cached.found.items)
    if material is not None:
        passages = [*material.passages, *material.below]
        size += PASSAGE_CHARACTERS * len(passages)
        # The texts of notes, and what a pack shows of them.
        size += 2 * sum({each.note.path: len(each.note.text) for each in passages}.values())
    return size
