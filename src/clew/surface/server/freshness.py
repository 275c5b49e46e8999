"""Keeping up with the vault: hints for speed, walks for truth.

A hint names folders to look at. Since a hint can be lost, late or early, each is followed by a
second look a moment later, new folders are looked at once their watch is armed, and the whole
vault is walked on a timer that keeps its cost under one hundredth of a core.
"""

import asyncio
import logging

from clew.surface.config import WatchTable
from clew.surface.server.service import VaultService
from clew.surface.server.watching import Watch
from clew.values.errors import VaultUnavailable

logger = logging.getLogger(__name__)

SECOND_LOOK_S = 0.2
SWEEP_SECONDS_MIN = 30.0
RESTART_SECONDS_MAX = 60.0
VAULT_LOST_SECONDS = 2.0
_COST_SHARE = 0.01
_HINTS_MAX = 5_000  # more paths than this in one go: walk everything instead
_EVERYTHING = "**"


class Freshness:
    """Listens, walks and applies for one vault."""

    def __init__(self, service: VaultService, settings: WatchTable) -> None:
        self._service = service
        self._settings = settings
        self._hints: set[str] = set()
        self._heard = asyncio.Event()
        self._second_look: set[str] = set()
        self._watched: dict[str, int] = {}  # folder -> inode
        self._watch: Watch | None = None
        self._deaths = 0

    async def keep(self) -> None:
        """Keep the service fresh until cancelled."""
        loop = asyncio.get_running_loop()
        self._rewatch(loop)
        next_sweep_s = loop.time() + self._sweep_seconds()
        try:
            while True:
                hints = await self._next_hints(next_sweep_s - loop.time())
                try:
                    if hints is None:
                        self._service.refresh()
                        next_sweep_s = loop.time() + self._sweep_seconds()
                    else:
                        self._look(hints, loop)
                except VaultUnavailable:
                    # The folder may be back at any moment, and no hint will tell.
                    next_sweep_s = loop.time() + VAULT_LOST_SECONDS
                if self._service.folders() != self._watched:
                    self._rewatch(loop)
        finally:
            if self._watch is not None:
                self._watch.stop()

    def _hear(self, paths: frozenset[str]) -> None:
        """Take paths to look at; called on the event loop's thread."""
        self._hints |= paths
        if len(self._hints) > _HINTS_MAX:
            self._hints = {_EVERYTHING}
        self._heard.set()

    async def _next_hints(self, timeout_s: float) -> set[str] | None:
        """Return all paths heard of, or ``None`` when it is time for a sweep."""
        try:
            await asyncio.wait_for(self._heard.wait(), max(0.0, timeout_s))
        except TimeoutError:
            return None
        self._heard.clear()
        hints, self._hints = self._hints, set()
        return None if _EVERYTHING in hints else hints

    def _look(self, hints: set[str], loop: asyncio.AbstractEventLoop) -> None:
        self._service.refresh_at(hints)
        if not self._second_look:
            loop.call_later(SECOND_LOOK_S, self._look_again)
        self._second_look |= hints

    def _look_again(self) -> None:
        """Look once more where there were hints: a file may have been caught half written."""
        paths, self._second_look = self._second_look, set()
        try:
            self._service.refresh_at(paths)
        except VaultUnavailable:
            logger.info("vault gone between two looks")

    def _rewatch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Watch the folders there are now, and look at the new ones once that is so."""
        if self._watch is not None:
            self._watch.stop()
        now = self._service.folders()
        fresh = {folder for folder, inode in now.items() if self._watched.get(folder) != inode}
        self._watched = now
        pending = frozenset(f"{folder}/." if folder else "." for folder in fresh)

        def heard(paths: frozenset[str]) -> None:
            # The first call tells that the watch is armed: what came before it was not heard.
            nonlocal pending
            paths, pending = paths | pending, frozenset()
            if paths:
                loop.call_soon_threadsafe(self._hear, paths)

        def ended(reason: str) -> None:
            loop.call_soon_threadsafe(self._watch_ended, reason)

        self._watch = Watch(
            self._service.places.vault,
            sorted(folder for folder, inode in now.items() if inode),
            self._settings.debounce_ms,
            heard,
            ended,
        )
        self._watch.start()

    def _watch_ended(self, reason: str) -> None:
        """Start again after a while, longer each time; sweeps go on meanwhile."""
        self._deaths += 1
        self._service.degrade("watch", f"{reason}; looking on a timer until it is back")
        loop = asyncio.get_running_loop()
        delay_s = min(RESTART_SECONDS_MAX, 2.0**self._deaths)
        loop.call_later(delay_s, self._revive)

    def _revive(self) -> None:
        self._watched = {}
        self._service.restore("watch")
        self._hear(frozenset({_EVERYTHING}))

    def _sweep_seconds(self) -> float:
        if self._settings.sweep_seconds != "auto":
            return float(self._settings.sweep_seconds)
        return max(SWEEP_SECONDS_MIN, self._service.last_walk_s / _COST_SHARE)
