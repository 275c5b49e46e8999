"""Dispatch of decoded calls: the table of methods, and the handler of all their errors."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from contextvars import copy_context
from functools import partial
from typing import Any

from msgspec.structs import replace

from clew.query.citations.verify import verify
from clew.query.cursors import first_page_moment_s
from clew.query.dates import Clock, moment
from clew.query.draw.drawing import SMALL_NODES, Subgraph, draw, subgraph
from clew.query.graph.concept import concept
from clew.query.graph.paths import path
from clew.query.notes.completing import complete
from clew.query.notes.links import backlinks, links, orphans, unresolved
from clew.query.notes.lists import communities, concepts, recent, tags
from clew.query.notes.read import file_meant, note_left_out_in, place_to_read, read, why
from clew.query.references.locate import written_path
from clew.query.rules.evaluate import evaluate_rules
from clew.query.suggest import with_similar_names
from clew.surface.client import PROTOCOL
from clew.surface.python.describing import describe
from clew.surface.server.answers import status
from clew.surface.server.answers.doctor import doctor
from clew.surface.server.answers.encoding import encoded_reply
from clew.surface.server.answers.masking import masked_reply
from clew.surface.server.answers.memory import sessions
from clew.surface.server.answers.methods import (
    AnyMethod,
    ClientMethod,
    Method,
    WaitingMethod,
    query_method,
    sliced_query,
)
from clew.surface.server.answers.packs.context import answer_context
from clew.surface.server.answers.ranking import answer_expand, answer_rank
from clew.surface.server.answers.searching import answer_search, answer_similar
from clew.surface.server.answers.turns import in_turns
from clew.surface.server.answers.waiting import wait_for_changes
from clew.surface.server.answers.windows.assemble import (
    answer_assemble,
    answer_trace,
    answer_validate,
)
from clew.surface.server.feed import Feed
from clew.surface.server.service import VaultService
from clew.values import daemon_replies, replies, requests, wire
from clew.values.errors import ClewError, InvalidParams, NotFound, TooLarge
from clew.values.memory import requests as memory_requests

logger = logging.getLogger(__name__)

SYNC_WAIT_S = 600.0
_MINUTE_S = 60.0


def _hello(service: VaultService, request: requests.Hello, _: float) -> daemon_replies.Hello:
    if request.protocol != PROTOCOL:
        message = f"this daemon speaks protocol {PROTOCOL}, not {request.protocol}"
        raise InvalidParams(message, "protocol", "use a client of the same version")
    return status.hello(service, METHODS)


async def _code(service: VaultService, request: requests.Code) -> replies.Reply:
    from clew.query.code.code import code  # noqa: PLC0415 - takes no memory until it is asked for

    slices = code(service.ready_snapshot(), request)
    return await in_turns(slices, service.tools.shared_work)


async def _concept(service: VaultService, request: requests.ConceptRequest) -> replies.ConceptReply:
    snapshot, now_s = service.ready_snapshot(), _now_s(request)
    slices = concept(snapshot, request, now_s, service.sibling_config)
    return await in_turns(slices, service.tools.shared_work)


async def _path(service: VaultService, request: requests.PathRequest) -> replies.PathReply:
    slices = path(service.ready_snapshot(), request, _now_s(request))
    return await in_turns(slices, service.tools.shared_work)


async def _graph(
    service: VaultService, request: requests.GraphRequest
) -> replies.GraphJson | replies.GraphText:
    if request.nodes_max <= SMALL_NODES and request.format != "html":
        small = await _subgraph(service, request)
        if small.is_small:
            return draw(small, request.format, service.vault_name)
    async with service.tools.drawing:  # one at a time, since drawings are large
        large = await _subgraph(service, request)
        context = copy_context()  # says whether secrets are masked
        job = partial(context.run, draw, large, request.format, service.vault_name)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(service.tools.drawing_thread, job)


async def _subgraph(service: VaultService, request: requests.GraphRequest) -> Subgraph:
    slices = subgraph(service.ready_snapshot(), request, _now_s(request))
    return await in_turns(slices, service.tools.shared_work)


async def _recent(service: VaultService, request: requests.Recent) -> replies.Recent:
    clock = Clock(_now_s(request), service.tools.zone)
    slices = recent(service.ready_snapshot(), request, clock)
    return await in_turns(slices, service.tools.shared_work)


async def _sync(service: VaultService, request: requests.Sync) -> daemon_replies.Sync:
    walk = await service.requests.walk(SYNC_WAIT_S, full=request.full)
    applied = daemon_replies.Applied(added=walk.added, modified=walk.modified, removed=walk.removed)
    revision = service.snapshot.revision
    return daemon_replies.Sync(revision=revision, applied=applied, took_ms=walk.took_ms)


def _shutdown(service: VaultService, _: requests.Shutdown, __: float) -> daemon_replies.Stopping:
    service.stopping.set()
    return daemon_replies.Stopping(revision=service.snapshot.revision, stopping=True)


def _read(service: VaultService, request: requests.Read, _: float) -> replies.Read:
    snapshot = service.ready_snapshot()
    reply = read(snapshot, request)
    service.mark_read(place_to_read(snapshot, request).path, time.time())
    return reply


async def _why(service: VaultService, request: requests.Why) -> replies.Why:
    path = written_path(request.uri).rstrip("/")
    rule = await _ignore_rule(service, path)
    if rule is None:
        written, path = path, file_meant(service.ready_snapshot(), request.uri)
        excluded = note_left_out_in(service.ready_snapshot(), path) or path
        rule = await _ignore_rule(service, excluded) if excluded != written else None
    snapshot = service.ready_snapshot()
    if service.indexing is not None and rule is None and path not in snapshot.entries:
        raise service.not_ready()  # the first index may not have read the note yet
    return why(snapshot, path, rule, service.problems(), _now_s(request))


async def _ignore_rule(service: VaultService, path: str) -> str | None:
    """Return the rule that excludes the note at ``path``; ``None`` if it is private or indexed."""
    is_told = service.shows_private or not service.replica.views.is_private(path)
    is_left_out = is_told and path not in service.ready_snapshot().entries
    return await service.requests.ignore_rule(path) if is_left_out else None


async def _status(service: VaultService, _: requests.Status) -> daemon_replies.Status:
    await service.requests.count_edges()
    return status.status(service)


async def _doctor(service: VaultService, request: requests.Doctor) -> daemon_replies.Doctor:
    service.whole_snapshot()
    return await doctor(service, request)


async def _describe(service: VaultService, request: requests.Describe) -> daemon_replies.Describe:
    types = {name: method.request_type for name, method in METHODS.items()}
    slices = describe(request, types, service.revision)
    return await in_turns(slices, service.tools.shared_work)


def _subscribe(
    service: VaultService, request: requests.Subscribe, feed: Feed
) -> daemon_replies.Subscribed:
    return feed.subscribe(service, request)


def _at_moment(
    answer: Callable[[VaultService, Any, float], Awaitable[replies.Reply]],
) -> Callable[[VaultService, Any], Awaitable[replies.Reply]]:
    """Return a function that gives ``answer`` the moment at which a request is answered."""
    return lambda service, request: answer(service, request, _now_s(request))


METHODS: Mapping[str, AnyMethod] = {
    "assemble": WaitingMethod(requests.Assemble, _at_moment(answer_assemble)),
    "backlinks": sliced_query(requests.Backlinks, backlinks),
    "code": WaitingMethod(requests.Code, _code),
    "communities": query_method(requests.CommunitiesRequest, communities),
    "complete": sliced_query(requests.Complete, complete),
    "concept": WaitingMethod(requests.ConceptRequest, _concept),
    "concepts": sliced_query(requests.Concepts, concepts),
    "context": WaitingMethod(requests.Context, _at_moment(answer_context)),
    "describe": WaitingMethod(requests.Describe, _describe),
    "doctor": WaitingMethod(requests.Doctor, _doctor),
    "evaluateRules": sliced_query(requests.EvaluateRules, evaluate_rules),
    "expand": WaitingMethod(requests.Expand, _at_moment(answer_expand)),
    "graph": WaitingMethod(requests.GraphRequest, _graph),
    "hello": Method(requests.Hello, _hello),
    "links": sliced_query(requests.Links, links),
    "orphans": sliced_query(requests.Orphans, orphans, is_of_whole=True),
    "path": WaitingMethod(requests.PathRequest, _path),
    "rank": WaitingMethod(requests.Rank, answer_rank),
    "read": Method(requests.Read, _read),
    "recent": WaitingMethod(requests.Recent, _recent),
    "search": WaitingMethod(requests.Search, _at_moment(answer_search)),
    "session.append": WaitingMethod(memory_requests.SessionAppend, sessions.append),
    "session.delete": WaitingMethod(memory_requests.SessionDelete, sessions.delete),
    "session.list": WaitingMethod(memory_requests.SessionList, sessions.list_sessions),
    "session.recall": WaitingMethod(
        memory_requests.SessionRecall, _at_moment(sessions.recall_turns)
    ),
    "session.scratch.clear": WaitingMethod(memory_requests.ScratchClear, sessions.clear_scratch),
    "session.scratch.get": WaitingMethod(memory_requests.ScratchGet, sessions.get_scratch),
    "session.scratch.list": WaitingMethod(memory_requests.ScratchList, sessions.list_scratch),
    "session.scratch.set": WaitingMethod(memory_requests.ScratchSet, sessions.set_scratch),
    "session.show": WaitingMethod(memory_requests.SessionShow, sessions.show),
    "shutdown": Method(requests.Shutdown, _shutdown),
    "similar": WaitingMethod(requests.Similar, answer_similar),
    "status": WaitingMethod(requests.Status, _status),
    "subscribe": ClientMethod(requests.Subscribe, _subscribe),
    "sync": WaitingMethod(requests.Sync, _sync),
    "tags": sliced_query(requests.Tags, tags),
    "trace": Method(requests.Trace, answer_trace),
    "unresolved": sliced_query(requests.Unresolved, unresolved, is_of_whole=True),
    "validate": WaitingMethod(requests.Validate, _at_moment(answer_validate)),
    "verify": sliced_query(requests.Verify, verify, is_of_whole=True),
    "why": WaitingMethod(requests.Why, _why),
}


async def answer(service: VaultService, frame: wire.Frame, feed: Feed) -> bytes:
    """Return the reply line of a frame, empty for no reply; yield to the loop after each call.

    ``feed``: the client's subscription to changes.
    """
    answers = _Answers()
    for part in frame.parts:
        if isinstance(part, bytes):
            answers.add(part, part)
        else:
            answers.add(part, await _answer_call(service, part, feed))
        if frame.is_batch:
            await asyncio.sleep(0)
    return wire.encode_frame(answers.lines, frame.is_batch)


class _Answers:
    """The replies to one frame, which together may have the size of one reply at most."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self._room = wire.REPLY_BYTES_MAX

    def add(self, part: bytes | wire.Call, reply: bytes) -> None:
        if isinstance(part, wire.Call):
            if not part.expects_reply:
                return
            if len(reply) > self._room:
                error = TooLarge(
                    "the replies to this batch are too large", "send this request alone"
                )
                reply = wire.encode_error(part.id, error)
        self._room -= len(reply)
        self.lines.append(reply)


