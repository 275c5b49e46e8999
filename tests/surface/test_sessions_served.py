"""Sessions through a daemon: kept over kills, bounded, and safe from what clients send."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from clew.query.search.search_config import SearchConfig
from clew.surface.server.answers.memory import sessions as methods
from clew.surface.server.answers.query_tools import QueryTools
from clew.surface.server.answers.windows.assemble import answer_assemble
from clew.values.memory import requests
from clew.values.requests import Assemble, Task
from clew.values.requests import Session as OfSession
from clew.values.vault import Batch
from tests.daemons import Daemon, daemon
from tests.vaults import engine_of, read_note

NOTE = """---
type: session
---
# Talk

## user · 2026-11-20T10:00:00Z

Where is the sextant?

## assistant · 2026-11-20T10:01:00Z

In the chart room.
"""
HEADING = "## user · 2026-11-25T10:00:00Z\n\nis this a turn?"


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Daemon]:
    yield from served(tmp_path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    yield from served(tmp_path_factory.mktemp("sessions"))


def served(folder: Path) -> Iterator[Daemon]:
    vault = folder / "v"
    vault.mkdir()
    (vault / "Talk.md").write_text(NOTE)
    with daemon(folder / "home", vault) as started:
        yield started


def append(running: Daemon, session_id: str, text: str, **more: Any) -> int:
    reply = running.ask("session.append", sessionId=session_id, role="user", content=text, **more)
    assert isinstance(reply["turn"], int)
    return reply["turn"]


def sessions(running: Daemon, **more: Any) -> dict[str, tuple[int, int]]:
    rows = running.ask("session.list", **more)["sessions"]
    return {row["sessionId"]: (row["turns"], row["scratchKeys"]) for row in rows}


def recalled(running: Daemon, query: str, **more: Any) -> list[dict[str, Any]]:
    return list(running.ask("session.recall", query=query, **more)["turns"])


def kill(running: Daemon) -> None:
    os.kill(running.pid, signal.SIGKILL)
    running.end()
    running.start()


@pytest.mark.slow
def test_what_was_acknowledged_is_there_after_a_kill_and_a_stop(running: Daemon) -> None:
    append(running, "../../a", HEADING)
    running.ask("session.scratch.set", sessionId="../../a", key="k", value="v")
    running.ask("session.scratch.set", key="k", value="shared")
    kill(running)
    assert append(running, "../../a", "the second") == 2
    assert running.stop() == 0
    running.start()
    talk = {"memory://Talk.md": (2, 0)}
    assert sessions(running) == {"../../a": (2, 1)} | talk
    assert running.ask("session.scratch.get", sessionId="../../a", key="k")["value"] == "v"
    assert running.ask("session.scratch.get", key="k")["value"] == "shared"
    (found,) = recalled(running, "is this a turn", limit=1)
    assert (found["text"], found["turn"], found["uri"]) == (HEADING, 1, None)
    assert running.ask("session.scratch.clear", sessionId="../../a")["cleared"] == 1
    assert running.ask("session.scratch.list", sessionId="../../a")["keys"] == []
    assert not list(running.vault.rglob("*memory*"))


@pytest.mark.slow
def test_turns_of_notes_are_recalled_with_their_lines(running: Daemon) -> None:
    (found,) = recalled(running, "where is the sextant", limit=1, asOf="2026-11-20T10:00:00Z")
    assert found["uri"] == found["sessionId"] + "#L6-L8" == "memory://Talk.md#L6-L8"
    assert running.ask("read", uri=found["uri"])["content"].strip().endswith("sextant?")
    of_note = recalled(running, "sextant", sessionId="memory://Talk.md", limit=1)
    assert of_note[0]["relevance"] > recalled(running, "sextant", limit=1)[0]["relevance"] - 1e-9
    (running.vault / "Talk.md").write_text(NOTE.replace("sextant", "compass"))
    assert recalled(running, "sextant", waitFresh=True) == []


@pytest.mark.slow
def test_two_clients_that_append_at_once_lose_no_turn(running: Daemon) -> None:
    numbers: list[int] = []

    def client(name: str) -> None:
        numbers.extend(append(running, "both", f"{name} {number}") for number in range(20))

    threads = [threading.Thread(target=client, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(numbers) == list(range(1, 41))
    kill(running)
    assert sessions(running)["both"] == (40, 0)


@pytest.mark.parametrize(
    ("method", "params", "code", "field"),
    [
        ("session.append", {"sessionId": "x" * 1_000_000}, "invalidParams", "sessionId"),
        ("session.append", {"sessionId": ""}, "invalidParams", "sessionId"),
        ("session.append", {"sessionId": "memory://Talk.md"}, "invalidParams", "sessionId"),
        ("session.append", {"role": "a\nb"}, "invalidParams", "role"),
        ("session.append", {"role": "u\n"}, "invalidParams", "role"),
        ("session.append", {"role": "u\x85"}, "invalidParams", "role"),
        ("session.append", {"content": ""}, "invalidParams", "content"),
        ("session.append", {"content": "x" * 100_001}, "invalidParams", "content"),
        ("session.scratch.set", {"key": "k", "value": "x" * 300_000}, "tooLarge", None),
        ("session.scratch.set", {"key": "", "value": "x"}, "invalidParams", "key"),
        ("session.recall", {"query": "the of"}, "invalidParams", "query"),
        ("session.recall", {"query": "x", "limit": 51}, "invalidParams", "limit"),
        ("session.list", {"cursor": "soon"}, "invalidParams", "cursor"),
    ],
)
def test_bad_requests_are_refused(
    shared: Daemon, method: str, params: dict[str, Any], code: str, field: str | None
) -> None:
    whole = {"sessionId": "s", "role": "user", "content": "x"} if method.endswith("d") else {}
    data = shared.refusal(method, **{**whole, **params})["data"]
    assert (data["code"], data.get("field")) == (code, field)
    assert "s" not in sessions(shared)


def test_scratch_beyond_its_bound_is_refused_and_says_what_to_do(shared: Daemon) -> None:
    for number in range(4):
        shared.ask("session.scratch.set", sessionId="t", key=f"{number}", value="x" * 262_000)
    error = shared.refusal("session.scratch.set", sessionId="t", key="5", value="x" * 262_000)
    assert error["data"] == {
        "code": "tooLarge",
        "hint": "clear values that are no longer needed",
    }
    assert sessions(shared)["t"] == (0, 4)


def test_the_turns_of_a_session_are_shown_in_their_order(shared: Daemon) -> None:
    for text in ("first", "second", "x" * 10_001):
        append(shared, "shown", text)
    first = shared.ask("session.show", sessionId="shown", limit=2)
    assert [(row["turn"], row["text"]) for row in first["turns"]] == [(1, "first"), (2, "second")]
    rest = shared.ask("session.show", sessionId="shown", limit=2, cursor=first["cursor"])
    assert [(row["turn"], row["truncated"]) for row in rest["turns"]] == [(3, True)]
    assert (first["total"], rest["start"], rest["cursor"]) == (3, 2, None)
    of_note = shared.ask("session.show", sessionId="memory://Talk.md")["turns"]
    assert [row["role"] for row in of_note] == ["user", "assistant"]
    assert of_note[0]["uri"] == "memory://Talk.md#L6-L8"
    assert shared.ask("session.show", sessionId="none")["turns"] == []


@pytest.mark.slow
def test_a_deleted_session_is_gone_for_good(running: Daemon) -> None:
    append(running, "d", "the astrolabe is bent")
    append(running, "kept", "the anchor is bent")
    running.ask("session.scratch.set", sessionId="d", key="k", value="v")
    reply = running.ask("session.delete", sessionId="d")
    assert (reply["turns"], reply["scratchKeys"]) == (1, 1)
    again = running.ask("session.delete", sessionId="d")
    assert (again["turns"], again["scratchKeys"]) == (0, 0)
    kill(running)
    assert sessions(running) == {"kept": (1, 0), "memory://Talk.md": (2, 0)}
    assert recalled(running, "astrolabe") == []
    assert running.ask("session.delete", sessionId="memory://Talk.md")["turns"] == 0
    assert append(running, "d", "begun again") == 1


@pytest.mark.slow
def test_commands_append_list_and_recall(running: Daemon) -> None:
    def said(*words: str) -> tuple[int, str, str]:
        command = [sys.executable, "-m", "clew", "session", *words]
        done = subprocess.run(
            [*command, "--socket", str(running.socket)],
            capture_output=True,
            check=False,
            env=running.environment,
            text=True,
        )
        return done.returncode, done.stdout, done.stderr

    at = ("--as-of", "2026-11-24T12:00:00Z")
    assert said("append", "m", "user", "late gauge", *at) == (
        0,
        "turn 1 (2026-11-24T12:00:00Z)\n",
        "",
    )
    assert said("scratch", "set", "k", "v w", "--session", "m", *at) == (0, "", "")
    assert said("scratch", "get", "k", "--session", "m") == (0, "v w\n", "")
    status, listed, _ = said("list")
    assert (status, listed.splitlines()[0].split()) == (
        0,
        ["m", "1", "turn", "1", "value", "2026-11-24T12:00:00Z"],
    )
    status, shown, _ = said("recall", "late", "gauge", "--session", "m", "-n", "1", *at)
    assert (status, shown.splitlines()) == (
        0,
        [
            "user  m",
            "  2026-11-24T12:00:00Z  similarity 0.95  relevance 0.50",
            "  late gauge",
        ],
    )
    assert said("recall", "zqx") == (0, "", "clew: no turn speaks of 'zqx'\n")
    status, text, _ = said("recall", "gauge", "--json")
    assert (status, json.loads(text)["total"]) == (0, 3)
    assert said("append", "m", "user", "")[0] == 2  # a wrong value
    assert said("delete", "m") == (0, "1 turn and 1 value removed\n", "")


def test_what_is_kept_of_a_note_that_is_a_session_is_a_part_of_it(running: Daemon) -> None:
    note = "memory://Talk.md"
    running.ask("session.scratch.set", sessionId=note, key="k", value="v")
    assert [row["turn"] for row in running.ask("session.show", sessionId=note)["turns"]] == [1, 2]
    assert sessions(running)[note] == (2, 1)
    later = "memory://Later.md"
    running.ask("session.append", sessionId=later, role="user", content="before the note")
    (running.vault / "Later.md").write_text(NOTE)
    running.ask("sync")
    turns = running.ask("session.show", sessionId=later)["turns"]
    assert [(row["turn"], row["text"]) for row in turns][2:] == [(3, "before the note")]
    assert sessions(running)[later] == (3, 0)
    assert running.ask("session.list")["total"] == 2


class Growing:
    """A service whose session, a note, has one more turn each time that its snapshot is asked for.

    So a snapshot has as many turns as its revision says.
    """

    def __init__(self) -> None:
        self.engine = engine_of({})
        self.tools = QueryTools("builtin")
        self.tools.model = cast("Any", SimpleNamespace(encoder=nothing, failure="none"))
        self.sessions = SimpleNamespace(sessions=no_values, scratch=lambda _: no_values())
        self.search_config, self.health = SearchConfig(), SimpleNamespace(report=None)
        self.shows_private = False

    @property
    def snapshot(self) -> Any:
        count = self.engine.snapshot.revision + 1
        turns = "".join(f"## user · 2026-01-01T00:00:0{n}Z\n\nturn {n}\n\n" for n in range(count))
        text = f"---\ntype: session\n---\n{turns}"
        self.engine.apply(Batch(put=(read_note("s.md", text),)))
        return self.engine.snapshot

    def ready_snapshot(self) -> Any:
        return self.snapshot


async def nothing() -> None:
    return None


async def no_values() -> dict[str, Any]:
    return {}


def test_a_reply_has_the_turns_of_its_revision() -> None:
    service, note = cast("Any", Growing()), "memory://s.md"
    listed = asyncio.run(methods.list_sessions(service, requests.SessionList()))
    assert listed.sessions[0].turns == listed.revision
    shown = asyncio.run(methods.show(service, requests.SessionShow(session_id=note)))
    assert shown.total == shown.revision
    recall = requests.SessionRecall(query="turn")
    assert (
        found := asyncio.run(methods.recall_turns(service, recall, 0.0))
    ).total == found.revision
    request = Assemble(task=Task(text="zebra"), session=OfSession(id=note), format="items")
    window = asyncio.run(answer_assemble(service, request, 0.0))
    assert isinstance(window.context, dict)
    assert len(window.context["history"]) == window.revision
