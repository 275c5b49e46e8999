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
TRIES_MAX = 4  # tries to rank before the next change, with all slow values computed


async def answer_rank(service: VaultService, request: requests.Rank) -> search_replies.RankReply:
    """Return the reply of a ranking, with the time it took."""
    began_s = time.perf_counter()
    ranking = await _ranked(service, request)
    reply = await asyncio.get_running_loop().run_in_executor(None, _packed, ranking)
    took_ms = round((time.perf_counter() - began_s) * 1000, 3)
    return replace(reply, search_metrics=replace(reply.search_metrics, took_ms=took_ms))


async def _ranked(service: VaultService, request: requests.Rank) -> Ranking:
    for is_last in (*[False] * TRIES_MAX, True):
        names = await service.tools.symbol_names.learned(service.ready_snapshot)
        # Nothing changes the snapshot before the next await.
        snapshot = service.ready_snapshot()
        derived = snapshot.derived
        vocabulary = derived.vocabulary
        if is_last:
            # The vault changes all the time: compute everything here rather than wait forever.
            vocabulary = vocabulary or derived.word_list().vocabulary()
        elif not derived.has_importance and len(derived.links.targets) > LINKS_AT_ONCE:
            await service.tools.importance_work.once(derived, importance_work)
            continue
        ranking = rank(snapshot, names.symbols(snapshot), request, vocabulary)
        if ranking is not None:
            return ranking
        await service.tools.vocabulary_work.once(derived, vocabulary_work)
    raise AssertionError("a ranking with a vocabulary is never None")


def importance_work(derived: Derived) -> Work[Float64Array]:
    """Return how to compute the importance of nodes, and to store it if links did not change."""
    links = derived.links

    def store(importance_by_node: Float64Array) -> None:
        if not derived.has_importance:
            derived.keep_importance(links, importance_by_node)

    return partial(importance_of, links), store


def _packed(ranking: Ranking) -> search_replies.RankReply:
    # Loading the tokenizer takes 0.4 s, once.
    from clew.text.tokens import count_tokens  # noqa: PLC0415

    return packed(ranking, count_tokens)
