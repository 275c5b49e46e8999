"""Any line is answered with one line."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.values import requests, wire
from clew.values.errors import InvalidParams
from clew.values.memory.requests import SessionAppend
from tests.tables import for_each_row


def parts(line: bytes) -> tuple[Any, ...]:
    return wire.decode_frame(line).parts


def error_code(line: bytes) -> int:
    (answer,) = parts(line)
    assert isinstance(answer, bytes)
    return int(json.loads(answer)["error"]["code"])


@for_each_row(
    ("line", "code"),
    [
        (b"{", wire.PARSE_ERROR),
        (b"\xff", wire.PARSE_ERROR),
        (b"[" * 100_000, wire.PARSE_ERROR),
        (b'{"jsonrpc":"2.0","method":"x","id":NaN}', wire.PARSE_ERROR),
        (b'{"jsonrpc":"2.0","method":"x","id":1,"params":{"a":"\\ud800"}', wire.PARSE_ERROR),
        (b"[]", wire.INVALID_REQUEST),
        (b"1", wire.INVALID_REQUEST),
        (b'{"method":"x","id":1}', wire.INVALID_REQUEST),
        (b'{"jsonrpc":"1.0","method":"x","id":1}', wire.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","method":1,"id":1}', wire.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","method":"x","id":true}', wire.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","method":"x","id":{}}', wire.INVALID_REQUEST),
    ],
)
def test_a_bad_frame_is_answered_with_its_code(line: bytes, code: int) -> None:
    assert error_code(line) == code


@for_each_row(
    ("line", "message"),
    [
        (b"[" * 100_000, "not JSON: nested too deeply"),
        (b'{"a":' * 100_000, "not JSON: nested too deeply"),
        (b'{"jsonrpc":"2.0","method":"\xff"}', "not JSON: not valid UTF-8"),
        (b'{"jsonrpc":', "not JSON: Input data was truncated"),
    ],
)
def test_a_line_that_is_not_json_is_told_why_in_words_of_the_protocol(
    line: bytes, message: str
) -> None:
    (answer,) = parts(line)
    assert json.loads(answer)["error"]["message"] == message


def test_the_reply_to_a_bad_request_has_its_id() -> None:
    (answer,) = parts(b'{"jsonrpc":"2.0","id":"mine","method":5}')
    assert json.loads(answer)["id"] == "mine"


_UNITS = st.sampled_from(
    ["a", "é", "\U0001f300", "\ud83c", "\udf00", "\ud800", "\udfff", "\\", "\\ud800", '"', "\n"]
)


@given(st.lists(_UNITS, max_size=8).map("".join), st.booleans())
def test_half_of_a_surrogate_pair_counts_as_a_replacement_character(
    text: str, is_batch: bool
) -> None:
    written = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    call = {"jsonrpc": "2.0", "method": "search", "id": text, "params": {"query": text}}
    line = json.dumps([call, call] if is_batch else call).encode()
    for part in parts(line):
        assert isinstance(part, wire.Call)
        assert part.id == written
        assert json.loads(part.params) == {"query": written}


def test_a_call_without_id_expects_no_reply() -> None:
    (call,) = parts(b'{"jsonrpc":"2.0","method":"status"}')
    assert not call.expects_reply
    (asked,) = parts(b'{"jsonrpc":"2.0","method":"status","id":null}')
    assert asked.expects_reply


def test_a_batch_keeps_its_order_and_its_bad_calls() -> None:
    frame = wire.decode_frame(b'[{"jsonrpc":"2.0","method":"a","id":1}, 7]')
    assert frame.is_batch
    assert frame.parts[0].method == "a"  # type: ignore[union-attr]
    assert b"-32600" in frame.parts[1]  # type: ignore[operator]


def test_a_batch_is_bounded() -> None:
    call = b'{"jsonrpc":"2.0","method":"a","id":1}'
    assert error_code(b"[" + b",".join([call] * 101) + b"]") == wire.INVALID_REQUEST


ITEM_FIELDS = "fields: text, priority, source, ref"
COMMON_FIELDS = "waitFresh, waitFor, waitFreshMs, asOf, includePrivate"


def refusal(method: str, params: str, kind: type[Any]) -> InvalidParams:
    call = wire.Call(1, method, params.encode(), expects_reply=True)
    with pytest.raises(InvalidParams) as caught:
        wire.decode_params(call, kind)
    return caught.value


@for_each_row(
    ("params", "field"),
    [
        ('{"conceptName":"x","depth":-1}', "depth"),
        ('{"conceptName":"x","maxEntities":0}', "maxEntities"),
        ('{"conceptName":"x","depth":true}', "depth"),
        ('{"conceptName":"x","depth":1.5}', "depth"),
        ('{"conceptName":""}', "conceptName"),
        ('{"conceptName":"x","dpeth":1}', "dpeth"),
        ("{}", "conceptName"),
        ("[1]", "params"),
        ('{"conceptName":null}', "conceptName"),
    ],
)
def test_a_wrong_parameter_is_named(params: str, field: str) -> None:
    assert refusal("concept", params, requests.ConceptRequest).field == field


@for_each_row(
    ("params", "field"),
    [
        ('{"task":{"text":"x","txet":1}}', "task.txet"),
        ('{"task":{}}', "task.text"),
        ('{"task":{"text":1}}', "task.text"),
        ('{"task":{"text":"x"},"state":[{}]}', "state"),
        ('{"task":{"text":"x"},"caps":{"":1}}', "caps"),
        ('{"task":{"text":"x"},"caps":{"a":-1}}', "caps"),
    ],
)
def test_a_wrong_field_of_a_group_is_named_with_its_group(params: str, field: str) -> None:
    error = refusal("assemble", params, requests.Assemble)
    assert error.field == field
    assert str(error).startswith(field.partition(".")[0])


@for_each_row(
    ("kind", "params", "hint"),
    [
        (requests.Search, '{"query":"x","mode":"a"}', "one of: graph, hybrid, keyword, semantic"),
        (requests.Search, '{"query":"x","includePrivate":"a"}', "one of: true, false, ifAllowed"),
        (requests.Search, '{"query":"x","includePrivate":7}', ""),
        (requests.Search, '{"query":7}', ""),
        (requests.Search, "[1]", ""),
        (requests.Links, '{"path":"x"}', f"fields: limit, cursor, uri, {COMMON_FIELDS}"),
        (requests.Status, '{"path":"x"}', f"fields: {COMMON_FIELDS}"),
        (requests.Assemble, '{"task":{"txet":1}}', "fields: text, type"),
        (requests.Assemble, '{"task":{"text":"x"},"state":[{"a":1}]}', ITEM_FIELDS),
    ],
)
def test_a_wrong_parameter_is_told_with_what_it_may_be(
    kind: type[Any], params: str, hint: str
) -> None:
    assert refusal("", params, kind).hint == hint


@for_each_row(
    ("kind", "params", "message"),
    [
        (requests.Search, '{"query":"x","limit":0}', "limit: must be 1 or more"),
        (
            requests.Search,
            '{"query":"x","mode":"x matching regex y"}',
            "mode: Invalid enum value 'x matching regex y'",
        ),
        (requests.Search, '{"query":"x","limit":1e9}', "limit: must be an integer"),
        (requests.Search, '{"query":"x","limit":"3"}', "limit: must be an integer"),
        (requests.Search, '{"query":null}', "query: must be a string"),
        (requests.Read, '{"uri":""}', "uri: must not be empty"),
        (
            requests.Search,
            f'{{"query":"{"x" * 200_001}"}}',
            "query: may have 200000 characters at most",
        ),
        (requests.Search, '{"query":"x","asOf":3}', "asOf: must be a string or null"),
        (
            requests.Search,
            '{"query":"x","filters":{"minImportance":1.5}}',
            "filters.minImportance: must be 1 or less",
        ),
        (requests.Search, f'{{"waitFor":{["x"] * 101}}}', "waitFor: may have 100 values at most"),
        (requests.Search, "[1]", "params: must be an object"),
        (requests.Read, '{"uri":"x","lines":[0,1]}', "lines: must be 1 or more"),
        (requests.Read, '{"uri":"x","lines":[1]}', "lines: must have 2 values"),
    ],
)
def test_a_refused_value_is_told_in_words_of_the_protocol(
    kind: type[Any], params: str, message: str
) -> None:
    assert str(refusal("", params.replace("'", '"'), kind)) == message


@for_each_row(
    "params",
    [
        f'{{"query":"x","mode":"{"y" * 10_000}"}}',
        f'{{"query":"x","{"y" * 10_000}":1}}',
        f'{{"query":"x","filters":{{"{"y" * 10_000}":1}}}}',
        f'{{"query":"x","mode":" - at `$.{"y" * 10_000}"}}',
    ],
)
def test_a_wrong_parameter_is_repeated_in_short(params: str) -> None:
    error = refusal("search", params, requests.Search)
    assert len(wire.encode_error(1, error)) < 1_000


def test_a_refused_role_is_told_without_a_regular_expression() -> None:
    fields = {"sessionId": "s", "content": "x", "role": "u\n"}
    call = wire.Call(1, "session.append", json.dumps(fields).encode(), expects_reply=True)
    with pytest.raises(InvalidParams, match=r"^role: must have no control characters$"):
        wire.decode_params(call, SessionAppend)


@given(
    st.binary(max_size=200)
    | st.text(max_size=100).map(lambda text: text.encode("utf-8", "replace"))
)
def test_any_bytes_are_a_frame(line: bytes) -> None:
    for part in parts(line):
        if isinstance(part, bytes):
            assert json.loads(part)["jsonrpc"] == "2.0"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(JSON)
def test_any_json_is_a_frame(value: object) -> None:
    assert parts(json.dumps(value).encode())