async def _answer_call(service: VaultService, call: wire.Call, feed: Feed) -> bytes:
    method = METHODS.get(call.method)
    if method is None:
        return wire.encode_unknown_method(call.id, call.method, list(METHODS))
    try:
        reply = await _reply(service, call, method, feed)
        encoded = encoded_reply(call, _with_progress(service, reply))
        return _checked_size(await in_turns(encoded, service.tools.shared_work))
    except Exception as error:  # noqa: BLE001 - every error becomes a reply
        return masked_reply("", _failed(call, error))


async def _reply(
    service: VaultService, call: wire.Call, method: AnyMethod, feed: Feed
) -> replies.Reply:
    request = _checked_request(call, method)
    service = service.for_request(request)
    await wait_for_changes(service, request)
    try:
        if isinstance(method, WaitingMethod):
            return await method.answer(service, request)
        if isinstance(method, ClientMethod):
            return method.answer(service, request, feed)
        return method.answer(service, request, _now_s(request))
    except NotFound as error:
        if service.indexing is not None:
            raise service.not_ready() from error  # the name may be in a note that is not read yet
        slices = with_similar_names(service.snapshot, error)
        raise await in_turns(slices, service.tools.shared_work) from error


def _checked_request(call: wire.Call, method: AnyMethod) -> requests.Request:
    """Return the decoded request, after a check of ``asOf``.

    Raises:
        InvalidParams: a field has a wrong value, or ``asOf`` has, even if the method ignores it.
    """
    request = wire.decode_params(call, method.request_type)
    if request.as_of is not None:
        moment(request.as_of, "asOf")
    return request


