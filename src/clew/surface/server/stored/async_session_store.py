"""Sessions in the state folder, read and written on a thread, since each change is fsynced."""

import asyncio
import logging
import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

from clew.disk.durable import Disk
from clew.engine.sessions.session_store import SHARED, SessionStore
from clew.surface.server.health import Health
from clew.surface.server.shared_work import Threads
from clew.values.errors import ClewError
from clew.values.memory.turns import ScratchEntry, Session, Turn

logger = logging.getLogger(__name__)
T = TypeVar("T")

_PART = "sessions"  # the name of the degraded part


class AsyncSessionStore:
    """Keeps the sessions of one vault; a failure degrades the part ``sessions``."""

    def __init__(self, state: str, health: Health, disk: Disk) -> None:
        self._store = SessionStore(os.path.join(state, "memory"), disk)
        self._health = health
        # One thread makes the changes one by one. At most one request of each client waits for it.
        self._thread = Threads(max_workers=1, thread_name_prefix="clew-sessions")

    async def sessions(self) -> Mapping[str, Session]:
        """Return all sessions by id; the first call reads them from the disk."""
        return await self._on_thread(self._store.load)

    async def scratch(self, session_id: str | None) -> Mapping[str, ScratchEntry]:
        """Return the scratch values of a session by key; ``None``: the shared values."""
        session = (await self.sessions()).get(session_id or SHARED)
        return session.scratch if session else {}

    async def append(self, session_id: str, role: str, text: str, time_s: float) -> Turn:
        """Add a turn; return it when it is on the disk.

        Raises:
            TooLarge: there is no room for it.
            ClewError: it cannot be saved.
        """
        return await self._on_thread(partial(self._store.append, session_id, role, text, time_s))

    async def set_scratch(
        self, session_id: str | None, key: str, value: str, time_s: float
    ) -> None:
        """Set a scratch value; return when it is on the disk.

        Raises:
            TooLarge: there is no room for it.
            ClewError: it cannot be saved.
        """
        await self._on_thread(
            partial(self._store.set_scratch, session_id or SHARED, key, value, time_s)
        )

    async def clear_scratch(self, session_id: str | None, key: str | None) -> int:
        """Remove a scratch value, or all of a session; return how many there were.

        Raises:
            ClewError: this cannot be saved.
        """
        return await self._on_thread(partial(self._store.clear_scratch, session_id or SHARED, key))

    async def delete(self, session_id: str, time_s: float) -> Session | None:
        """Remove a session; return what it was, ``None`` if there is none.

        Raises:
            ClewError: this cannot be saved.
        """
        return await self._on_thread(partial(self._store.delete, session_id, time_s))

    def save_again(self) -> None:
        """Write all sessions again, after the state folder was removed or replaced."""
        self._thread.submit(self._save_all)

    def _save_all(self) -> None:
        try:
            self._store.save_all()
        except OSError as error:
            logger.warning("sessions are not saved again reason=%s", error)

    async def _on_thread(self, work: Callable[[], T]) -> T:
        """Run ``work`` on the thread, to its end even if the request is cancelled."""
        loop = asyncio.get_running_loop()
        try:
            result = await asyncio.shield(loop.run_in_executor(self._thread, work))
        except OSError as error:
            reason = f"sessions cannot be read or saved: {error.strerror or error}"
            self._health.degrade(_PART, reason)
            raise ClewError(reason, "make room on the disk, or check the state folder") from error
        self._health.recover(_PART)
        return result
