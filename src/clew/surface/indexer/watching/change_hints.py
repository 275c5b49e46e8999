"""Hints of changes, from one watch over all folders that is replaced when folders change.

A hint only names a path to check. The watch may lose changes or die; a dead watch is started again
with a growing delay, and walks on a timer find the changes that it missed.
"""

import posixpath
import threading
import time
from collections.abc import Callable, Iterable, Mapping

from clew.surface.indexer.watching.watch import Watch
from clew.text.unicode import is_utf8

HINTS_MAX = 1_000  # with more pending hints, some may be lost, and a walk is cheaper
REVIVE_SECONDS_MIN = 0.1
REVIVE_SECONDS_MAX = 60.0
STEADY_SECONDS = 10.0  # a watch that ran longer is restarted without back-off


Identity = tuple[int, int]  # a folder's inode, 0 if it is missing, and how often it was replaced


class Hints:
    """Collects the paths that the watch reports on its thread."""

    def __init__(self, root: str, debounce_ms: int, wake: Callable[[], None]) -> None:
        self._root = root
        self._debounce_ms = debounce_ms
        self._wake = wake
        self._lock = threading.Lock()
        self._paths: set[str] = set()
        self._taken_overflows = 0
        self._folders: dict[str, Identity] = {}  # as last passed to ``watch``
        self._unwatchable: frozenset[str] = frozenset()
        self._unwatched: set[str] = set()  # folders that no armed watch covers yet
        self._armed: Watch | None = None
        self._arming: Watch | None = None
        self._deaths = 0
        self._began_s = 0.0  # on the monotonic clock, like ``revive_at_s``
        self.revive_at_s: float | None = None  # when a dead watch is to be started again
        self.failure: str | None = None  # why there are no hints now
        self.overflows = 0  # how often there were more than ``HINTS_MAX`` pending hints

    @property
    def folder_count(self) -> int:
        """The number of folders that are watched."""
        return 0 if self.failure else len(self._folders) - len(self._unwatchable)

    def revive_in_s(self) -> float | None:
        """Return the seconds until a dead watch is started again; ``None`` while one is alive."""
        return None if self.revive_at_s is None else self.revive_at_s - time.monotonic()

    def unwatchable(self) -> frozenset[str]:
        """Return the folders that watchfiles cannot watch: see ``_unwatchable_among``."""
        return self._unwatchable

    def take(self) -> tuple[frozenset[str], bool]:
        """Return the paths reported since the last call, and whether some may have been lost."""
        with self._lock:
            paths, self._paths = frozenset(self._paths), set()
            lost = self.overflows > self._taken_overflows
            self._taken_overflows = self.overflows
        return paths, lost

    def watch(self, folders: Mapping[str, Identity]) -> None:
        """Watch ``folders``, unless exactly these are watched already.

        New folders become hints once the new watch is armed, since earlier changes in them were
        not reported. The old watch runs until then, so that no change is missed.
        """
        if self.revive_at_s is not None:
            if time.monotonic() < self.revive_at_s:
                return
            self.revive_at_s = self.failure = None
            self._use({})
        elif folders == self._folders:
            return
        fresh = {folder for folder, which in folders.items() if self._folders.get(folder) != which}
        self._use(folders)
        if self._arming is not None:
            self._arming.stop()
        with self._lock:
            self._unwatched = (self._unwatched | fresh) & folders.keys()
            covered = frozenset(self._unwatched)
        there = {path for path, (inode, _) in folders.items() if inode}
        paths = sorted(there - self._unwatchable)
        self._began_s = time.monotonic()
        self._arming = Watch(self._root, paths, self._debounce_ms, self._add, self._restart_later)
        self._arming.start(lambda watch: self._take_over(watch, covered))

    def _use(self, folders: Mapping[str, Identity]) -> None:
        self._folders = dict(folders)
        self._unwatchable = _unwatchable_among(folders)

    def rearm(self) -> None:
        """Make the next ``watch`` start a new watch, since a folder may have been replaced."""
        self._use({})

    def _take_over(self, watch: Watch, covered: frozenset[str]) -> None:
        with self._lock:
            if watch is not self._arming:
                return  # a newer watch was started
            old_watch, self._armed, self._arming = self._armed, watch, None
            self._unwatched -= covered
        if old_watch is not None:
            old_watch.stop()
        self._add(frozenset(f"{folder}/." if folder else "." for folder in covered))

    def _add(self, paths: frozenset[str]) -> None:
        if not paths:
            return
        with self._lock:
            self._paths |= paths
            if len(self._paths) > HINTS_MAX:
                self._paths.clear()
                self.overflows += 1
        self._wake()

    def _restart_later(self, watch: Watch, reason: str) -> None:
        """Schedule the restart of a dead watch, with exponential back-off."""
        with self._lock:
            if watch is not self._armed and watch is not self._arming:
                return
        now_s = time.monotonic()
        self._deaths = 1 if now_s - self._began_s > STEADY_SECONDS else self._deaths + 1
        delay_s = REVIVE_SECONDS_MIN * 2.0 ** (self._deaths - 1)
        self.failure = f"{reason}; looking on a timer until it is back"
        self.revive_at_s = now_s + min(REVIVE_SECONDS_MAX, delay_s)
        self._wake()


def _unwatchable_among(folders: Iterable[str]) -> frozenset[str]:
    """Return the folders whose paths are not UTF-8, and those that hold such a folder.

    watchfiles reports opened files and folders too, and ends at the first name that is not UTF-8.
    So whenever such a folder is listed, a watch of the folder around it would end.
    """
    undecodable = {folder for folder in folders if not is_utf8(folder)}
    return frozenset(undecodable | {posixpath.dirname(folder) for folder in undecodable})
