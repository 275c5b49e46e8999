"""What the daemon remembers for a request's session: turns for its history, and scratch values.

A request that names no session gets nothing of any, but for the values that all share, if it
mentions them.
"""

from collections.abc import Iterable
from dataclasses import replace

from clew.engine.snapshot import Snapshot
from clew.query.assemble.contribution import Contribution
from clew.query.assemble.mentions import KV_SCHEME, mentions_of
from clew.query.assemble.pipelines.builtin import query_of
from clew.query.assemble.window import NOTHING_REMEMBERED, Remembered, WindowItem, shown_item
from clew.query.dates import iso
from clew.query.quoting.note_text import one_line
from clew.query.sessions.recall import last_turns, newest_turns, recall
from clew.query.slices import Slices
from clew.surface.server.answers.memory.sessions import all_sessions, turn_model
from clew.surface.server.answers.windows.pipeline_cache import depends_on_session
from clew.surface.server.answers.windows.running import Started
from clew.surface.server.service import VaultService
from clew.values import requests
from clew.values.errors import InvalidParams
from clew.values.memory.turns import Session, Turn

LAST_TURNS = 10
KEPT_TURNS = 3  # of these, the newest: where room is lacking, recalled turns go before them
RECALLED_MAX = 5
SOURCE = "session"
RECALL = "recall"


async def remembered(service: VaultService, request: requests.Assemble, now_s: float) -> Remembered:
    """Return the last turns of the session, its scratch values, and how to recall other turns."""
    session_id = _session_id(request)
    if session_id is None:
        return await kept(service, request)
    sessions = await all_sessions(service)
    model, _ = await turn_model(service)
    last, turns = _last_turns(sessions, session_id), newest_turns(sessions)

    def recalled(query: str, most: int) -> Slices[tuple[WindowItem, ...]]:
        limit = len(last) + most
        try:
            found = yield from recall(
                turns, query, model, now_s=now_s, session_id=session_id, limit=limit
            )
        except InvalidParams:  # the query has no word to look for
            return ()
        others = [each.turn for each in found if each.turn not in last]
        return tuple(map(_item, others[:most]))

    scratch = await _scratch(service, session_id)
    shown = tuple(replace(_item(turn), is_spare=at >= KEPT_TURNS) for at, turn in enumerate(last))
    return Remembered(shown, scratch, recalled)


async def kept(service: VaultService, request: requests.Validate) -> Remembered:
    """Return the scratch values alone: nothing is searched."""
    session_id = _session_id(request)
    if session_id is None and not _names_values(service.snapshot, request):
        return NOTHING_REMEMBERED
    return Remembered((), await _scratch(service, session_id))


def recalling(request: requests.Assemble, of_session: Remembered) -> list[Started]:
    """Return the search for turns that speak of the task, if the request names a session."""
    if _session_id(request) is None:
        return []

    def slices() -> Slices[Contribution]:
        items = yield from of_session.recall(query_of(request.task.text), RECALLED_MAX)
        return Contribution(RECALL, "history", items)

    return [(RECALL, "history", slices())]


def _names_values(snapshot: Snapshot, request: requests.Validate) -> bool:
    """Return whether the request, or a rule or pipeline of the vault, names a scratch value."""
    files = snapshot.rule_files
    named = (*mentions_of(request), *(rule.action.ref or "" for rule in files.rules))
    return any(ref.startswith(KV_SCHEME) for ref in named) or any(
        map(depends_on_session, files.pipelines)
    )


def _session_id(request: requests.Validate) -> str | None:
    return request.session.id if request.session else None


def _last_turns(sessions: Iterable[Session], session_id: str) -> list[Turn]:
    """Return the last turns of a session, the newest first."""
    of_session = (each for each in sessions if each.id == session_id)
    return [turn for each in of_session for turn in reversed(last_turns(each, LAST_TURNS))]


async def _scratch(service: VaultService, session_id: str | None) -> dict[str, str]:
    """Return the values of the session, if there is one, and those that all share.

    The newest comes first.
    """
    shared = await service.sessions.scratch(None)
    entries = {**shared, **await service.sessions.scratch(session_id)}
    newest = sorted(entries.items(), key=lambda item: (-item[1].time_s, item[0]))
    return {key: entry.value for key, entry in newest}


def _item(turn: Turn) -> WindowItem:
    said = f"{one_line(turn.role)}, {iso(turn.time_s)}: {turn.text}"
    return shown_item(said, SOURCE, turn.uri)
