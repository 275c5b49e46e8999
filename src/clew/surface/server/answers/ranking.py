"""The methods ``rank``, which ranks symbols, and ``expand``: both count tokens exactly."""

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
from clew.values import replies, requests, search_replies

COUNTS_KEPT = 20_000  # of texts, 16 bytes of digest each
COUNT_KEPT_FROM = 500  # characters of a text: the many short ones would push out those of notes
_counts: LruCache[bytes, int] = LruCache(COUNTS_KEPT, lambda _: 1)


async def answer_rank(service: VaultService, request: requests.Rank) -> search_replies.RankReply:
    """Return the reply of a ranking, with the time it took."""
    began_s = time.perf_counter()
    # Not on the thread for shared work, which may be computing an importance for seconds.
    await asyncio.get_running_loop().run_in_executor(None, _load_tokenizer)
    snapshot = service.ready_snapshot()
    reply = await in_turns(rank(snapshot, request, counted_once), service.tools.shared_work)
    _weigh_behind(service, snapshot)
    took_ms = round((time.perf_counter() - began_s) * 1000, 3)
    return replace(reply, search_metrics=replace(reply.search_metrics, took_ms=took_ms))


async def answer_expand(
    service: VaultService, request: requests.Expand, now_s: float
) -> replies.Expand:
    """Return what a text names, in at most as many tokens as it asks for."""
    await asyncio.get_running_loop().run_in_executor(None, _load_tokenizer)
    slices = expand(service.ready_snapshot(), request, now_s, counted_once)
    return await in_turns(slices, service.tools.shared_work)


def _weigh_behind(service: VaultService, snapshot: Snapshot) -> None:
    """Begin to compute the importance of present links, for later requests; one at a time."""
    tools = service.tools
    is_weighing = tools.weighing is not None and not tools.weighing.done()
    if not snapshot.derived.has_present_importance and not is_weighing:
        tools.weighing = tools.shared_work.begin(snapshot.derived.weigh_nodes)


def _load_tokenizer() -> None:
    counted_once("")  # takes 0.4 s, once


def counted_once(text: str) -> int:
    """Return the number of tokens; long texts, which are often those of notes, are counted once."""
    from clew.text.tokens import count_tokens  # noqa: PLC0415 - only what ranks needs it

    if len(text) < COUNT_KEPT_FROM:
        return count_tokens(text)
    key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    count = _counts.get(key)
    if count is None:
        count = count_tokens(text)
        _counts.put(key, count)
    return count
