"""The vault as the daemon serves it: what is known of it, and how to ask for more.

Queries run on the event loop's thread, where revisions change, so each sees one from start to end.
Reading the vault is the indexer's work, in a process of its own.
"""

import asyncio
import logging
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import tzinfo
from functools import cached_property
from typing import Any

from msgspec.structs import replace

from clew.engine.indexes import Indexes, free_incrementally
from clew.engine.persist.read_dates import ReadDates
from clew.engine.settings import IndexerSettings, SiblingConfig
from clew.engine.snapshot import Snapshot
from clew.query.search.search_config import SearchConfig
from clew.surface.indexer.briefing import Briefing
from clew.surface.server.answers.query_model import QueryModel
from clew.surface.server.answers.symbol_names import Naming
from clew.surface.server.child.replica import Replica
from clew.surface.server.child.spawning import Spawned, spawn
from clew.surface.server.child.supervisor import Supervisor
from clew.surface.server.paths import Places, restart_commands, shown
from clew.surface.server.single_flight import Aside
from clew.surface.server.timezone import local_zone
from clew.text.terms import LANGUAGES
from clew.values import ipc
from clew.values.errors import NotReady, TimedOut, VaultUnavailable
from clew.values.note import Problem
from clew.values.packing import pack

logger = logging.getLogger(__name__)

READS_LOG_BYTES_MAX = 4 * 1024 * 1024
EDGES_WAIT_S = 1.0
RULE_WAIT_S = 2.0


