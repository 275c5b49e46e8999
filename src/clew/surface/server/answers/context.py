"""The method ``context``: gathers, packs on a thread, caches, and measures each stage."""

import asyncio
import time

from msgspec.structs import replace

from clew.engine.snapshot import Snapshot
from clew.query.context.formulas.cache_key import request_key
from clew.query.context.gather import Material, gather
from clew.query.context.pack import packed
from clew.surface.server.answers.context_cache import CachedPack, CacheKey
from clew.surface.server.answers.searching import setting_for
from clew.surface.server.answers.turns import in_turns
from clew.surface.server.service import VaultService
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
    key = CacheKey(request_key(request), now_s, snapshot.content_changes, setting.degraded)
    cached = cache.get(key)
    if cached is not None and cached.weights == _weights(snapshot, cached.weighed, now_s):
        timings = {"total": _elapsed_ms(began_s)}
        return _with_timings(cached.reply, snapshot.revision, timings, is_hit=True)
    material = await in_turns(gather(snapshot, request, setting), service.tools.shared_work)
    gathered_s = time.perf_counter()
    reply = await asyncio.get_running_loop().run_in_executor(None, _packed, material)
    weights = _weights(snapshot, material.weighed, now_s)
    cache.put(key, CachedPack(reply, material.weighed, weights))
    timings = {
        "gather": round((gathered_s - began_s) * 1000, 3),
        "pack": _elapsed_ms(gathered_s),
        "total": _elapsed_ms(began_s),
    }
    return _with_timings(reply, snapshot.revision, timings, is_hit=False)


def _weights(snapshot: Snapshot, note_ids: Int64Array, now_s: float) -> bytes:
    """Return the weights of notes, which a read may change, for comparison."""
    return snapshot.decay(now_s)[note_ids].tobytes()


def _packed(material: Material) -> ContextReply:
    # Loading the tokenizer takes 0.4 s, once.
    from clew.text.tokens import count_tokens  # noqa: PLC0415

    return packed(material, count_tokens)


def _with_timings(
    reply: ContextReply, revision: int, timings: dict[str, float], *, is_hit: bool
) -> ContextReply:
    metadata = replace(reply.metadata, cache_hit=is_hit, stage_timings=timings)
    return replace(reply, revision=revision, metadata=metadata)


def _elapsed_ms(since_s: float) -> float:
    return round((time.perf_counter() - since_s) * 1000, 3)
