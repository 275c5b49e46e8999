"""The server's side of rank: what takes longer than a query may is done aside, the rest at once."""

import asyncio
import time

from msgspec.structs import replace

from clew.engine.derived import importance_of
from clew.engine.snapshot import Snapshot
from clew.query.matching import VocabularyMissing
from clew.query.rank import Ranking, packed, rank
from clew.surface.server.querying import make_vocabulary
from clew.surface.server.service import VaultService
from clew.values import found, requests

LINKS_AT_ONCE = 10_000  # some 2 ms; the importance of what more of them link is found on a thread


async def answer_rank(service: VaultService, request: requests.Rank) -> found.RankReply:
    """Return what a ranking finds, with how long it took."""
    began_s = time.perf_counter()
    ranking = await _ranked(service, request)
    reply = await asyncio.get_running_loop().run_in_executor(None, _packed, ranking)
    took_ms = round((time.perf_counter() - began_s) * 1000, 3)
    return replace(reply, search_metrics=replace(reply.search_metrics, took_ms=took_ms))


async def _ranked(service: VaultService, request: requests.Rank) -> Ranking:
    for is_last in (False, False, True):
        await _weigh(service.ready_snapshot())
        names = await service.naming.learned(service.ready_snapshot)
        # From here on nothing waits, so nothing changes.
        snapshot = service.ready_snapshot()
        if is_last:
            snapshot.derived.vocabulary = snapshot.derived.word_list().vocabulary()
        try:
            return rank(snapshot, names, request)
        except VocabularyMissing:
            await make_vocabulary(snapshot)
    raise AssertionError


async def _weigh(snapshot: Snapshot) -> None:
    """Find out how important everything is; if links change meanwhile, it is for nothing."""
    derived = snapshot.derived
    links = derived.links
    if derived.has_importance or len(links.targets) <= LINKS_AT_ONCE:
        return
    loop = asyncio.get_running_loop()
    derived.keep_importance(links, await loop.run_in_executor(None, importance_of, links))


def _packed(ranking: Ranking) -> found.RankReply:
    # Loading what tokens are counted with takes 0.4 s once.
    from clew.text.tokens import count_tokens  # noqa: PLC0415

    return packed(ranking, count_tokens)
