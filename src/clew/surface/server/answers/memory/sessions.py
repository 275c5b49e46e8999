"""The methods for sessions, which are kept in the state folder or are notes (episodes)."""

import time
from collections.abc import Sequence
from dataclasses import replace

from clew.engine.snapshot import Snapshot
from clew.query.dates import iso, moment
from clew.query.paging import page
from clew.query.sessions.episodes import SESSION_TYPES, episodes
from clew.query.sessions.features import TurnModel
from clew.query.sessions.recall import RecalledTurn, newest_turns, recall
from clew.query.typed_notes import paths_of_types
from clew.surface.server.answers.turns import in_turns
from clew.surface.server.service import VaultService
from clew.text.masking.secrets import cut_before_secret
from clew.text.uri import SCHEME, from_uri
from clew.values.errors import InvalidParams
from clew.values.memory import replies, requests
from clew.values.memory.turns import Session, Turn
from clew.values.replies import rounded
from clew.values.requests import Request

TEXT_CHARACTERS_MAX = 10_000  # of a turn in a reply; a longer text is cut


async def append(service: VaultService, request: requests.SessionAppend) -> replies.Appended:
    """Add a turn to a session.

    Raises:
        InvalidParams: the session is a note of the vault, which is not written to.
    """
    session_id = request.session_id
    if session_id.startswith(SCHEME) and from_uri(session_id) in service.snapshot.entries:
        message = f"{session_id} is a note, and clew does not write to the vault"
        raise InvalidParams(message, "sessionId", "give another id, or add the turn to the note")
    turn = await service.sessions.append(
        session_id, request.role, request.content, _time_s(request)
    )
    revision = service.snapshot.revision
    return replies.Appended(revision=revision, uri=None, turn=turn.number, time=iso(turn.time_s))


async def delete(service: VaultService, request: requests.SessionDelete) -> replies.Deleted:
    """Remove a session that is kept in the state."""
    session = await service.sessions.delete(request.session_id, _time_s(request))
    return replies.Deleted(
        revision=service.snapshot.revision,
        turns=len(session.turns) if session else 0,
        scratch_keys=len(session.scratch) if session else 0,
    )


async def list_sessions(service: VaultService, request: requests.SessionList) -> replies.Sessions:
    """List the sessions, the most recently used first."""
    snapshot = service.snapshot
    found = await all_sessions(service, snapshot)
    sessions = [each for each in found if each.id and not _is_empty(each)]
    newest = sorted(sessions, key=_newest_first)
    shown_page = page(newest, request, _newest_first, tuple[float, str])
    return replies.Sessions(
        revision=snapshot.revision,
        sessions=tuple(map(_row, shown_page.rows)),
        total=shown_page.total,
        start=shown_page.start,
        cursor=shown_page.cursor,
    )


async def show(service: VaultService, request: requests.SessionShow) -> replies.ShownTurns:
    """Return the turns of one session, in their order."""
    snapshot = service.snapshot
    sessions = await all_sessions(service, snapshot)
    turns = next((each.turns for each in sessions if each.id == request.session_id), ())
    shown_page = page(turns, request, _number, tuple[int])
    return replies.ShownTurns(
        revision=snapshot.revision,
        turns=tuple(map(_turn_row, shown_page.rows)),
        total=shown_page.total,
        start=shown_page.start,
        cursor=shown_page.cursor,
    )


async def recall_turns(
    service: VaultService, request: requests.SessionRecall, now_s: float
) -> replies.Recalled:
    """Return the turns of all sessions that match the query."""
    snapshot = service.snapshot
    model, degraded = await turn_model(service, snapshot)
    sessions = await all_sessions(service, snapshot)
    turns = newest_turns(sessions)
    slices = recall(
        turns,
        request.query,
        model,
        now_s=now_s,
        session_id=request.session_id,
        limit=request.limit,
    )
    turn = await in_turns(slices, service.tools.shared_work)
    return replies.Recalled(
        revision=snapshot.revision,
        turns=tuple(map(_recalled_row, turn)),
        searched=len(turns),
        total=sum(len(session.turns) for session in sessions),
        degraded=degraded,
    )


async def set_scratch(service: VaultService, request: requests.ScratchSet) -> replies.ScratchStored:
    """Set a scratch value."""
    time_s = _time_s(request)
    await service.sessions.set_scratch(request.session_id, request.key, request.value, time_s)
    return replies.ScratchStored(revision=service.snapshot.revision, time=iso(time_s))


