"""The method ``rank``: computes slow values on threads, ranks, and measures the time."""

import asyncio
import time
from functools import partial

from msgspec.structs import replace

from clew.engine.derived.derived_values import Derived, importance_of
from clew.query.rank.rank_symbols import Ranking, packed, rank
from clew.surface.server.answers.searching import vocabulary_work
from clew.surface.server.service import VaultService
from clew.surface.server.single_flight import Work
from clew.values import requests, search_replies
from clew.values.arrays import Float64Array

LINKS_AT_ONCE = 10_000  # about 2 ms; with more links, importance is computed on a thread


async def answer_rank(service: VaultService, request: requests.Rank) -> search_replies.RankReply:
    """Return the reply of a ranking, with the time it took."""
    began_s = time.perf_counter()
    ranking = await _ranked(service, request)
    reply = await asyncio.get_running_loop().run_in_executor(None, _packed, ranking)
    took_ms = round((time.perf_counter() - began_s) * 1000, 3)
    return replace(reply, search_metrics=replace(reply.search_metrics, took_ms=took_ms))


async def _ranked(service: VaultService, request: requests.Rank) -> Ranking:
    snapshot, symbols = await service.tools.symbol_names.symbols(service.ready_snapshot)
    derived = snapshot.derived
    if not derived.has_importance and len(derived.links.targets) > LINKS_AT_ONCE:
        await service.tools.importance_work.once(derived, importance_work)
    ranking = rank(snapshot, symbols, request, derived.vocabulary)
    if ranking is None:
        await service.tools.vocabulary_work.once(derived, vocabulary_work)
        ranking = rank(snapshot, symbols, request, derived.vocabulary)
    assert ranking is not None
    return ranking


def importance_work(derived: Derived) -> Work[Float64Array]:
    """Return how to compute the importance of nodes, and how to store it."""
    links = derived.links
    return partial(importance_of, links), partial(derived.keep_importance, links)


def _packed(ranking: Ranking) -> search_replies.RankReply:
    # Loading the tokenizer takes 0.4 s, once.
    from clew.text.tokens import count_tokens  # noqa: PLC0415

    return packed(ranking, count_tokens)
