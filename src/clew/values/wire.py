"""Decode JSON-RPC 2.0 calls from lines of bytes, and encode the replies. Does no I/O.

A frame is one line: a call, or a batch of calls. Every frame is answered by exactly one line,
however malformed it is, unless it contains only notifications.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec.inspect import (
    BoolType,
    LiteralType,
    StructType,
    Type,
    UnionType,
    VarTupleType,
    type_info,
)

from clew.values.errors import (
    ECHO_CHARACTERS_MAX,
    Ambiguous,
    ClewError,
    InvalidParams,
    UnknownNote,
)
from clew.values.replies import ErrorReply, Part, Reply
from clew.values.requests import Request

REQUEST_BYTES_MAX = 1024 * 1024
REPLY_BYTES_MAX = 16 * 1024 * 1024
BATCH_CALLS_MAX = 100

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
SERVER_ERROR = -32000

Id = str | int | float | None


class _Call(msgspec.Struct, frozen=True):
    jsonrpc: str
    method: str
    params: msgspec.Raw = msgspec.Raw(b"{}")
    id: Id | msgspec.UnsetType = msgspec.UNSET


class _IdOnly(msgspec.Struct, frozen=True):
    id: Id = None


@dataclass(frozen=True, slots=True)
class Call:
    """One call, its parameters not decoded yet; ``expects_reply`` is false for a notification."""

    id: Id
    method: str
    params: bytes
    expects_reply: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """The decoded line: its calls, with the reply in place of each call that cannot be decoded."""

    parts: tuple[Call | bytes, ...]
    is_batch: bool


_ABOUT_FIELD = re.compile(r"Object (?:contains unknown|missing required) field `([^`]+)`")

_NAME = re.compile("[A-Za-z]+")

_OUT_OF_BOUNDS = re.compile(r"Expected `(\w+)`(?: of length)?(?: ([<>]=))? ([0-9.]+)")
_BOUNDS = {
    "int >=": "must be {} or more",
    "int <=": "must be {} or less",
    "float >=": "must be {} or more",
    "float <=": "must be {} or less",
    "str >=": "must not be empty",  # no request asks for more than one character
    "str <=": "may have {} characters at most",
    "array =": "must have {} values",
    "array <=": "may have {} values at most",
    "object <=": "may have {} keys at most",
}
_WRONG_TYPE = re.compile(r"Expected `([^`]+)`, got `\w+`")
_TYPES = {
    "array": "an array",
    "bool": "a boolean",
    "float": "a number",
    "int": "an integer",
    "object": "an object",
    "str": "a string",
}

_HIGH, _LOW = rb"\\u[dD][89abAB][0-9a-fA-F]{2}", rb"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
# Matches every escape of a line from left to right, since a backslash may itself be escaped.
_ESCAPES = re.compile(rb"%b%b|(?P<half>%b|%b)|\\." % (_HIGH, _LOW, _HIGH, _LOW), re.DOTALL)
_REPLACEMENT = rb"\ufffd"

_CALL = msgspec.json.Decoder(_Call)
_ID_ONLY = msgspec.json.Decoder(_IdOnly)
_BATCH = msgspec.json.Decoder(list[msgspec.Raw])
_ANYTHING = msgspec.json.Decoder()
_ENCODER = msgspec.json.Encoder()


def decode_frame(line: bytes) -> Frame:
    """Decode one line; never raises."""
    try:
        line = _decodable(line)
        if not line.lstrip().startswith(b"["):
            return Frame((_decode_call(line),), is_batch=False)
        raw_calls = _BATCH.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        message = f"not JSON: {_why(line, error)}"
        return Frame((_error(None, PARSE_ERROR, message, "parse"),), is_batch=False)
    if not 1 <= len(raw_calls) <= BATCH_CALLS_MAX:
        message = f"a batch holds 1 to {BATCH_CALLS_MAX} calls"
        return Frame((_error(None, INVALID_REQUEST, message, "request"),), is_batch=False)
    return Frame(tuple(_decode_call(bytes(raw)) for raw in raw_calls), is_batch=True)


def _why(line: bytes, error: Exception) -> str:
    """Return why a line is no JSON; bytes that are no UTF-8 come first, wherever they are.

    Python's own messages are about its decoder, and those of msgspec count the bytes of one string
    or, from 0.23 on, name no place.
    """
    if isinstance(error, RecursionError):
        return "nested too deeply"
    try:
        line.decode()
    except UnicodeDecodeError:
        return "not valid UTF-8"
    return str(error)


def _decodable(line: bytes) -> bytes:
    """Return a line of JSON with a replacement character for each lone half of a surrogate pair.

    A client that cuts a text between the two halves sends such a half, which UTF-8 cannot encode.
    """
    try:
        _ANYTHING.decode(line)
    except msgspec.DecodeError:
        whole = _ESCAPES.sub(_without_half, line)
        if whole == line:
            raise
        _ANYTHING.decode(whole)
        return whole
    return line


def _without_half(escape: re.Match[bytes]) -> bytes:
    return _REPLACEMENT if escape["half"] else escape[0]


def _decode_call(raw: bytes) -> Call | bytes:
    try:
        call = _CALL.decode(raw)
    except msgspec.ValidationError as error:
        return _error(_id_of(raw), INVALID_REQUEST, f"not a JSON-RPC request: {error}", "request")
    if call.jsonrpc != "2.0":
        return _error(_id_of(raw), INVALID_REQUEST, 'jsonrpc must be "2.0"', "request")
    call_id = None if call.id is msgspec.UNSET else call.id
    return Call(call_id, call.method, bytes(call.params), call.id is not msgspec.UNSET)


def _id_of(raw: bytes) -> Id:
    try:
        return _ID_ONLY.decode(raw).id
    except msgspec.ValidationError:
        return None


def decode_params(call: Call, request_type: type[Request]) -> Request:
    """Decode the parameters of a call.

    Raises:
        InvalidParams: a field is missing, unknown or out of range.
    """
    try:
        return msgspec.json.decode(call.params, type=request_type)
    except msgspec.ValidationError as error:
        raise _invalid_params(str(error), request_type) from error


def _invalid_params(message: str, request_type: type[Request]) -> InvalidParams:
    """Turn msgspec's message, which names the field at its end or within, into an error.

    The message repeats an unknown name or value of the client, and is cut.
    """
    text, _, place = message.replace(" - at `key` in `$.", " - at `$.").partition(" - at `$.")
    text = _in_words(text)
    named = _ABOUT_FIELD.match(text)
    name = named[1][:ECHO_CHARACTERS_MAX] if named else "params"
    place = place[:ECHO_CHARACTERS_MAX].rstrip("`")
    hint = _hint(text, place, request_type)
    text = text[:ECHO_CHARACTERS_MAX]
    if not place:
        return InvalidParams(text if named else f"{name}: {text}", name, hint)
    group, bracket, _ = place.partition("[")
    field = f"{group}.{name}" if named and not bracket else group
    return InvalidParams(f"{group}: {text}", field, hint)


def _in_words(text: str) -> str:
    """Return msgspec's reason to refuse a value, without the names of types in Python."""
    if text.startswith("Expected `str` matching regex "):  # ``memory.requests.NO_CONTROLS`` alone
        return "must have no control characters"
    if match := _OUT_OF_BOUNDS.fullmatch(text):
        kind, bound, number = match.groups("=")
        return _BOUNDS.get(f"{kind} {bound}", text).format(number.removesuffix(".0"))
    if match := _WRONG_TYPE.fullmatch(text):
        return f"must be {' or '.join(_TYPES.get(kind, kind) for kind in match[1].split(' | '))}"
    return text


