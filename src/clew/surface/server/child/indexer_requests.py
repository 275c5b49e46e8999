"""Requests of the server to its indexer: walk the vault, name an ignore rule, count the edges."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from clew.surface.server.child.receiver import Receiver
from clew.surface.server.child.replica import Replica
from clew.surface.server.child.supervisor import Supervisor
from clew.surface.server.health import Health
from clew.values import ipc
from clew.values.errors import TimedOut, VaultUnavailable

EDGES_WAIT_S = 1.0
RULE_WAIT_S = 2.0


@dataclass(frozen=True, slots=True)
class EdgeCount:
    """The number of edges at a revision."""

    revision: int
    count: int


class IndexerRequests:
    """Sends requests to the indexer; keeps the last count of edges."""

    def __init__(
        self, vault: str, indexer: Supervisor, receiver: Receiver, replica: Replica, health: Health
    ) -> None:
        self.edges = EdgeCount(revision=-1, count=0)
        self._vault = vault  # the path as printable text
        self._indexer = indexer
        self._ready = receiver.ready
        self._is_all_visible = receiver.is_all_visible
        self._replica = replica
        self._health = health

    async def walk(
        self, wait_s: float, *, full: bool = False, paths: tuple[str, ...] = ()
    ) -> ipc.WalkReply:
        """Wait until every change made to the notes at ``paths`` before this call is applied.

        Without paths, wait for all changes of the vault, and until the first index is whole.

        Raises:
            TimedOut: this took longer than ``wait_s``.
            VaultUnavailable: the vault's folder cannot be read.
        """
        try:
            async with asyncio.timeout(wait_s):
                reply: ipc.WalkReply = await self._indexer.ask(
                    lambda ticket: ipc.WalkRequest(ticket, full, paths)
                )
                if reply.failure is None:
                    await (self._is_all_visible if paths else self._ready).wait()
        except TimeoutError as error:
            raise self._timed_out() from error
        if reply.failure is not None:
            reason = f"{self._vault} {reply.failure}"
            raise VaultUnavailable(reason, self._health.vault_remedy())
        return reply

    def _timed_out(self) -> TimedOut:
        if self._ready.is_set():
            message = "not every change could be applied in time"
        else:
            message = "the first index was not ready in time"
        return TimedOut(message, "ask again with more waitFreshMs")

    async def ignore_rule(self, path: str) -> str | None:
        """Return the rule that excludes a note; ``None`` if there is no rule or no reply."""
        reply = await self._ask(lambda ticket: ipc.IgnoreRuleRequest(ticket, path), RULE_WAIT_S)
        return reply.rule if isinstance(reply, ipc.IgnoreRuleReply) else None

    async def count_edges(self) -> None:
        """Update ``edges`` for the current revision, unless the reply takes too long."""
        if self.edges.revision == self._replica.snapshot.revision or not self._ready.is_set():
            return
        reply = await self._ask(ipc.EdgeCountRequest, EDGES_WAIT_S)
        if isinstance(reply, ipc.EdgeCountReply):
            # All changes that the indexer sent before its reply are applied by now.
            self.edges = EdgeCount(self._replica.snapshot.revision, reply.edge_count)

    async def _ask(
        self, request_of_ticket: Callable[[int], object], wait_s: float
    ) -> ipc.Reply | None:
        """Return the indexer's reply, ``None`` if it takes longer than ``wait_s``."""
        try:
            async with asyncio.timeout(wait_s):
                reply: ipc.Reply = await self._indexer.ask(request_of_ticket)
        except TimeoutError:
            return None
        return reply