class VaultService:
    """What is known of a vault, and the indexer that keeps it so."""

    def __init__(
        self,
        places: Places,
        briefing: Briefing,
        siblings: SiblingConfig,
        rules: SearchConfig,
        spawned: Spawned | None = None,
        spawn: Callable[[], Spawned] = spawn,
    ) -> None:
        self.places = places
        self.briefing = briefing
        self.siblings = siblings
        self.rules = rules
        self.model = QueryModel(briefing.model)
        self.naming = Naming(LANGUAGES[briefing.indexer.engine.language])
        self.counting = Aside()  # of the vault's words
        self.weighing = Aside()  # of what is linked
        self.ready = asyncio.Event()
        self.stopping = asyncio.Event()
        self.indexer = Supervisor(self, self._brief, spawned, spawn)
        self.started_s = time.monotonic()
        self.checking = asyncio.Lock()  # held while the index is compared with a rebuild
        self.drawing = asyncio.Lock()  # held while a graph is drawn
        # One thread: who hangs up lets go of the lock, yet what is drawn is drawn to its end.
        self.drawer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="clew-draw")
        self.progress: ipc.ReadingProgress | None = ipc.ReadingProgress(0, 0)
        self.report: ipc.IndexerReport | None = None
        self.edges: tuple[int, int] = (-1, 0)  # at which revision, how many
        self.degraded: dict[str, str] = {}
        self._restart = restart_commands(places)  # while the vault's path leads to the vault
        self._replica = Replica(briefing.indexer.engine)
        self._dates = ReadDates(os.path.join(places.state, "memory"))
        self._dates_unsaved = False
        self._model_loading: asyncio.Future[Any] | None = None
        self._freeing: asyncio.Future[None] | None = None
        self._replica.mark_read(self._dates.load())

    @property
    def settings(self) -> IndexerSettings:
        """How the vault is read."""
        return self.briefing.indexer

    @property
    def vault_name(self) -> str:
        """The name of the vault, as Obsidian has it."""
        return os.path.basename(shown(self.places.vault))

    @cached_property
    def zone(self) -> tzinfo:
        """Where days begin for who asks; looked up once somebody does."""
        return local_zone()

    @property
    def snapshot(self) -> Snapshot:
        """The present revision."""
        return self._replica.snapshot

    @property
    def indexes(self) -> Indexes:
        """The present revision, to be sealed; it changes whenever the indexer is heard."""
        return self._replica.indexes

    def ready_snapshot(self) -> Snapshot:
        """Return the present revision.

        Raises:
            NotReady: the first index is still being built.
        """
        if not self.ready.is_set():
            if reason := self.degraded_parts().get("vault"):
                message = f"the first index cannot be built: {reason}"
                raise NotReady(message, self.vault_remedy())
            progress = self.progress or ipc.ReadingProgress(0, 0)
            raise NotReady(
                f"the first index is being built: {progress.done} of {progress.total} notes",
                "ask again soon, or with waitFresh",
            )
        return self.snapshot

    # -- hearing the indexer ------------------------------------------------------------------

    def hear(self, message: ipc.FromIndexer | bytes) -> None:
        """Take in what the indexer says.

        Raises:
            ValueError, LookupError: it makes no sense.
        """
        if isinstance(message, bytes):
            self._replica.take_chunk(message)
        elif isinstance(message, ipc.BatchApplied):
            self._keep_dates(self._replica.apply(message.batch))
        elif isinstance(message, ipc.RevisionStarted):
            self._replica.open()
        elif isinstance(message, ipc.RevisionPublished):
            self._keep_dates(self._replica.publish())
            self._freeing = asyncio.ensure_future(self._free_retired())
            self._now_ready()
        elif isinstance(message, ipc.PartitionStarted):
            self._replica.dividing()
        elif isinstance(message, ipc.PartitionCommunity):
            self._replica.group(message.community)
        elif isinstance(message, ipc.PartitionFinished):
            self._replica.divided(message.modularity)
        elif isinstance(message, ipc.ReadingProgress):
            self.progress = message if message.done < message.total else None
        elif isinstance(message, ipc.IndexerReport):
            self.report = message

    async def _free_retired(self) -> None:
        retired, self._replica.retired = self._replica.retired, None
        for _ in free_incrementally(retired) if retired else ():
            await asyncio.sleep(0)

    def lost(self, reason: str) -> None:
        """Serve on what is known until there is an indexer again."""
        self._replica.abandon()
        self._degrade("indexer", f"ended ({reason}); started again, answers may be old")
        self.progress = None if self.ready.is_set() else ipc.ReadingProgress(0, 0)

    def _now_ready(self) -> None:
        self.progress = None
        self.degraded.pop("indexer", None)
        if not self.ready.is_set():
            logger.info("ready notes=%d", len(self.snapshot.entries))
            self.ready.set()
            self._model_loading = asyncio.ensure_future(self.model.encoder())

    def _brief(self, ignores_state: bool) -> bytes:
        identity = self.report.root_identity if self.report else None
        return pack(replace(self.briefing, ignores_state=ignores_state, root_identity=identity))

    # -- asking it ----------------------------------------------------------------------------

    async def look(self, wait_s: float, *, full: bool = False) -> ipc.WalkReply:
        """Return once every change made to the vault before this call is applied.

        Raises:
            TimedOut: that took longer than ``wait_s``.
            VaultUnavailable: the vault's folder cannot be looked at.
        """
        try:
            async with asyncio.timeout(wait_s):
                looked: ipc.WalkReply = await self.indexer.ask(
                    lambda ticket: ipc.WalkRequest(ticket, full=full)
                )
                if looked.failure is None:
                    await self.ready.wait()
        except TimeoutError as error:
            raise self._too_late() from error
        if looked.failure is not None:
            reason = f"{shown(self.places.vault)} {looked.failure}"
            raise VaultUnavailable(reason, self.vault_remedy())
        return looked

    def _too_late(self) -> TimedOut:
        if self.ready.is_set():
            message = "not every change could be applied in time"
        else:
            message = "the first index was not ready in time"
        return TimedOut(message, "ask again with more waitFreshMs")

    async def ignore_rule(self, path: str) -> str | None:
        """Return the rule that leaves a note out, if one does and the indexer can tell."""
        reply = await self._ask(lambda ticket: ipc.IgnoreRuleRequest(ticket, path), RULE_WAIT_S)
        return reply.rule if isinstance(reply, ipc.IgnoreRuleReply) else None

    async def count_edges(self) -> None:
        """Bring the number of edges up to the present revision, if that does not take long."""
        revision = self.snapshot.revision
        if self.edges[0] == revision or not self.ready.is_set():
            return
        reply = await self._ask(ipc.EdgeCountRequest, EDGES_WAIT_S)
        if isinstance(reply, ipc.EdgeCountReply):
            # All that the indexer sent before its reply has been applied by now.
            self.edges = (self.snapshot.revision, reply.edge_count)

    async def _ask(self, request_of_ticket: Any, wait_s: float) -> ipc.Reply | None:
        """Return the indexer's reply to a request, ``None`` if it takes longer than ``wait_s``."""
        try:
            async with asyncio.timeout(wait_s):
                reply: ipc.Reply = await self.indexer.ask(request_of_ticket)
        except TimeoutError:
            return None
        return reply

    # -- problems -----------------------------------------------------------------------------

    def problems(self) -> list[Problem]:
        """Return everything that is wrong with files, notes and settings, by path."""
        beside = self.report.problems if self.report else ()
        found = [*beside, *self.snapshot.problems()]
        return sorted(found, key=lambda p: (p.path, p.code, p.line or 0, p.message))

    def degraded_parts(self) -> dict[str, str]:
        """Return what does not work just now, each with the reason."""
        reported = dict(self.report.degraded) if self.report else {}
        if "vault" in reported:
            reported["vault"] = f"{shown(self.places.vault)} {reported['vault']}"
        return {**reported, **self.degraded}

    def vault_remedy(self) -> str:
        """Return what to do about a vault that cannot be looked at."""
        if self.report is not None and self.report.vault_replaced:
            return f"put the old folder back, or have this one indexed: {self._restart}"
        return "bring it back; what was known is kept until then"

    def _degrade(self, part: str, reason: str) -> None:
        if self.degraded.get(part) != reason:
            logger.warning("degraded part=%s reason=%s", part, reason)
        self.degraded[part] = reason

    # -- read dates ---------------------------------------------------------------------------

    def mark_read(self, path: str, now_s: float) -> None:
        """Record that someone read a note; kept before anyone hears of it."""
        self._replica.mark_read({path: now_s})
        self._keep_dates({path: now_s})

    def _keep_dates(self, reads_s: dict[str, float]) -> None:
        if not reads_s:
            return
        try:
            self._dates.add(reads_s)
        except OSError as error:
            self._dates_unsaved = True
            self._degrade("memory", f"read dates cannot be saved: {error.strerror or error}")

    def save(self, *, at_end: bool = False) -> None:
        """Write the read dates whole if some could not be saved, or their log is long."""
        is_due = self._dates_unsaved or self._dates.log_bytes > READS_LOG_BYTES_MAX
        if not is_due and not (at_end and self._dates.log_bytes):
            return
        try:
            self._dates.compact(self.snapshot.reads_s)
        except OSError as error:
            self._degrade("memory", f"read dates cannot be saved: {error.strerror or error}")
        else:
            self._dates_unsaved = False
            self.degraded.pop("memory", None)
