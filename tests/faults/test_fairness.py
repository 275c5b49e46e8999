"""A client that sends heavy requests does not hold up another client."""

import json
import os
import time
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from tests.daemons import Daemon, daemon
from tests.faults.vaults import vault_of
from tests.pace import Stopwatch

NOTES = 1_500
CONCEPTS = 300
MENTIONS = 12
WAIT_SECONDS_MAX = 0.06
TRIES = 5


def vault_notes() -> dict[str, str]:
    chance = Random(3)
    concepts = [f"concept {number}" for number in range(CONCEPTS)]
    return {
        f"{number % 40}/Note {number}.md": " ".join(
            f"[[{name}]] word{chance.randrange(2_000)}"
            for name in chance.sample(concepts, MENTIONS)
        )
        for number in range(NOTES)
    }


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("fair")
    with daemon(home, vault_of(home / "v", vault_notes())) as started:
        started.ask("search", query="word7")  # loads the model
        yield started


def call(method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()


def paths(count: int) -> list[bytes]:
    return [
        call("path", **{"from": f"concept {number}", "to": f"concept {299 - number}"})
        for number in range(count)
    ]


HEAVY = {
    "pipelined path": (b"\n".join(paths(100)), 100),
    "a batch of path": (b"[" + b",".join(paths(50)) + b"]", 1),
    "pipelined search": (b"\n".join(call("search", query=f"word{n}") for n in range(60)), 60),
    "pipelined windows": (
        b"\n".join(
            call("assemble", task={"text": f"word{n}"}, mentions=[f"@Note {m}" for m in range(99)])
            for n in range(12)
        ),
        12,
    ),
    "a deep concept": (call("concept", conceptName="concept 1", depth=100, maxEntities=1_000), 1),
    "a large graph": (call("graph", conceptName="concept 1", depth=20, maxNodes=5_000), 1),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", HEAVY)
def test_a_heavy_client_does_not_hold_up_another(running: Daemon, kind: str) -> None:
    requests, reply_count = HEAVY[kind]
    waits_s = []
    for _ in range(TRIES):
        with running.connect() as heavy, running.connect() as other:
            replies, stream = heavy.makefile("rb"), other.makefile("rb")
            heavy.sendall(requests + b"\n")
            time.sleep(0.01)
            watch = Stopwatch([os.getpid(), running.pid])
            other.sendall(call("hello", protocol=1) + b"\n")
            assert b"result" in stream.readline()
            waits_s.append(watch.seconds())
            for _ in range(reply_count):
                assert b"error" not in replies.readline()[:40]
    waits_s.sort()
    assert waits_s[TRIES // 2] <= WAIT_SECONDS_MAX, f"waited {waits_s} s"


def test_replies_come_in_the_order_of_requests_and_none_is_refused(running: Daemon) -> None:
    """Some methods wait for a thread or the indexer; the replies after theirs wait too."""
    methods = ["sync", "tags", "search", "hello", "status", "concept", "path", "nonsense", "rank"]
    params = {
        "search": {"query": "word8"},
        "hello": {"protocol": 1},
        "concept": {"conceptName": "concept 1"},
        "path": {"from": "concept 1", "to": "concept 2"},
        "rank": {"query": "concept"},
    }
    lines = [
        json.dumps(
            {"jsonrpc": "2.0", "id": number, "method": method, "params": params.get(method, {})}
        )
        for number, method in enumerate(methods * 30)
    ]
    answers = running.say("\n".join(lines).encode() + b"\n")
    assert [answer["id"] for answer in answers] == list(range(len(lines)))
    codes = [answer["error"]["data"]["code"] for answer in answers if "error" in answer]
    assert codes == ["methodNotFound"] * 30
