"""The methods ``rank`` and ``expand``, which both need exact counts of tokens."""

import asyncio
import time
from hashlib import blake2b

from msgspec.structs import replace

from clew.engine.snapshot import Snapshot
from clew.index.structures.lru import LruCache
from clew.query.context.expanding import expand
from clew.query.rank.rank_symbols import rank
from clew.surface.server.answers.turns import in_turns
from clew.surface.server.service import VaultService
from clew.surface.server.shared_work import POOL
from clew.values import replies, requests, search_replies

COUNTS_KEPT = 4_096  # cached counts, each with a digest of 16 bytes
COUNT_KEPT_FROM = 500  # characters; counts of shorter texts would evict those of notes
_counts: LruCache[bytes, int] = LruCache(COUNTS_KEPT, lambda _: 1)


async def answer_rank(service: VaultService, request: requests.Rank) -> search_replies.RankReply:
    """Return the reply of a ranking, with the time it took."""
    began_s = time.perf_counter()
    # The thread for shared work may be busy for seconds, so another thread loads the tokenizer.
    await asyncio.get_running_loop().run_in_executor(POOL, _load_tokenizer)
    snapshot = service.ready_snapshot()
    reply = await in_turns(rank(snapshot, request, cached_count), service.tools.shared_work)
    _start_weighing(service, snapshot)
    took_ms = round((time.perf_counter() - began_s) * 1000, 3)
    return replace(reply, search_metrics=replace(reply.search_metrics, took_ms=took_ms))


async def answer_expand(
    service: VaultService, request: requests.Expand, now_s: float
) -> replies.Expand:
    """Return explanations of the names in a text, within the requested number of tokens."""
    await asyncio.get_running_loop().run_in_executor(POOL, _load_tokenizer)
    slices = expand(service.ready_snapshot(), request, now_s, cached_count)
    return await in_turns(slices, service.tools.shared_work)


def _start_weighing(service: VaultService, snapshot: Snapshot) -> None:
    """Start to compute the importance for the present links, unless this runs; do not wait."""
    tools = service.tools
    is_weighing = tools.weighing is not None and not tools.weighing.done()
    if not snapshot.derived.has_present_importance and not is_weighing:
        tools.weighing = tools.shared_work.begin(snapshot.derived.weigh_nodes)


def _load_tokenizer() -> None:
    cached_count("")  # takes 0.3 s, once


def cached_count(text: str) -> int:
    """Return the number of tokens; cache the counts of long texts, often those of notes."""
    from clew.text.tokens import count_tokens  # noqa: PLC0415 - only what ranks needs it

    if len(text) < COUNT_KEPT_FROM:
        return count_tokens(text)
    key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    count = _counts.get(key)
    if count is None:
        count = count_tokens(text)
        _counts.put(key, count)
    return count