def _with_progress(service: VaultService, reply: replies.Reply) -> replies.Reply:
    """Return the reply, with the progress of the first index until that is whole."""
    progress = service.indexing
    if progress is None:
        return reply
    indexing = replies.Progress(done=progress.done, total=progress.total)
    return replace(reply, indexing=indexing)


def _checked_size(line: bytes) -> bytes:
    """Return the line of a reply, after a check of its size.

    Raises:
        TooLarge: the line is longer than ``REPLY_BYTES_MAX``.
    """
    if len(line) > wire.REPLY_BYTES_MAX:
        message = f"the reply is over {wire.REPLY_BYTES_MAX} bytes"
        raise TooLarge(message, "ask for less, such as with a smaller limit")
    return line


def _failed(call: wire.Call, error: Exception) -> bytes:
    if isinstance(error, ClewError):
        return wire.encode_error(call.id, error)
    logger.error("failed method=%s", call.method, exc_info=error)
    return wire.encode_error(
        call.id, ClewError("the daemon failed to answer", "its log has the error")
    )


def _now_s(request: requests.Request) -> float:
    """Return the time for computing ages: ``asOf``, that of the first page, or this minute."""
    if request.as_of is not None:
        return moment(request.as_of, "asOf")
    of_first_page_s = first_page_moment_s(request)
    return time.time() // _MINUTE_S * _MINUTE_S if of_first_page_s is None else of_first_page_s
