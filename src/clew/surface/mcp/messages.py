"""JSON-RPC messages: decode lines into requests and notifications, and encode responses."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the start
    from typing import Any

    Id = str | int

PARSE, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32603,
)
RESOURCE_NOT_FOUND = -32002  # only in the revisions with a handshake
UNSUPPORTED_VERSION = -32022
BATCH_MAX = 100
_ECHO_CHARACTERS_MAX = 200


class Fault(Exception):
    """A message violates the protocol, and is answered by an error."""

    def __init__(self, code: int, message: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data

    @property
    def error(self) -> dict[str, Any]:
        """The ``error`` of the response."""
        error: dict[str, Any] = {"code": self.code, "message": str(self)}
        return error if self.data is None else {**error, "data": self.data}


class Message:
    """A request, or a notification if ``id`` is ``None``."""

    __slots__ = ("id", "method", "params")

    def __init__(self, method: str, params: dict[str, Any], request_id: Id | None) -> None:
        self.method = method
        self.params = params
        self.id = request_id

    @property
    def meta(self) -> dict[str, Any]:
        """The ``_meta`` of the parameters; empty if there is none."""
        meta = self.params.get("_meta")
        return meta if isinstance(meta, dict) else {}


def decoded(line: bytes) -> Any:
    """Return the JSON value of a line.

    Raises:
        Fault: the line is not JSON.
    """
    try:
        return json.loads(line.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise Fault(PARSE, "not a line of JSON in UTF-8") from error


def _refuse(name: str) -> None:
    raise ValueError(name)


def read(value: Any) -> Message | None:
    """Return the message of a JSON value; ``None`` for a response, which needs no answer.

    Raises:
        Fault: the value is no message.
    """
    if not isinstance(value, dict):
        raise Fault(INVALID_REQUEST, "a message is a JSON object")
    method, params = value.get("method"), value.get("params", {})
    if method is None and ("result" in value or "error" in value):
        return None
    if value.get("jsonrpc") != "2.0" or not isinstance(method, str):
        raise Fault(INVALID_REQUEST, 'a request has "jsonrpc": "2.0" and a method')
    if "id" in value and id_of(value) is None:
        raise Fault(INVALID_REQUEST, "an id is a text or an integer")
    if not isinstance(params, dict):
        raise Fault(INVALID_PARAMS, "params are a JSON object")
    return Message(method, params, id_of(value))


def id_of(value: Any) -> Id | None:
    """Return the id of a JSON value, ``None`` if it has no valid one."""
    found = value.get("id") if isinstance(value, dict) else None
    return found if isinstance(found, str) or type(found) is int else None


def result(request_id: Id, body: dict[str, Any]) -> dict[str, Any]:
    """Return the response with a result."""
    return {"jsonrpc": "2.0", "id": request_id, "result": body}


def failure(request_id: Id | None, fault: Fault) -> dict[str, Any]:
    """Return the response with an error."""
    return {"jsonrpc": "2.0", "id": request_id, "error": fault.error}


def encoded(value: Any) -> bytes:
    """Return a value as one line. Characters beyond ASCII are escaped, so no client misreads it."""
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def echoed(text: str) -> str:
    """Return a text that the client sent, short enough to be part of a message."""
    return repr(text if len(text) <= _ECHO_CHARACTERS_MAX else f"{text[:_ECHO_CHARACTERS_MAX]}…")
