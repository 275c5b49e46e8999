"""Windows by a daemon: its pipelines, time limits, traces, and the commands that show them."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.query.assemble.contribution import Contribution
from clew.query.slices import PAUSE, Slices
from clew.surface.server.answers.windows.running import run_all
from clew.surface.server.shared_work import SharedWork
from clew.values.errors import InvalidParams
from tests.daemons import Daemon, copy_sample, daemon

PIPELINE = {"id": "plans", "section": "constraints", "steps": [{"read": {"ref": "Clock drift"}}]}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("assemble")
    with daemon(home, copy_sample(home / "vault")) as started:
        started.until("status", lambda said: said["ready"], 60.0)
        yield started


def clew(running: Daemon, *words: str, given: str = "") -> tuple[int, str, str]:
    line = [sys.executable, "-m", "clew", *words, "--socket", str(running.socket)]
    done = subprocess.run(
        line, capture_output=True, check=False, env=running.environment, text=True, input=given
    )
    return done.returncode, done.stdout, done.stderr


def test_the_command_prints_the_window_and_trace_tells_of_it(
    running: Daemon, tmp_path: Path
) -> None:
    file = tmp_path / "request.json"
    file.write_text(
        json.dumps({"task": {"text": "why do clocks drift? @none"}, "tokenBudget": 500})
    )
    status, text, remark = clew(running, "assemble", "--file", str(file))
    assert (status, text.endswith("## User Request\n\nwhy do clocks drift? @none\n")) == (0, True)
    assert remark.endswith("of 500 tokens\n")
    status, traced, _ = clew(running, "trace")
    assert status == 0
    assert "why do clocks drift? @none" in traced.split("\n")[0]
    assert "  warnings: " in traced
    assert clew(running, "assemble", "--file", "-", given="[")[0] == 2
    assert clew(running, "assemble", "--file", "-", given="{}")[0] == 1


def test_history_is_the_session_and_what_is_recalled_of_others(running: Daemon) -> None:
    for number in range(12):
        running.ask("session.append", sessionId="now", role="user", content=f"Step {number}.")
    running.ask("session.append", sessionId="old", role="user", content="The astrolabe is bent.")
    running.ask("session.append", sessionId="old", role="user", content="Supper was late.")
    request = {"task": {"text": "what of the astrolabe"}, "session": {"id": "now"}}
    history = running.ask("assemble", **request, format="items")["context"]["history"]
    said = [row["text"].partition(": ")[2] for row in history]
    assert said == [*(f"Step {number}." for number in range(11, 1, -1)), "The astrolabe is bent."]
    assert not running.ask("assemble", task=request["task"], format="items")["context"]["history"]


def test_the_same_request_has_the_same_text(running: Daemon) -> None:
    fields = {"task": {"text": "how does a seiche lead to clock drift"}, "asOf": "2026-11-21"}
    assert running.ask("assemble", **fields)["text"] == running.ask("assemble", **fields)["text"]


def test_pipelines_are_read_again_when_they_change(running: Daemon) -> None:
    folder = running.vault / ".clew/pipelines"
    folder.mkdir(parents=True)
    (folder / "a.json").write_text(json.dumps(PIPELINE))
    fields = {"task": {"text": "zebra"}, "format": "items", "waitFresh": True}
    reply = running.ask("assemble", **fields)
    assert "No clock runs" in reply["context"]["constraints"][0]["text"]
    assert [each["name"] for each in reply["trace"]["sources"]][-1] == "plans"
    (folder / "a.json").write_text(json.dumps(PIPELINE | {"section": "no"}))
    running.ask("assemble", **fields)
    assert not running.ask("validate", task={"text": "x"})["valid"]
    (folder / "a.json").unlink()
    running.ask("sync")
    assert running.ask("validate", task={"text": "x"})["valid"]


def test_a_pipeline_that_fails_or_is_late_leaves_the_others() -> None:
    def good() -> Slices[Contribution]:
        yield PAUSE
        return Contribution("good", "state")

    def bad() -> Slices[Contribution]:
        yield PAUSE
        raise InvalidParams("no", "x")

    def broken() -> Slices[Contribution]:
        yield PAUSE
        raise KeyError

    def endless() -> Slices[Contribution]:
        while True:
            yield PAUSE

    started = [(each.__name__, "state", each()) for each in (endless, good, bad, broken)]
    late, fine, refused, failed = asyncio.run(run_all(started, 0.1, SharedWork()))
    assert (late.is_late, late.error) == (True, "not done within 100 ms")
    assert (fine.error, fine.is_late) == (None, False)
    assert refused.error == "failed: no"
    assert failed.error is not None
    assert failed.error.startswith("failed; ")
