"""The parts of a daemon that answer requests: the replica, the indexer, and shared query state.

Queries run on the event loop's thread, which also applies revisions, so each sees one revision from
start to end. Only the indexer process reads the vault.
"""

import asyncio
import copy
import os
import secrets
import time
from collections.abc import Callable

from msgspec.structs import replace

from clew.disk.durable import DISK, Disk
from clew.engine.apply import Engine
from clew.engine.derived.change_log import ChangeLog
from clew.engine.indexes import Indexes
from clew.engine.persist.generation_files import map_index_file
from clew.engine.settings import SiblingConfig
from clew.engine.snapshot import Snapshot
from clew.query.search.search_config import SearchConfig
from clew.surface.children import Spawned
from clew.surface.indexer.briefing import Briefing
from clew.surface.server.answers.query_tools import QueryTools
from clew.surface.server.child.approximate_loading import ApproximateLoader
from clew.surface.server.child.indexer_requests import IndexerRequests
from clew.surface.server.child.receiver import Receiver
from clew.surface.server.child.replica import Replica
from clew.surface.server.child.spawning import spawn_indexer
from clew.surface.server.child.supervisor import Supervisor
from clew.surface.server.health import Health
from clew.surface.server.paths import DaemonPaths, shown
from clew.surface.server.stored.async_session_store import AsyncSessionStore
from clew.surface.server.stored.event_log import EventLog
from clew.values import ipc
from clew.values.errors import NotAllowed, NotReady
from clew.values.note import Problem
from clew.values.packing import pack
from clew.values.requests import Request
from clew.values.vault import NoteEvents

EPOCH_BYTES = 8


class VaultService:
    """The parts that answer requests about one vault."""

    def __init__(
        self,
        paths: DaemonPaths,
        briefing: Briefing,
        sibling_config: SiblingConfig,
        search_config: SearchConfig,
        spawned: Spawned | None = None,
        spawn: Callable[[], Spawned] = spawn_indexer,
        disk: Disk = DISK,
    ) -> None:
        self.paths = paths
        self.briefing = briefing
        self.sibling_config = sibling_config
        self.search_config = search_config
        self.started_s = time.monotonic()
        self.epoch = secrets.token_hex(EPOCH_BYTES)  # identifies this run, in which revisions rise
        self.stopping = asyncio.Event()
        self.tools = QueryTools(briefing.model)
        self.health = Health(paths)
        self.replica = Replica(briefing.indexer.engine)
        self._events = EventLog(paths.state, self.health, disk)
        self.sessions = AsyncSessionStore(paths.state, self.health, disk)
        index_folder = os.path.join(paths.state, "index")
        self.receiver = Receiver(
            self.replica,
            self._events,
            self.health,
            self.tools.load_model,
            lambda number: map_index_file(index_folder, number),
            ApproximateLoader(index_folder, self.replica, self._tell_indexer).load,
        )
        self.indexer = Supervisor(self.receiver, self._packed_briefing, spawned, spawn)
        self.requests = IndexerRequests(
            shown(paths.vault), self.indexer, self.receiver, self.replica, self.health
        )
        self.replica.load_events(self._events.load())
        self.other_vault: str | None = None  # another vault that used this state folder before
        self.allows_private = False  # whether requests may ask for private notes
        self.shows_private = True

    def for_request(self, request: Request) -> "VaultService":
        """Return the service for ``request``: this one, or a view of it without private notes.

        Raises:
            NotAllowed: the request asks for private notes, and the config does not allow it.
        """
        if request.include_private is True and not self.allows_private:
            message = "private notes may not be asked for"
            raise NotAllowed(message, "allow_private = true in [context] of the daemon's config")
        if request.include_private and self.allows_private:
            return self
        public = copy.copy(self)
        public.shows_private = False
        return public

    @property
    def vault_name(self) -> str:
        """The name of the vault's folder, as Obsidian shows it."""
        return os.path.basename(shown(self.paths.vault))

    @property
    def _view(self) -> Engine:
        views = self.replica.views
        return views.whole if self.shows_private else views.public

    @property
    def snapshot(self) -> Snapshot:
        """The present revision, with private notes only if ``shows_private``."""
        return self._view.snapshot

    @property
    def indexes(self) -> Indexes:
        """The indexes of the present revision, with private notes only if ``shows_private``."""
        return self._view.indexes

    @property
    def revision(self) -> int:
        """The number of the present revision."""
        return self._view.revision

    @property
    def changes(self) -> ChangeLog:
        """The log of changed notes, with private ones only if ``shows_private``."""
        return self._view.changes

    def problems(self) -> list[Problem]:
        """Return the problems of visible files and of settings, by path."""
        found = self.health.problems(self.snapshot)
        if self.shows_private:
            return found
        return [problem for problem in found if not self.replica.views.is_private(problem.path)]

    @property
    def indexing(self) -> ipc.ReadingProgress | None:
        """The progress of the first index; ``None`` once it is whole."""
        if self.receiver.ready.is_set():
            return None
        return self.receiver.progress or ipc.ReadingProgress(0, 0)

    def ready_snapshot(self) -> Snapshot:
        """Return the present revision, even if the first index is incomplete.

        Raises:
            NotReady: no part of the first index is published yet.
        """
        return self.snapshot if self.receiver.can_answer else self.whole_snapshot()

    def whole_snapshot(self) -> Snapshot:
        """Return the present revision.

        Raises:
            NotReady: the first index is still being built.
        """
        if self.receiver.ready.is_set():
            return self.snapshot
        if reason := self.health.degraded_parts().get("vault"):
            message = f"the first index cannot be built: {reason}"
            raise NotReady(message, self.health.vault_remedy())
        raise self.not_ready()

    def not_ready(self) -> NotReady:
        """Return the error for requests that need a whole index."""
        progress = self.indexing or ipc.ReadingProgress(0, 0)
        return NotReady(
            f"the first index is being built: {progress.done} of {progress.total} notes",
            "ask again soon, or with waitFresh",
        )

    def mark_read(self, path: str, now_s: float) -> None:
        """Record that a note was read at ``now_s``; the date is saved before the reply is sent."""
        self._events.add(self.replica.remember(NoteEvents({path: now_s})))

    def save(self, *, at_end: bool = False) -> None:
        """Compact the saved dates of events if that is due."""
        self._events.compact(self.snapshot.events, at_end=at_end)

    def save_again(self) -> None:
        """Save everything again, after the state folder was removed or replaced."""
        self._events.save_all(self.snapshot.events)
        self.sessions.save_again()
        self.indexer.tell(ipc.SaveAgain())

    def _tell_indexer(self, message: object) -> None:
        self.indexer.tell(message)

    def _packed_briefing(self, ignores_state: bool) -> bytes:
        report = self.health.report
        identity = report.root_identity if report else None
        return pack(replace(self.briefing, ignores_state=ignores_state, root_identity=identity))
