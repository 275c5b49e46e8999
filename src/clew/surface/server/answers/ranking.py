"""The methods ``rank``, which ranks symbols, and ``expand``: both count tokens exactly."""

import asyncio
import time

from msgspec.structs import replace

from clew.engine.snapshot import Snapshot
from clew.query.context.expanding import expand
from clew.query.rank.rank_symbols import rank
from clew.surface.server.answers.turns import in_turns
from clew.surface.server.service import VaultService
from clew.values import replies, requests, search_replies


async def answer_rank(service: VaultService, request: requests.Rank) -> search_replies.RankReply:
    """Return the reply of a ranking, with the time it took."""
    began_s = time.perf_counter()
    # Not on the thread for shared work, which may be computing an importance for seconds.
    await asyncio.get_running_loop().run_in_executor(None, _load_tokenizer)
    snapshot = service.ready_snapshot()
    reply = await in_turns(rank(snapshot, request, _count_tokens), service.tools.shared_work)
    _weigh_behind(service, snapshot)
    took_ms = round((time.perf_counter() - began_s) * 1000, 3)
    return replace(reply, search_metrics=replace(reply.search_metrics, took_ms=took_ms))


async def answer_expand(
    service: VaultService, request: requests.Expand, now_s: float
) -> replies.Expand:
    """Return what a text names, in at most as many tokens as it asks for."""
    await asyncio.get_running_loop().run_in_executor(None, _load_tokenizer)
    slices = expand(service.ready_snapshot(), request, now_s, _count_tokens)
    return await in_turns(slices, service.tools.shared_work)


def _weigh_behind(service: VaultService, snapshot: Snapshot) -> None:
    """Begin to compute the importance of present links, for later requests; one at a time."""
    tools = service.tools
    is_weighing = tools.weighing is not None and not tools.weighing.done()
    if not snapshot.derived.has_present_importance and not is_weighing:
        tools.weighing = tools.shared_work.begin(snapshot.derived.weigh_nodes)


def _load_tokenizer() -> None:
    _count_tokens("")  # takes 0.4 s, once


def _count_tokens(text: str) -> int:
    from clew.text.tokens import count_tokens  # noqa: PLC0415 - only what ranks needs it

    return count_tokens(text)
