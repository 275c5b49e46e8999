"""The cache of pipelines' results, valid while the notes and their weights do not change.

A pipeline that depends on a session is not cached, since turns and values change at any time.
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
ENTRY_CHARACTERS = 4_096  # the size of an entry without its texts
PASSAGE_CHARACTERS = 1_000  # the size of a passage without the text of its note
_OF_SESSIONS = ("recall", "kv")


class PipelineKey(NamedTuple):
    """All inputs of a pipeline's result but the weights of notes."""

    pipeline: str  # "" for the built-in one
    request: bytes  # a digest of the task, the budget and the references held
    now_s: float
    content_changes: int
    shows_private: bool
    degraded: tuple[str, ...]


class CachedResult(NamedTuple):
    """The result of a pipeline, and a digest of the weights of notes at that time."""

    contribution: Contribution
    weights: bytes


PipelineCache = LruCache[PipelineKey, CachedResult]


def new_pipeline_cache() -> PipelineCache:
    """Return an empty cache of less than 16 MiB."""
    return LruCache(CACHE_CHARACTERS_MAX, _size)


def digest_of(task: str, token_budget: int, held: Iterable[str]) -> bytes:
    """Return a digest of the inputs of pipelines."""
    given = msgpack.encode((task, token_budget, tuple(held)))
    return blake2b(given, digest_size=16).digest()


def depends_on_session(pipeline: Pipeline) -> bool:
    """Return whether a step of the pipeline uses turns or values of the session."""
    return any(map(_asks_session, pipeline.steps))


def _asks_session(step: Step) -> bool:
    return step.kind in _OF_SESSIONS or KV_SCHEME in step.text("ref")


def with_cache(
    cache: PipelineCache, key: PipelineKey, snapshot: Snapshot, slices: Slices[Contribution]
) -> Slices[Contribution]:
    """Return the cached result if it is still valid, else run the pipeline's ``slices``."""
    weights = snapshot.decay_digest(key.now_s)
    cached = cache.get(key)
    if cached is not None and cached.weights == weights:
        return cached.contribution
    contribution = yield from slices
    cache.put(key, CachedResult(contribution, weights))
    return contribution


def _size(cached: CachedResult) -> int:
    material = cached.contribution.material
    size = ENTRY_CHARACTERS + sum(len(item.text) for item in cached.contribution.items)
    if material is not None:
        passages = [*material.passages, *material.below]
        size += PASSAGE_CHARACTERS * len(passages)
        # Twice, for the texts of notes and for the parts that a pack shows.
        size += 2 * sum({each.note.path: len(each.note.text) for each in passages}.values())
    return size
