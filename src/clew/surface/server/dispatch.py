"""From a decoded call to its answer: one table of methods, one place for errors."""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from clew.engine.snapshot import Snapshot
from clew.query.concept import concept
from clew.query.drawing import graph
from clew.query.links import backlinks, links, orphans, unresolved
from clew.query.lists import concepts, recent, tags
from clew.query.moments import moment
from clew.query.notes import note_to_read, read, why
from clew.query.paths import path
from clew.surface.server.service import PROTOCOL, VaultService
from clew.text.uri import from_uri
from clew.values import replies, requests, wire
from clew.values.errors import ClewError, InvalidParams, TimedOut, TooLarge

logger = logging.getLogger(__name__)

SYNC_WAIT_S = 600.0
_MINUTE_S = 60.0


@dataclass(frozen=True, slots=True)
class Method:
    """One method: what it takes, and what answers it."""

    takes: type[requests.Request]
    answer: Callable[[VaultService, Any, float], replies.Reply]


def _query(takes: type[requests.Request], ask: Callable[[Snapshot, Any], replies.Reply]) -> Method:
    """Return a method that asks the present revision and needs no clock."""
    return Method(takes, lambda service, request, _: ask(service.ready_snapshot(), request))


def _dated_query(
    takes: type[requests.Request], ask: Callable[[Snapshot, Any, float], replies.Reply]
) -> Method:
    """Return a method that asks the present revision at a moment."""
    return Method(takes, lambda service, request, now: ask(service.ready_snapshot(), request, now))


def _hello(service: VaultService, request: requests.Hello, _: float) -> replies.Hello:
    if request.protocol != PROTOCOL:
        message = f"this daemon speaks protocol {PROTOCOL}, not {request.protocol}"
        raise InvalidParams(message, "protocol", "use a client of the same version")
    return service.hello(METHODS)


def _sync(service: VaultService, request: requests.Sync, _: float) -> replies.Sync:
    done = service.refresh(full=request.full)
    applied = replies.Applied(
        added=done.applied.added, modified=done.applied.modified, removed=done.applied.removed
    )
    revision = service.snapshot.revision
    return replies.Sync(revision=revision, applied=applied, took_ms=done.took_ms)


def _shutdown(service: VaultService, _: requests.Shutdown, __: float) -> replies.Stopping:
    service.stopping.set()
    return replies.Stopping(revision=service.snapshot.revision, stopping=True)


def _read(service: VaultService, request: requests.Read, _: float) -> replies.Read:
    snapshot = service.ready_snapshot()
    reply = read(snapshot, request)
    service.mark_read(note_to_read(snapshot, request), time.time())
    return reply


def _why(service: VaultService, request: requests.Why, _: float) -> replies.Why:
    rule = service.ignore_rule(from_uri(request.uri))
    return why(service.ready_snapshot(), request, rule, service.problems())


def _status(service: VaultService, _: requests.Status, __: float) -> replies.Status:
    return service.status()


def _doctor(service: VaultService, request: requests.Doctor, _: float) -> replies.Doctor:
    service.ready_snapshot()
    return service.doctor(deep=request.deep)


METHODS: Mapping[str, Method] = {
    "backlinks": _query(requests.Backlinks, backlinks),
    "concept": _dated_query(requests.ConceptRequest, concept),
    "concepts": _query(requests.Concepts, concepts),
    "doctor": Method(requests.Doctor, _doctor),
    "graph": _dated_query(requests.GraphRequest, graph),
    "hello": Method(requests.Hello, _hello),
    "links": _query(requests.Links, links),
    "orphans": _query(requests.Orphans, orphans),
    "path": _dated_query(requests.PathRequest, path),
    "read": Method(requests.Read, _read),
    "recent": _query(requests.Recent, recent),
    "shutdown": Method(requests.Shutdown, _shutdown),
    "status": Method(requests.Status, _status),
    "sync": Method(requests.Sync, _sync),
    "tags": _query(requests.Tags, tags),
    "unresolved": _query(requests.Unresolved, unresolved),
    "why": Method(requests.Why, _why),
}


def answer(service: VaultService, frame: wire.Frame) -> bytes:
    """Return the line that answers a frame, empty when nothing in it asked for an answer."""
    answers: list[bytes] = []
    room = wire.REPLY_BYTES_MAX
    for part in frame.parts:
        reply = part if isinstance(part, bytes) else _answer_call(service, part)
        if isinstance(part, wire.Call) and not part.expects_reply:
            continue
        if isinstance(part, wire.Call) and len(reply) > room:
            reply = wire.encode_error(part.id, TooLarge("the batch has no room left", "ask alone"))
        room -= len(reply)
        answers.append(reply)
    return wire.encode_frame(answers, frame.is_batch)


def late(frame: wire.Frame) -> bytes:
    """Return the line that answers a frame for which the index was not ready in time."""
    error = TimedOut("the first index was not ready in time", "ask again with more waitFreshMs")
    calls = [part for part in frame.parts if isinstance(part, wire.Call) and part.expects_reply]
    return wire.encode_frame([wire.encode_error(call.id, error) for call in calls], frame.is_batch)


def waits_s(frame: wire.Frame) -> float | None:
    """Return how long a frame is ready to wait for the first index, ``None`` for not at all."""
    waits = [
        _call_waits_s(part)
        for part in frame.parts
        if isinstance(part, wire.Call) and part.method in METHODS
    ]
    return max((wait for wait in waits if wait is not None), default=None)


def _call_waits_s(call: wire.Call) -> float | None:
    if call.method == "sync":
        return SYNC_WAIT_S
    if b"waitFresh" not in call.params:
        return None
    try:
        request = wire.decode_params(call, METHODS[call.method].takes)
    except InvalidParams:
        return None
    return request.wait_fresh_ms / 1000 if request.wait_fresh else None


def _answer_call(service: VaultService, call: wire.Call) -> bytes:
    method = METHODS.get(call.method)
    if method is None:
        return wire.encode_unknown_method(call.id, call.method, list(METHODS))
    try:
        request = wire.decode_params(call, method.takes)
        if request.wait_fresh and service.ready.is_set():
            service.refresh()
        result = wire.encode_result(call.id, method.answer(service, request, _now_s(request)))
    except ClewError as error:
        return wire.encode_error(call.id, error)
    except Exception:
        logger.exception("failed method=%s", call.method)
        return wire.encode_error(call.id, ClewError("the daemon failed; its log says how"))
    if len(result) > wire.REPLY_BYTES_MAX:
        message = f"the reply is over {wire.REPLY_BYTES_MAX} bytes"
        return wire.encode_error(call.id, TooLarge(message, "ask for less: a smaller limit"))
    return result


def _now_s(request: requests.Request) -> float:
    """Return the moment ages are counted to: as asked, else the clock to the minute."""
    if request.as_of is not None:
        return moment(request.as_of, "asOf")
    return time.time() // _MINUTE_S * _MINUTE_S
