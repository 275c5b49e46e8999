"""The memory of a request's session: turns for the history, and scratch values.

A request without a session gets no turns, and only the scratch values that all sessions share, if
the request, a rule or a pipeline mentions any.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from msgspec.structs import replace

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
from clew.surface.server.answers.windows.running import NamedPipeline
from clew.surface.server.service import VaultService
from clew.values import requests
from clew.values.errors import InvalidParams
from clew.values.memory.turns import Session, Turn

LAST_TURNS = 10
KEPT_TURNS = 3  # the newest; older ones are dropped before recalled turns if room is lacking
RECALLED_MAX = 5
RANKED_MAX = 200  # turns that are ranked, of which the history or the request has some already
SOURCE = "session"
RECALL = "recall"


async def session_memory(
    service: VaultService, snapshot: Snapshot, request: requests.Assemble, now_s: float
) -> Remembered:
    """Return the session's last turns, its scratch values, and a function that recalls others."""
    session_id = _session_id(request)
    if session_id is None:
        return await scratch_memory(service, snapshot, request)
    sessions = await all_sessions(service, snapshot)
    model, _ = await turn_model(service, snapshot)
    last, turns = _last_turns(sessions, session_id), newest_turns(sessions)
    kept = _not_given(last, request)
    given = {_squeezed(text) for text in (request.task.text, *_history_texts(request))}

    def recalled(query: str, count_max: int) -> Slices[tuple[WindowItem, ...]]:
        try:
            ranked = yield from recall(
                turns,
                query,
                model,
                now_s=now_s,
                session_id=session_id,
                limit=count_max + RANKED_MAX,
            )
        except InvalidParams:  # the query has no word to search
            return ()
        of_last = [each.turn for each in ranked[:count_max] if each.turn in kept]
        others = (
            each.turn
            for each in ranked
            if each.turn not in last and given.isdisjoint(_forms(each.turn))
        )
        return tuple(_item(turn, now_s) for turn in (*of_last, *islice(others, count_max)))

    scratch = await _scratch(service, session_id)
    shown = [_item(turn, now_s) for turn in kept]
    spare = [replace(item, is_spare=True) for item in shown[KEPT_TURNS:]]
    return Remembered((*shown[:KEPT_TURNS], *spare), scratch, recalled)


async def scratch_memory(
    service: VaultService, snapshot: Snapshot, request: requests.Validate
) -> Remembered:
    """Return the scratch values without turns, so that nothing is searched."""
    session_id = _session_id(request)
    if session_id is None and not _names_values(snapshot, request):
        return NOTHING_REMEMBERED
    return Remembered((), await _scratch(service, session_id))


def recall_pipeline(request: requests.Assemble, of_session: Remembered) -> list[NamedPipeline]:
    """Return the pipeline that recalls turns for the task, if the request names a session."""
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
    """Return the scratch values of the session and the shared ones, the newest first."""
    shared = await service.sessions.scratch(None)
    entries = {**shared, **await service.sessions.scratch(session_id)}
    newest = sorted(entries.items(), key=lambda item: (-item[1].time_s, item[0]))
    return {key: entry.value for key, entry in newest}


def _not_given(turns: Sequence[Turn], request: requests.Assemble) -> list[Turn]:
    """Return the turns, newest first, that a request does not bring: as its task or its history.

    A client may add a message to the session before it asks for a window, and may bring the turns
    that it remembers itself. Each text that it brings stands for one turn: two may say the same.
    """
    given = Counter(map(_squeezed, _history_texts(request)))
    task = _squeezed(request.task.text)
    if turns and task in _forms(turns[0]):
        given[task] += 1
    kept = []
    for turn in turns:
        form = next((form for form in _forms(turn) if given[form]), None)
        if form is None:
            kept.append(turn)
        else:
            given[form] -= 1
    return kept


def _history_texts(request: requests.Assemble) -> list[str]:
    return [item.text for item in request.history]


def _forms(turn: Turn) -> tuple[str, str]:
    """Return the texts by which a request may give a turn: with its role, or without."""
    return _squeezed(turn.text), _squeezed(f"{turn.role}: {turn.text}")


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _item(turn: Turn, now_s: float) -> WindowItem:
    """Return a turn as the history shows it, with its day unless that is the day of the request."""
    day, today = (iso(at_s).partition("T")[0] for at_s in (turn.time_s, now_s))
    label = one_line(turn.role) + ("" if day == today else f", {day}")
    item = shown_item(f"{label}: {turn.text}", SOURCE, turn.uri)
    return replace(item, turn=f"{turn.session_id} {turn.number}")
