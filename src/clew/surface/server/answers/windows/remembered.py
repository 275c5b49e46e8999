"""What the daemon remembers of a request's session: turns for its history, and scratch values.

A request that names no session gets nothing of any.
"""

from collections.abc import Iterable

from clew.query.assemble.window import NOTHING_REMEMBERED, Remembered, WindowItem, shown_item
from clew.query.context.quoting import one_line
from clew.query.dates import iso
from clew.query.sessions.recall import last_turns, newest_turns, recall
from clew.surface.server.answers.memory.sessions import all_sessions, turn_model
from clew.surface.server.answers.turns import in_turns
from clew.surface.server.service import VaultService
from clew.values import requests
from clew.values.errors import InvalidParams
from clew.values.memory.turns import Session, Turn

LAST_TURNS = 10
RECALLED_MAX = 5
SOURCE = "session"


async def remembered(service: VaultService, request: requests.Assemble, now_s: float) -> Remembered:
    """Return the last turns of the session, then turns of any session that speak of the task."""
    session_id = _session_id(request)
    if session_id is None:
        return NOTHING_REMEMBERED
    sessions = await all_sessions(service)
    last = _last_turns(sessions, session_id)
    recalled = await _recalled(service, sessions, request.task.text, session_id, now_s)
    others = [turn for turn in recalled if turn not in last]
    turns = tuple(map(_item, (*last, *others)))
    return Remembered(turns, await _scratch(service, session_id))


async def kept(service: VaultService, request: requests.Validate) -> Remembered:
    """Return the scratch values alone: nothing is searched."""
    session_id = _session_id(request)
    if session_id is None:
        return NOTHING_REMEMBERED
    return Remembered((), await _scratch(service, session_id))


def _session_id(request: requests.Validate) -> str | None:
    return request.session.id if request.session else None


def _last_turns(sessions: Iterable[Session], session_id: str) -> list[Turn]:
    """Return the last turns of a session, the newest first."""
    of_session = (each for each in sessions if each.id == session_id)
    return [turn for each in of_session for turn in reversed(last_turns(each, LAST_TURNS))]


async def _recalled(
    service: VaultService, sessions: Iterable[Session], task: str, session_id: str, now_s: float
) -> list[Turn]:
    model, _ = await turn_model(service)
    turns = newest_turns(sessions)
    slices = recall(
        turns, task, model, now_s=now_s, session_id=session_id, limit=LAST_TURNS + RECALLED_MAX
    )
    try:
        found = await in_turns(slices, service.tools.shared_work)
    except InvalidParams:  # the task has no word to look for
        return []
    return [each.turn for each in found]


async def _scratch(service: VaultService, session_id: str) -> dict[str, str]:
    """Return the values of the session and those that all share, the newest first."""
    shared = await service.sessions.scratch(None)
    entries = {**shared, **await service.sessions.scratch(session_id)}
    newest = sorted(entries.items(), key=lambda item: (-item[1].time_s, item[0]))
    return {key: entry.value for key, entry in newest}


def _item(turn: Turn) -> WindowItem:
    said = f"{one_line(turn.role)}, {iso(turn.time_s)}: {turn.text}"
    return shown_item(said, SOURCE, turn.uri)
