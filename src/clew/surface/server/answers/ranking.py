"""The method ``rank``: ranks symbols, and measures the time."""

import asyncio
import time

from msgspec.structs import replace

from clew.query.rank.rank_symbols import Ranking, packed, rank
from clew.surface.server.answers.turns import in_turns
from clew.surface.server.service import VaultService
from clew.values import requests, search_replies


async def answer_rank(service: VaultService, request: requests.Rank) -> search_replies.RankReply:
    """Return the reply of a ranking, with the time it took."""
    began_s = time.perf_counter()
    slices = rank(service.ready_snapshot(), request)
    ranking = await in_turns(slices, service.tools.shared_work)
    reply = await asyncio.get_running_loop().run_in_executor(None, _packed, ranking)
    took_ms = round((time.perf_counter() - began_s) * 1000, 3)
    return replace(reply, search_metrics=replace(reply.search_metrics, took_ms=took_ms))


def _packed(ranking: Ranking) -> search_replies.RankReply:
    # Loading the tokenizer takes 0.4 s, once.
    from clew.text.tokens import count_tokens  # noqa: PLC0415

    return packed(ranking, count_tokens)
