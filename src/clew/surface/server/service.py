"""The vault as the daemon serves it: its index, how fresh it is, and what to tell about both.

Everything here runs on the event loop's thread, so a query sees one revision from start to end.
"""

import asyncio
import errno
import logging
import os
import resource
import stat
import time
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

from clew import __version__
from clew.engine.dump import dump
from clew.engine.indexer import Applied, Indexer, drained
from clew.engine.memory import load_reads, save_reads
from clew.engine.snapshot import Snapshot
from clew.query.notes import to_problem
from clew.surface.server.watching import SETTINGS_FOLDERS
from clew.values import replies
from clew.values.errors import NotReady, VaultUnavailable
from clew.values.note import Problem
from clew.values.vault import Difference
from clew.vault.ignore import APP_JSON

logger = logging.getLogger(__name__)

PROTOCOL = 1
PROBLEMS_MAX = 10_000
PAIRS_COUNTED_AT_ONCE = 2_000_000  # about 50 ms; more are counted aside


@dataclass(frozen=True, slots=True)
class Places:
    """Where a daemon's things are."""

    vault: str
    state: str
    socket: str


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What one look at the vault brought."""

    applied: Applied
    took_ms: float


class VaultService:
    """Keeps the index in step with the vault and knows how it stands."""

    def __init__(self, indexer: Indexer, places: Places) -> None:
        self.places = places
        self.ready = asyncio.Event()
        self.stopping = asyncio.Event()
        self._indexer = indexer
        self._started_s = time.monotonic()
        self._progress: replies.Progress | None = replies.Progress(done=0, total=0)
        self._degraded: dict[str, str] = {}
        self._edge_count: tuple[int, int] = (-1, 0)  # revision, edges
        self._counting: asyncio.Future[int] | None = None
        self._problem_count: tuple[int, int] = (-1, 0)  # revision, problems
        self._unsaved_reads = False
        self._root_identity: tuple[int, int] | None = None  # device, inode
        self.last_walk_s = 0.0

    # -- keeping fresh ------------------------------------------------------------------------

    async def first_index(self) -> AsyncIterator[int]:
        """Read the whole vault for the first time, yielding the notes done, then be ready."""
        began_s = time.monotonic()
        found = self._walk()
        self._progress = replies.Progress(done=0, total=len(found.changed))
        for done in self._indexer.absorb(found):
            self._progress = replies.Progress(done=done, total=len(found.changed))
            yield done
        self._indexer.restore_reads(load_reads(self._memory_folder))
        self._progress = None
        self.ready.set()
        self._log("indexed", Applied(len(found.changed), 0, 0), time.monotonic() - began_s)

    def refresh(self, *, full: bool = False) -> Refreshed:
        """Walk the vault and apply what changed; ``full`` reads every note again.

        Raises:
            VaultUnavailable: the vault's folder cannot be listed.
        """
        began_s = time.monotonic()
        found = self._walk()
        return self._absorb(self._with_everything(found) if full else found, began_s)

    def refresh_at(self, paths: Iterable[str]) -> Refreshed:
        """Walk the folders that hold ``paths`` and apply what changed.

        Raises:
            VaultUnavailable: the vault's folder cannot be listed.
        """
        if APP_JSON in paths:
            return self.refresh()
        began_s = time.monotonic()
        try:
            self._check_root()
            found = self._indexer.look_at(
                (path for path in paths if path == "." or not path.startswith(".")), time.time_ns()
            )
        except OSError as error:
            raise self._vault_lost(error) from error
        return self._absorb(found, began_s)

    def folders(self) -> dict[str, int]:
        """Return the folders to watch with their inodes, 0 for settings folders not there."""
        settings = {name: _inode(self.places.vault, name) for name in SETTINGS_FOLDERS}
        return {**self._indexer.folders(), **settings, "": _inode(self.places.vault, "")}

    def mark_read(self, path: str, now_s: float) -> None:
        """Record that someone read a note."""
        self._indexer.mark_read(path, now_s)
        self._unsaved_reads = True

    def save(self) -> None:
        """Write what must outlive this daemon, if anything of it changed."""
        if not self._unsaved_reads:
            return
        try:
            os.makedirs(self._memory_folder, mode=0o700, exist_ok=True)
            save_reads(self._memory_folder, self.snapshot.reads_s)
        except OSError as error:
            self.degrade("memory", f"read dates cannot be saved: {error}")
        else:
            self._unsaved_reads = False
            self.restore("memory")

    def degrade(self, part: str, reason: str) -> None:
        """Record that a part of the service does not work, until ``restore``."""
        if self._degraded.get(part) != reason:
            logger.warning("degraded part=%s reason=%s", part, reason)
        self._degraded[part] = reason

    def restore(self, part: str) -> None:
        """Record that a part of the service works again."""
        if self._degraded.pop(part, None) is not None:
            logger.info("restored part=%s", part)

    def _walk(self) -> Difference:
        began_s = time.monotonic()
        try:
            self._check_root()
            found = self._indexer.look(time.time_ns())
        except OSError as error:
            raise self._vault_lost(error) from error
        self.last_walk_s = time.monotonic() - began_s
        self.restore("vault")
        return found

    def _check_root(self) -> None:
        """Make sure that the vault's path still leads to the folder it led to at first.

        Raises:
            OSError: it is gone, or another folder stands there: an unmounted disk looks like that.
        """
        status = os.stat(self.places.vault)
        identity = (status.st_dev, status.st_ino)
        if self._root_identity is None:
            self._root_identity = identity
        if identity != self._root_identity:
            raise NotADirectoryError(errno.ENOTDIR, "another folder stands in its place")

    def _vault_lost(self, error: OSError) -> VaultUnavailable:
        reason = f"{shown(self.places.vault)} cannot be listed: {error.strerror or error}"
        self.degrade("vault", reason)
        return VaultUnavailable(reason, "what was known is kept until the folder is back")

    def _with_everything(self, found: Difference) -> Difference:
        changed = set(found.changed) | (self.snapshot.entries.keys() - set(found.gone))
        return Difference(tuple(sorted(changed)), found.gone, found.others_added, found.others_gone)

    def _absorb(self, found: Difference, began_s: float) -> Refreshed:
        before = self.snapshot.revision
        applied = drained(self._indexer.absorb(found))
        took_s = time.monotonic() - began_s
        if self.snapshot.revision != before:
            self._log("applied", applied, took_s)
        return Refreshed(applied, round(took_s * 1000, 3))

    def _log(self, what: str, applied: Applied, took_s: float) -> None:
        logger.info(
            "%s revision=%d added=%d modified=%d removed=%d ms=%d",
            what,
            self.snapshot.revision,
            applied.added,
            applied.modified,
            applied.removed,
            took_s * 1000,
        )

    @property
    def _memory_folder(self) -> str:
        return os.path.join(self.places.state, "memory")

    # -- telling ------------------------------------------------------------------------------

    @property
    def snapshot(self) -> Snapshot:
        """The present revision."""
        return self._indexer.snapshot

    def ready_snapshot(self) -> Snapshot:
        """Return the present revision.

        Raises:
            NotReady: the first index is still being built.
        """
        if self._progress is not None:
            done, total = self._progress.done, self._progress.total
            raise NotReady(
                f"the first index is being built: {done} of {total} notes",
                "ask again soon, or with waitFresh",
            )
        return self.snapshot

    def ignore_rule(self, path: str) -> str | None:
        """Return the rule that leaves a note out, if one does."""
        return self._indexer.ignore_rule(path)

    def problems(self) -> list[Problem]:
        """Return all that is wrong, by path."""
        return self._indexer.problems()

    def hello(self, capabilities: Iterable[str]) -> replies.Hello:
        """Return what this daemon is and can do."""
        return replies.Hello(
            revision=self.snapshot.revision,
            protocol=PROTOCOL,
            version=__version__,
            vault=shown(self.places.vault),
            capabilities=tuple(sorted(capabilities)),
        )

    def status(self) -> replies.Status:
        """Return how the daemon is."""
        snapshot = self.snapshot
        stage = replies.Stage(ready=self._progress is None, revision=snapshot.revision)
        return replies.Status(
            revision=snapshot.revision,
            ready=self._progress is None,
            notes=len(snapshot.entries),
            concepts=len(snapshot.graph.concepts()),
            edges=self._edges(),
            communities=0,
            chunks=0,
            vectors=0,
            problems=self._problems(),
            indexing=self._progress,
            stages={"graph": stage},
            degraded=tuple(f"{part}: {why}" for part, why in sorted(self._degraded.items())),
            cache={"hits": 0, "misses": 0, "entries": 0},
            uptime_s=round(time.monotonic() - self._started_s, 3),
            rss_bytes={"server": _rss_bytes(), "indexer": 0},
            socket=shown(self.places.socket),
            state=shown(self.places.state),
            vault=shown(self.places.vault),
            version=__version__,
        )

    def doctor(self, *, deep: bool) -> replies.Doctor:
        """Return what was looked at and everything that is wrong."""
        checks = [self._check_vault(), self._check_parts()]
        if deep:
            checks.append(self._check_rebuild())
        return replies.Doctor(
            revision=self.snapshot.revision,
            checks=tuple(checks),
            problems=tuple(map(to_problem, self.problems()[:PROBLEMS_MAX])),
        )

    def _check_vault(self) -> replies.Check:
        try:
            os.listdir(self.places.vault)
        except OSError as error:
            message = f"{shown(self.places.vault)} cannot be listed: {error.strerror}"
            return replies.Check(name="vault", ok=False, message=message, fix="bring it back")
        message = f"{len(self.snapshot.entries)} notes in {shown(self.places.vault)}"
        return replies.Check(name="vault", ok=True, message=message, fix=None)

    def _check_parts(self) -> replies.Check:
        if self._degraded:
            message = "; ".join(f"{part}: {why}" for part, why in sorted(self._degraded.items()))
            fix = "clew sync, or restart the daemon"
            return replies.Check(name="parts", ok=False, message=message, fix=fix)
        return replies.Check(name="parts", ok=True, message="everything works", fix=None)

    def _check_rebuild(self) -> replies.Check:
        self.refresh()
        same = dump(self.snapshot) == dump(self._indexer.rebuilt(time.time_ns()).snapshot)
        message = "the index equals a rebuild" if same else "the index differs from a rebuild"
        fix = None if same else "restart the daemon, and please report it"
        return replies.Check(name="rebuild", ok=same, message=message, fix=fix)

    def _edges(self) -> int:
        """Return the number of edges; in a very large graph it may lag behind the revision."""
        revision, graph = self.snapshot.revision, self.snapshot.graph
        if self._edge_count[0] == revision:
            return self._edge_count[1]
        if graph.pair_bound <= PAIRS_COUNTED_AT_ONCE:
            self._edge_count = (revision, len(graph.edges()))
        elif self._counting is None or self._counting.done():
            rows = graph.rows_alone()
            loop = asyncio.get_running_loop()
            self._counting = loop.run_in_executor(None, lambda: len(rows.edges()))
            self.degrade("edges", "a very large graph: its edges are being counted")
            self._counting.add_done_callback(
                lambda count: self._take_edge_count(revision, count.result())
            )
        return self._edge_count[1]

    def _take_edge_count(self, revision: int, count: int) -> None:
        self._edge_count = (revision, count)
        self.restore("edges")

    def _problems(self) -> int:
        revision = self.snapshot.revision
        if self._problem_count[0] != revision:
            self._problem_count = (revision, len(self.problems()))
        return self._problem_count[1]


def shown(path: str) -> str:
    """Return a path of this machine as text that JSON can hold."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _inode(root: str, folder: str) -> int:
    """Return the inode of a folder of the vault, 0 when it is not there or a symbolic link."""
    try:
        status = os.lstat(os.path.join(root, folder))
    except OSError:
        return 0
    return status.st_ino if stat.S_ISDIR(status.st_mode) else 0


def _rss_bytes() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
