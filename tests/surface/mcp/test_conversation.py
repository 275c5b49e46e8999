"""The protocol without pipes: both eras, batches, cancellation and what no client should send."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.surface.mcp.versions import ENVELOPE, HANDSHAKE, SERVER_KEY
from clew.surface.mcp.work import Question
from tests.examples import examples
from tests.surface.mcp.talk import META, Talk, called, enveloped, request
from tests.tables import for_each_row

PAGE: dict[str, Any] = {"revision": 1, "total": 0, "start": 0, "cursor": None}


def empty(_: Question) -> dict[str, Any]:
    """Answer as the daemon of an empty vault."""
    return {**PAGE, "communities": [], "notes": []}


@pytest.mark.parametrize("version", HANDSHAKE)
def test_a_handshake_agrees_on_the_revision_that_the_client_offers(version: str) -> None:
    result = Talk().handshake(version)
    assert result["protocolVersion"] == version
    assert result["serverInfo"]["name"] == "clew"


@pytest.mark.parametrize("version", ["2030-01-01", "", "2026-07-28"])
def test_an_unknown_revision_is_answered_with_the_newest_that_has_a_handshake(
    version: str,
) -> None:
    assert Talk().handshake(version)["protocolVersion"] == HANDSHAKE[-1]


def test_results_of_the_handshake_era_have_no_fields_of_the_other() -> None:
    talk = Talk()
    talk.handshake()
    assert set(talk.ask("tools/list")["result"]) == {"tools"}
    assert talk.ask("ping")["result"] == {}


def test_a_client_without_a_handshake_discovers_what_there_is() -> None:
    [reply] = Talk().say(enveloped("server/discover"))
    result = reply["result"]
    assert result["supportedVersions"] == list(ENVELOPE)
    assert result["resultType"] == "complete"
    assert result["_meta"][SERVER_KEY]["name"] == "clew"
    assert result["ttlMs"] >= 0
    assert result["cacheScope"] == "private"


def test_every_result_of_the_envelope_era_says_that_it_is_complete() -> None:
    talk = Talk(empty)
    [listed, done] = talk.say(
        enveloped("tools/list", 1), enveloped("tools/call", 2, name="recent", arguments={})
    )
    assert listed["result"]["resultType"] == done["result"]["resultType"] == "complete"
    assert "ttlMs" in listed["result"]
    assert "ttlMs" not in done["result"]


@pytest.mark.parametrize("method", ["initialize", "ping", "logging/setLevel"])
def test_methods_that_the_envelope_era_dropped_are_refused_in_it(method: str) -> None:
    talk = Talk()
    talk.say(enveloped("tools/list"))
    [reply] = talk.say(enveloped(method))
    assert reply["error"]["code"] == (-32022 if method == "initialize" else -32601)


def test_an_envelope_is_refused_after_a_handshake() -> None:
    talk = Talk()
    talk.handshake()
    [reply] = talk.say(enveloped("tools/list"))
    assert reply["error"]["code"] == -32600


def test_a_request_without_its_envelope_names_what_is_missing() -> None:
    talk = Talk()
    talk.say(enveloped("tools/list"))
    error = talk.ask("tools/list")["error"]
    assert error["code"] == -32602
    assert all(key in error["message"] for key in META)


def test_a_revision_of_the_future_leaves_every_era_open() -> None:
    talk = Talk()
    meta = {**META, next(iter(META)): "2031-01-01"}
    error = talk.ask("server/discover", _meta=meta)["error"]
    assert error["code"] == -32022
    assert set(error["data"]["supported"]) == {*HANDSHAKE, *ENVELOPE}
    assert talk.handshake()["protocolVersion"] == HANDSHAKE[-1]


def test_a_script_may_leave_out_the_handshake() -> None:
    assert Talk().ask("tools/list")["result"]["tools"]


FAULTS = json.loads((Path(__file__).parent / "faulty_lines.json").read_text())


@for_each_row("row", FAULTS)
def test_a_faulty_line_is_answered_and_the_conversation_goes_on(row: dict[str, Any]) -> None:
    talk = Talk()
    talk.handshake()
    [reply] = talk.send(row["line"].encode())
    assert (reply["error"]["code"], reply["id"]) == (row["code"], row["id"])
    assert talk.ask("ping", 99)["result"] == {}


@pytest.mark.parametrize("line", [b"\xff\xfe{}", b"[" * 100_000, b"9" * 10_000, b"\x00"])
def test_garbage_is_answered_once(line: bytes) -> None:
    [reply] = Talk().send(line)
    assert reply["error"]["code"] in (-32700, -32600)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=9,
)
METHODS = st.sampled_from(
    ("initialize", "ping", "server/discover", "tools/list", "tools/call", "resources/read")
) | st.sampled_from(("prompts/get", "notifications/cancelled", "x", "resources/list"))
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | JSON,
        "id": st.integers(0, 3) | JSON,
        "method": METHODS | JSON,
        "params": st.fixed_dictionaries(
            {},
            optional={
                "_meta": st.just(META) | JSON,
                "protocolVersion": st.sampled_from(HANDSHAKE) | JSON,
                "name": st.sampled_from(["recent", "communities", "brief_my_week"]) | JSON,
                "arguments": st.fixed_dictionaries({}, optional={"cursor": JSON, "limit": JSON})
                | JSON,
                "requestId": st.integers(0, 3) | JSON,
                "uri": st.just("memory://x.md") | JSON,
            },
        )
        | JSON,
        "result": JSON,
    },
)


@pytest.mark.slow
@given(st.lists(MESSAGES | st.lists(MESSAGES, max_size=3) | JSON, max_size=8))
@examples(300, long=5000)
def test_whatever_a_client_sends_each_request_has_one_answer(values: list[Any]) -> None:
    talk = Talk(lambda asked: {**empty(asked), "content": ""})
    for value in values:
        replies = talk.say(value)
        if isinstance(value, list):
            continue
        # A message with a result or an error is a reply, whatever else it has.
        is_request = isinstance(value, dict) and {"method", "id"} <= value.keys()
        is_reply = isinstance(value, dict) and bool({"result", "error"} & value.keys())
        assert len(replies) == 1 or not is_request or is_reply
        for reply in replies:
            assert ("result" in reply) != ("error" in reply)
    assert not talk.conversation.is_waiting


def test_a_batch_is_answered_in_one_line_when_its_last_call_is_done() -> None:
    talk = Talk(empty)
    talk.handshake("2025-03-26")
    batch = [request("ping", 1), called("recent", 2), {"jsonrpc": "2.0", "method": "x"}, 7]
    [replies] = talk.say(batch)
    assert {reply["id"] for reply in replies} == {1, 2, None}


@pytest.mark.parametrize("version", [v for v in HANDSHAKE if v != "2025-03-26"])
def test_only_one_revision_has_batches(version: str) -> None:
    talk = Talk()
    talk.handshake(version)
    [reply] = talk.say([request("ping")])
    assert reply["error"]["code"] == -32600


@pytest.mark.parametrize("batch", [[], [request("ping", n) for n in range(101)]])
def test_a_batch_has_a_size(batch: list[Any]) -> None:
    talk = Talk()
    talk.handshake("2025-03-26")
    [reply] = talk.say(batch)
    assert reply["error"]["code"] == -32600


def test_a_cancelled_call_is_not_answered() -> None:
    talk = Talk(empty)
    line = json.dumps(called("recent", "a")).encode()
    assert talk.send(line, run=False) == []
    talk.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "a"}})
    assert not talk.conversation.is_waiting
    assert len(talk.conversation.dropped) == 1
    assert talk.replies() == []


def test_a_batch_is_answered_without_the_call_that_was_cancelled() -> None:
    talk = Talk(empty)
    talk.handshake("2025-03-26")
    batch = json.dumps([called("recent", 1), request("ping", 2)]).encode()
    assert talk.send(batch, run=False) == []
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    assert talk.send(json.dumps(cancelled).encode(), run=False) == [
        [{"jsonrpc": "2.0", "id": 2, "result": {}}]
    ]


def test_an_id_that_is_not_answered_yet_cannot_be_used_again() -> None:
    talk = Talk(empty)
    line = json.dumps(called("recent", 1)).encode()
    [reply] = talk.send(line + b"\n" + line, run=False)
    assert reply["error"]["code"] == -32600
    talk.run()
    assert "result" in talk.replies()[0]


def test_requests_that_wait_have_a_bound() -> None:
    talk = Talk(empty)
    lines = b"\n".join(json.dumps(called("recent", n)).encode() for n in range(300))
    refused = talk.send(lines, run=False)
    assert len(refused) == 300 - 256
    talk.run()
    assert len(talk.replies()) == 256


def test_a_fault_in_a_tool_ends_only_its_call(capsys: pytest.CaptureFixture[str]) -> None:
    talk = Talk(lambda _: {})
    assert talk.ask("tools/call", name="recent", arguments={})["error"]["code"] == -32603
    assert talk.ask("ping")["result"] == {}
    assert capsys.readouterr().out == ""