def _hint(text: str, place: str, request_type: type[Request]) -> str:
    """Return which fields or values there are, if msgspec says that the one given is unknown."""
    if text.startswith("Object contains unknown field"):
        common = {field.encode_name for field in msgspec.structs.fields(Request)}
        structs = (each for each in _types_at(place, request_type) if isinstance(each, StructType))
        names = [field.encode_name for struct in structs for field in struct.fields]
        return f"fields: {', '.join(sorted(names, key=common.__contains__))}"
    if text.startswith("Invalid enum value"):
        values: list[str] = []
        for each in _types_at(place, request_type):
            values += ["true", "false"] if isinstance(each, BoolType) else []
            values += map(str, each.values) if isinstance(each, LiteralType) else []
        return f"one of: {', '.join(values)}"
    return ""


def _types_at(place: str, request_type: type[Request]) -> list[Type]:
    """Return the types that a place in the parameters may have, such as `state[...].priority`."""
    found = _without_groups(type_info(request_type))
    for name in _NAME.findall(place):
        structs = [each for each in found if isinstance(each, StructType)]
        fields = [field for struct in structs for field in struct.fields]
        found = [
            each
            for field in fields
            if field.encode_name == name
            for each in _without_groups(field.type)
        ]
    return found


def _without_groups(of: Type) -> list[Type]:
    """Return the members of a union, and the types of the items of a list, instead of it."""
    if isinstance(of, UnionType):
        return [each for member in of.types for each in _without_groups(member)]
    return _without_groups(of.item_type) if isinstance(of, VarTupleType) else [of]


def encode(value: object) -> bytes:
    """Return a part of a reply as JSON."""
    return _ENCODER.encode(value)


def encode_result(call_id: Id, reply: Reply) -> bytes:
    """Return the reply to a call, without a line end."""
    body = _ENCODER.encode(reply)
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (_ENCODER.encode(call_id), body)


def encode_notification(method: str, params: Part) -> bytes:
    """Return the line of a notification."""
    body = _ENCODER.encode(params)
    return b'{"jsonrpc":"2.0","method":%b,"params":%b}\n' % (_ENCODER.encode(method), body)


def encode_error(call_id: Id, error: ClewError) -> bytes:
    """Return the reply to a call that failed, without a line end."""
    if isinstance(error, InvalidParams):
        data = {"code": error.code, "field": error.field, "hint": error.hint}
        return _error(call_id, INVALID_PARAMS, str(error), "", data)
    return _error(call_id, SERVER_ERROR, str(error), "", _data(error))


def _data(error: ClewError) -> dict[str, Any]:
    data: dict[str, Any] = {"code": error.code, "hint": error.hint}
    if isinstance(error, Ambiguous):
        data["candidates"] = error.candidates
    elif isinstance(error, UnknownNote):
        data["suggestions"] = error.suggestions
    return data


def encode_unknown_method(call_id: Id, method: str, methods: Sequence[str]) -> bytes:
    """Return the reply to a call of a method that does not exist."""
    hint = f"methods: {', '.join(methods)}"
    data = {"code": "methodNotFound", "hint": hint}
    return _error(call_id, METHOD_NOT_FOUND, f"no method {method[:100]!r}", "", data)


def encode_frame(answers: Sequence[bytes], is_batch: bool) -> bytes:
    """Return the line that answers a frame; empty if it held only notifications."""
    if not answers:
        return b""
    return b"[%b]\n" % b",".join(answers) if is_batch else answers[0] + b"\n"


def _error(
    call_id: Id, code: int, message: str, name: str, data: dict[str, Any] | None = None
) -> bytes:
    error = ErrorReply(code=code, message=message, data=data or {"code": name, "hint": ""})
    return b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (
        _ENCODER.encode(call_id),
        _ENCODER.encode(error),
    )
