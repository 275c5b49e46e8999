"""What a session store holds, as plain values."""

import os
from pathlib import Path
from typing import TypeAlias

from clew.disk.durable import Disk
from clew.engine.sessions.session_store import SessionStore
from tests.disks import UNSYNCED

# By session: the turns as (role, text, time), and the scratch values by key.
State: TypeAlias = dict[str, tuple[list[tuple[str, str, float]], dict[str, tuple[str, float]]]]


def state_of(store: SessionStore) -> State:
    return {
        key: (
            [(turn.role, turn.text, turn.time_s) for turn in session.turns],
            {name: (entry.value, entry.time_s) for name, entry in session.scratch.items()},
        )
        for key, session in store.load().items()
    }


def opened(folder: str | Path, disk: Disk = UNSYNCED) -> SessionStore:
    return SessionStore(os.path.join(str(folder), "memory"), disk)
