"""The conversation with one client: takes lines, returns lines and calls, does no I/O.

The first request decides the era for the whole conversation (see ``versions``): ``initialize``
means the handshake, a request with a revision in ``_meta`` the envelope. A client that does
neither, such as a shell script, is answered as in the era of the handshake.
"""

from __future__ import annotations

import sys

from clew.surface.mcp import messages
from clew.surface.mcp.messages import Fault, Message
from clew.surface.mcp.methods import answer, stamped
from clew.surface.mcp.tools.table import TOOLS
from clew.surface.mcp.versions import (
    CAPABILITIES_KEY,
    ENVELOPE,
    HANDSHAKE,
    VERSION_KEY,
    WITH_BATCHES,
    agreed,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from clew.surface.mcp.messages import Id
    from clew.surface.mcp.tools.table import Tool
    from clew.surface.mcp.work import Question, Work

CALLS_MAX = 256  # unanswered calls; the bridge runs a few of them at a time


class Call:
    """A request that needs the daemon, and the batch that it is part of, if any."""

    __slots__ = ("batch", "id", "method", "work")

    def __init__(self, message: Message, work: Work[dict[str, Any]], batch: _Batch | None) -> None:
        assert message.id is not None
        self.id: Id = message.id
        self.method = message.method
        self.work = work
        self.batch = batch


class _Batch:
    """The responses to a batch so far, which are sent together when all are ready."""

    __slots__ = ("responses", "waiting")

    def __init__(self) -> None:
        self.responses: list[dict[str, Any]] = []
        self.waiting = 1  # unanswered parts, and 1 until the whole batch was read


class Conversation:
    """The revision agreed with a client, and its unanswered calls."""

    def __init__(self, tools: Mapping[str, Tool] = TOOLS) -> None:
        self._tools = tools
        self.outgoing: list[bytes] = []  # lines for the client
        self.starting: list[Call] = []  # calls that the bridge has not started yet
        self.dropped: list[Call] = []  # calls that the client cancelled
        self._has_envelope: bool | None = None  # the era, once it is decided
        self._version: str | None = None  # the revision that the handshake agreed on
        self._calls: dict[Id, Call] = {}

    @property
    def is_waiting(self) -> bool:
        """Return whether a call is not answered yet."""
        return bool(self._calls)

    def receive(self, line: bytes) -> None:
        """Handle one line from the client."""
        if not line.strip():
            return
        try:
            value = messages.decoded(line)
        except Fault as fault:
            self._reply(messages.failure(None, fault), None)
            return
        if isinstance(value, list):
            self._receive_batch(value)
        else:
            self._receive_one(value, None)

    def refuse_line(self, bytes_max: int) -> None:
        """Answer a line that was too long and therefore discarded."""
        fault = Fault(messages.INVALID_REQUEST, f"a line has at most {bytes_max} bytes")
        self._reply(messages.failure(None, fault), None)

    def finish(self, call: Call, body: dict[str, Any] | Fault) -> None:
        """Answer a call, unless the client has cancelled it."""
        if self._calls.get(call.id) is not call:
            return
        del self._calls[call.id]
        self._reply(self._response(call.id, call.method, body), call.batch)
        self._end(call.batch)

    def advance(self, call: Call, reply: dict[str, Any] | Exception | None) -> Question | None:
        """Pass a call the reply to its question; return its next question, ``None`` at its end."""
        try:
            if isinstance(reply, Exception):
                return call.work.throw(reply)
            return call.work.send(reply)  # type: ignore[arg-type] # None starts it
        except StopIteration as done:
            self.finish(call, done.value)
        except Fault as fault:
            self.finish(call, fault)
        except Exception as error:  # noqa: BLE001 - one call must not end the bridge
            print(f"clew mcp: {call.method}: {error!r}", file=sys.stderr)  # noqa: T201
            self.finish(call, Fault(messages.INTERNAL, f"a fault in the bridge: {error!r}"))
        return None

    # -- one message ------------------------------------------------------------------------

    def _receive_batch(self, values: list[Any]) -> None:
        fault = None
        if self._version != WITH_BATCHES:
            fault = f"only the revision {WITH_BATCHES} has batches: send each request on a line"
        elif not 0 < len(values) <= messages.BATCH_MAX:
            fault = f"a batch has 1 to {messages.BATCH_MAX} messages"
        if fault is not None:
            failed = messages.failure(None, Fault(messages.INVALID_REQUEST, fault))
            self._reply(failed, None)
            return
        batch = _Batch()
        for value in values:
            self._receive_one(value, batch)
        self._end(batch)

    def _receive_one(self, value: Any, batch: _Batch | None) -> None:
        try:
            message = messages.read(value)
            if message is None:
                return  # ignore a response, since the bridge sends no requests
            if message.id is None:
                self._notice(message)
                return
            self._check(message)
            has_envelope = bool(self._has_envelope)
            body = answer(message.method, message.params, self._tools, has_envelope=has_envelope)
        except Fault as fault:
            self._reply(messages.failure(messages.id_of(value), fault), batch)
            return
        if isinstance(body, dict):
            self._reply(self._response(message.id, message.method, body), batch)
            return
        call = Call(message, body, batch)
        if batch is not None:
            batch.waiting += 1
        self._calls[call.id] = call
        self.starting.append(call)

    def _notice(self, message: Message) -> None:
        """Handle a notification; ignore unknown ones."""
        if message.method != "notifications/cancelled":
            return
        cancelled = messages.id_of({"id": message.params.get("requestId")})
        call = None if cancelled is None else self._calls.pop(cancelled, None)
        if call is not None:
            self.dropped.append(call)
            self._end(call.batch)

    def _check(self, message: Message) -> None:
        """Decide the era by the first request, and check that later ones match it.

        Raises:
            Fault: the request is of the other era, repeats an id, or exceeds ``CALLS_MAX``.
        """
        if message.method == "initialize":
            self._check_handshake(message)
        elif VERSION_KEY in message.meta or self._has_envelope:
            self._check_envelope(message)
        if message.id in self._calls:
            raise Fault(messages.INVALID_REQUEST, "a request with this id is not answered yet")
        if len(self._calls) >= CALLS_MAX:
            raise Fault(messages.INTERNAL, f"{CALLS_MAX} requests are not answered yet: wait")

    def _check_handshake(self, message: Message) -> None:
        if self._has_envelope:
            requested = {"requested": str(message.params.get("protocolVersion"))[:100]}
            raise Fault(
                messages.UNSUPPORTED_VERSION,
                f"this conversation is in the revision {ENVELOPE[-1]}, without a handshake",
                {"supported": list(ENVELOPE), **requested},
            )
        self._has_envelope = False
        self._version = agreed(message.params.get("protocolVersion"))

    def _check_envelope(self, message: Message) -> None:
        if self._has_envelope is False:
            raise Fault(
                messages.INVALID_REQUEST,
                "this conversation began with a handshake: leave the revision out of _meta",
            )
        missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in message.meta]
        if missing:
            raise Fault(messages.INVALID_PARAMS, f"_meta lacks {', '.join(missing)}")
        version = message.meta[VERSION_KEY]
        if not isinstance(version, str):
            raise Fault(messages.INVALID_PARAMS, f"{VERSION_KEY} is a text")
        if version not in ENVELOPE:
            supported = list(ENVELOPE if self._has_envelope else (*HANDSHAKE, *ENVELOPE))
            raise Fault(
                messages.UNSUPPORTED_VERSION,
                "unsupported revision of the protocol",
                {"supported": supported, "requested": version[:100]},
            )
        self._has_envelope = True

    # -- replies ------------------------------------------------------------------------------

    def _response(self, request_id: Id, method: str, body: dict[str, Any] | Fault) -> Any:
        if isinstance(body, Fault):
            return messages.failure(request_id, body)
        return messages.result(request_id, stamped(method, body) if self._has_envelope else body)

    def _reply(self, response: dict[str, Any], batch: _Batch | None) -> None:
        if batch is None:
            self.outgoing.append(messages.encoded(response))
        else:
            batch.responses.append(response)

    def _end(self, batch: _Batch | None) -> None:
        """Count one part of a batch as answered; send the responses after the last part."""
        if batch is None:
            return
        batch.waiting -= 1
        if not batch.waiting and batch.responses:
            self.outgoing.append(messages.encoded(batch.responses))
