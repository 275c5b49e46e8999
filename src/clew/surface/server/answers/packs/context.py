"""The method ``context``: gather passages, pack them on a thread, cache, time each stage."""

import asyncio
import time
from hashlib import blake2b

from msgspec.structs import replace

from clew.engine.snapshot import Snapshot
from clew.query.context.formulas.cache_key import request_key
from clew.query.context.gather import Material, gather
from clew.query.context.pack import packed
from clew.surface.server.answers.packs.context_cache import CachedPack, CacheKey
from clew.surface.server.answers.searching import setting_for
from clew.surface.server.answers.turns import in_turns
from clew.surface.server.service import VaultService
from clew.surface.server.shared_work import POOL
from clew.values import requests
from clew.values.arrays import Int64Array
from clew.values.search_replies import ContextReply


async def answer_context(
    service: VaultService, request: requests.Context, now_s: float
) -> ContextReply:
    """Return a pack, from the cache if nothing that it depends on has changed."""
    encoder = await service.tools.model.encoder()
    began_s = time.perf_counter()
    snapshot = service.ready_snapshot()
    setting = setting_for(service, encoder, now_s)
    cache = service.tools.contexts
    deliveries, session_id = service.tools.deliveries, request.session_id
    key = CacheKey(
        request_key(request, snapshot.code.has_entity),
        now_s,
        snapshot.content_changes,
        setting.degraded,
        deliveries.version(session_id),
    )
    cached = cache.get(key)
    if cached is not None and cached.weights == _weights(snapshot, cached.weighed, now_s):
        deliveries.add(session_id, cached.pieces)
        timings = {"total": _elapsed_ms(began_s)}
        return _with_timings(cached.reply, snapshot.revision, timings, is_hit=True)
    slices = gather(snapshot, request, setting, deliveries.delivered(session_id))
    material = await in_turns(slices, service.tools.shared_work)
    gathered_s = time.perf_counter()
    reply, pieces = await asyncio.get_running_loop().run_in_executor(POOL, _packed, material)
    weights = _weights(snapshot, material.weighed, now_s)
    cache.put(key, CachedPack(reply, material.weighed, weights, pieces))
    deliveries.add(session_id, pieces)
    timings = {
        "gather": round((gathered_s - began_s) * 1000, 3),
        "pack": _elapsed_ms(gathered_s),
        "total": _elapsed_ms(began_s),
    }
    return _with_timings(reply, snapshot.revision, timings, is_hit=False)


def _weights(snapshot: Snapshot, note_ids: Int64Array | None, now_s: float) -> bytes:
    """Return a digest of the weights of notes; ``None``: of all. A read may change weights."""
    if note_ids is None:
        return snapshot.decay_digest(now_s)
    return blake2b(snapshot.decay(now_s)[note_ids].tobytes(), digest_size=16).digest()


def _packed(material: Material) -> tuple[ContextReply, frozenset[bytes]]:
    # Loading the tokenizer takes 0.3 s, once.
    from clew.text.tokens import count_tokens  # noqa: PLC0415

    return packed(material, count_tokens)


def _with_timings(
    reply: ContextReply, revision: int, timings: dict[str, float], *, is_hit: bool
) -> ContextReply:
    metadata = replace(reply.metadata, cache_hit=is_hit, stage_timings=timings)
    return replace(reply, revision=revision, metadata=metadata)


def _elapsed_ms(since_s: float) -> float:
    return round((time.perf_counter() - since_s) * 1000, 3)
