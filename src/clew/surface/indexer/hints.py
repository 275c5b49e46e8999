"""Hearing of changes: one watch over all folders, armed anew when folders come and go.

What is heard only names paths to look at. The watch may lose changes or die; then it is started
again, later each time, and whoever walks the vault on a timer finds what it did not tell.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping

from clew.surface.indexer.watching import Watch

logger = logging.getLogger(__name__)

HINTS_MAX = 1_000  # with more at once, some may have been lost: walking everything is cheaper too
REVIVE_SECONDS_MAX = 60.0


class Hints:
    """Paths that were heard of, gathered from the watch's thread."""

    def __init__(self, root: str, debounce_ms: int, wake: Callable[[], None]) -> None:
        self._root = root
        self._debounce_ms = debounce_ms
        self._wake = wake
        self._lock = threading.Lock()
        self._paths: set[str] = set()
        self._overflows = 0
        self._taken_overflows = 0
        self._watch: Watch | None = None
        self._watched: dict[str, int] = {}  # folder -> inode
        self._deaths = 0
        self._revive_at_s: float | None = None  # on the monotonic clock
        self.failure: str | None = None  # why nothing is heard, while that is so

    @property
    def overflows(self) -> int:
        """How often there were too many hints to be trusted."""
        return self._overflows

    @property
    def folder_count(self) -> int:
        """How many folders are watched."""
        return 0 if self.failure else len(self._watched)

    @property
    def revive_at_s(self) -> float | None:
        """When a dead watch is to be started again, on the monotonic clock."""
        return self._revive_at_s

    def take(self) -> tuple[frozenset[str], bool]:
        """Return the paths heard of since the last call, and whether some may have been lost."""
        with self._lock:
            paths, self._paths = frozenset(self._paths), set()
            lost = self._overflows > self._taken_overflows
            self._taken_overflows = self._overflows
        return paths, lost

    def watch(self, folders: Mapping[str, int]) -> None:
        """Watch ``folders``, given with their inodes, if they are not what is watched already.

        New ones are named as hints once the watch is armed: what came before was not heard.
        """
        is_due = self._revive_at_s is not None and time.monotonic() >= self._revive_at_s
        if self._revive_at_s is not None and not is_due:
            return
        if folders == self._watched and not is_due:
            return
        if is_due:
            self._watched = {}
            self._revive_at_s = self.failure = None
        self.stop()
        fresh = {folder for folder, inode in folders.items() if self._watched.get(folder) != inode}
        self._watched = dict(folders)
        self._watch = Watch(
            self._root,
            sorted(folder for folder, inode in folders.items() if inode),
            self._debounce_ms,
            _Armed(fresh, self._hear),
            self._ended,
        )
        self._watch.start()

    def stop(self) -> None:
        """Stop listening."""
        if self._watch is not None:
            self._watch.stop()

    def _hear(self, paths: frozenset[str]) -> None:
        if not paths:
            return
        with self._lock:
            self._paths |= paths
            if len(self._paths) > HINTS_MAX:
                self._paths.clear()
                self._overflows += 1
        self._wake()

    def _ended(self, reason: str) -> None:
        self._deaths += 1
        self.failure = f"{reason}; looking on a timer until it is back"
        self._revive_at_s = time.monotonic() + min(REVIVE_SECONDS_MAX, 2.0**self._deaths)
        self._wake()


class _Armed:
    """Adds to what is heard first the folders that nobody listened to before."""

    def __init__(self, fresh: set[str], hear: Callable[[frozenset[str]], None]) -> None:
        self._pending = frozenset(f"{folder}/." if folder else "." for folder in fresh)
        self._hear = hear

    def __call__(self, paths: frozenset[str]) -> None:
        pending, self._pending = self._pending, frozenset()
        self._hear(paths | pending)