async def get_scratch(service: VaultService, request: requests.ScratchGet) -> replies.ScratchValue:
    """Return a scratch value."""
    entry = (await service.sessions.scratch(request.session_id)).get(request.key)
    return replies.ScratchValue(
        revision=service.snapshot.revision,
        value=entry.value if entry else None,
        time=iso(entry.time_s) if entry else None,
    )


async def clear_scratch(
    service: VaultService, request: requests.ScratchClear
) -> replies.ScratchCleared:
    """Remove a scratch value, or all of a session."""
    cleared = await service.sessions.clear_scratch(request.session_id, request.key)
    return replies.ScratchCleared(revision=service.snapshot.revision, cleared=cleared)


async def list_scratch(service: VaultService, request: requests.ScratchList) -> replies.ScratchKeys:
    """List the keys of scratch values, the most recently set first."""
    scratch = await service.sessions.scratch(request.session_id)
    newest = sorted((-entry.time_s, key) for key, entry in scratch.items())
    shown_page = page(newest, request, lambda row: row, tuple[float, str])
    keys = tuple(
        replies.ScratchKey(key=key, characters=len(scratch[key].value), time=iso(-falling_s))
        for falling_s, key in shown_page.rows
    )
    return replies.ScratchKeys(
        revision=service.snapshot.revision,
        keys=keys,
        total=shown_page.total,
        start=shown_page.start,
        cursor=shown_page.cursor,
    )


async def all_sessions(service: VaultService, snapshot: Snapshot) -> Sequence[Session]:
    """Return the sessions in the state, and those that are notes of ``snapshot``.

    Turns and values stored under the URI of such a note are appended to its session.
    """
    stored = await service.sessions.sessions()
    shared = service.tools.shared_work
    of_type = await in_turns(paths_of_types(snapshot, SESSION_TYPES), shared)
    of_notes = await in_turns(episodes(snapshot, of_type, service.tools.episodes), shared)
    ids = {each.id for each in of_notes}
    alone = [each for session_id, each in stored.items() if session_id not in ids]
    return [*alone, *(_joined(each, stored.get(each.id)) for each in of_notes)]


def _joined(of_note: Session, stored: Session | None) -> Session:
    if stored is None:
        return of_note
    count = len(of_note.turns)
    turns = (turn._replace(number=count + turn.number) for turn in stored.turns)
    return replace(of_note, turns=(*of_note.turns, *turns), scratch=stored.scratch)


async def turn_model(
    service: VaultService, snapshot: Snapshot
) -> tuple[TurnModel, tuple[str, ...]]:
    """Return the model that compares turns, and its degraded parts."""
    encoder = await service.tools.model.encoder()
    languages, cache = snapshot.languages, service.tools.turn_features
    if encoder is None:
        reason = service.tools.model.failure or "the model is not loaded"
        return TurnModel(languages, None, cache=cache), (f"semantic: {reason}",)
    fingerprint, noise = encoder.fingerprint, encoder.noise
    return TurnModel(languages, encoder.encode, fingerprint, noise, cache), ()


def _time_s(request: Request) -> float:
    """Return the POSIX seconds of a change: ``asOf``, or the present time."""
    return time.time() if request.as_of is None else moment(request.as_of, "asOf")


def _newest_first(session: Session) -> tuple[float, str]:
    return -session.last_s, session.id


def _is_empty(session: Session) -> bool:
    return not session.turns and not session.scratch


def _row(session: Session) -> replies.SessionRow:
    turns = session.turns
    return replies.SessionRow(
        session_id=session.id,
        turns=len(turns),
        scratch_keys=len(session.scratch),
        first=iso(turns[0].time_s) if turns else None,
        last=iso(session.last_s) if turns or session.scratch else None,
        uri=session.uri,
    )


def _number(turn: Turn) -> tuple[int]:
    return (turn.number,)


def _turn_row(turn: Turn) -> replies.ShownTurn:
    return replies.ShownTurn(
        turn=turn.number,
        role=turn.role,
        time=iso(turn.time_s),
        text=cut_before_secret(turn.text, TEXT_CHARACTERS_MAX),
        truncated=len(turn.text) > TEXT_CHARACTERS_MAX,
        uri=turn.uri,
    )


def _recalled_row(found: RecalledTurn) -> replies.RecalledTurn:
    turn: Turn = found.turn
    return replies.RecalledTurn(
        session_id=turn.session_id,
        turn=turn.number,
        role=turn.role,
        time=iso(turn.time_s),
        text=cut_before_secret(turn.text, TEXT_CHARACTERS_MAX),
        truncated=len(turn.text) > TEXT_CHARACTERS_MAX,
        similarity=rounded(found.similarity),
        relevance=rounded(found.relevance),
        uri=turn.uri,
    )
