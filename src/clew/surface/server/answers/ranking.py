"""The server's side of rank: what takes longer than a query may is done aside, the rest at once."""

import asyncio
import time
from functools import partial

from msgspec.structs import replace

from clew.engine.derived.arrays import Derived, importance_of
from clew.query.rank.rank_symbols import Ranking, packed, rank
from clew.query.search.matching import VocabularyMissing
from clew.surface.server.answers.searching import counting
from clew.surface.server.service import VaultService
from clew.surface.server.single_flight import Work
from clew.values import requests, search_replies
from clew.values.arrays import Float64Array

LINKS_AT_ONCE = 10_000  # some 2 ms; the importance of what more of them link is found on a thread
TRIES_MAX = 4  # to rank between two changes, with links weighed and words counted


async def answer_rank(service: VaultService, request: requests.Rank) -> search_replies.RankReply:
    """Return what a ranking finds, with how long it took."""
    began_s = time.perf_counter()
    ranking = await _ranked(service, request)
    reply = await asyncio.get_running_loop().run_in_executor(None, _packed, ranking)
    took_ms = round((time.perf_counter() - began_s) * 1000, 3)
    return replace(reply, search_metrics=replace(reply.search_metrics, took_ms=took_ms))


async def _ranked(service: VaultService, request: requests.Rank) -> Ranking:
    for _ in range(TRIES_MAX):
        names = await service.naming.learned(service.ready_snapshot)
        # Until something is awaited, nothing changes.
        snapshot = service.ready_snapshot()
        derived = snapshot.derived
        if not derived.has_importance and len(derived.links.targets) > LINKS_AT_ONCE:
            await service.weighing.once(derived, weighing)
            continue
        try:
            return rank(snapshot, names, request)
        except VocabularyMissing:
            await service.counting.once(derived, counting)
    names = await service.naming.learned(service.ready_snapshot)
    snapshot = service.ready_snapshot()
    if snapshot.derived.vocabulary is None:
        snapshot.derived.vocabulary = snapshot.derived.word_list().vocabulary()
    return rank(snapshot, names, request)


def weighing(derived: Derived) -> Work[Float64Array]:
    """Return how the importance of everything is found; if links change, it is for nothing."""
    links = derived.links

    def keep(found: Float64Array) -> None:
        if not derived.has_importance:
            derived.keep_importance(links, found)

    return partial(importance_of, links), keep


def _packed(ranking: Ranking) -> search_replies.RankReply:
    # Loading what tokens are counted with takes 0.4 s once.
    from clew.text.tokens import count_tokens  # noqa: PLC0415

    return packed(ranking, count_tokens)
