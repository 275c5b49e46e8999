"""Windows by a daemon: its pipelines, time limits, traces, and the commands that show them."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from clew.query.assemble.contribution import Contribution
from clew.query.slices import PAUSE, Slices
from clew.surface.server.answers.windows.running import run_all
from clew.surface.server.shared_work import SharedWork
from clew.values.errors import InvalidParams
from tests.daemons import Daemon

pytestmark = pytest.mark.slow  # starts daemons of its own

PIPELINE = {"id": "plans", "section": "constraints", "steps": [{"read": {"ref": "Clock drift"}}]}


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
    assert clew(running, "assemble", "--file", "-", given="{}")[0] == 2
    status, _, remark = clew(running, "assemble", "--file", "-", given="[" + " " * 1024 * 1024)
    assert status == 2
    assert "larger than 1 MiB" in remark


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


@pytest.mark.parametrize(
    ("params", "field"),
    [
        *(({"tokenBudget": budget}, "tokenBudget") for budget in (0, -1, 99, 100_001, "x", 1.5)),
        ({"timeoutMs": 0}, "timeoutMs"),
        ({"state": [{"text": 1}]}, "state"),
        ({"history": [{"text": "x", "priority": "urgent"}]}, "history"),
        ({"session": {"id": ""}}, "session"),
        ({"format": "html"}, "format"),
    ],
)
def test_bad_requests_are_refused(running: Daemon, params: dict[str, Any], field: str) -> None:
    data = running.refusal("assemble", **{"task": {"text": "x"}, **params})["data"]
    assert data["code"] == "invalidParams"
    assert data["field"].startswith(field)


def test_scratch_values_are_working_memory_the_newest_first(running: Daemon) -> None:
    for at, key in enumerate(("first", "second", "third"), 1):
        fields = {"sessionId": "w", "key": key, "value": key, "asOf": f"2026-11-2{at}"}
        running.ask("session.scratch.set", **fields)
    request = {"task": {"text": "zebra"}, "session": {"id": "w"}, "format": "items"}
    shown = running.ask("assemble", **request)["context"]["working_memory"]
    assert [row["text"] for row in shown] == ["third: third", "second: second", "first: first"]


def test_a_value_that_all_share_is_mentioned_without_a_session(running: Daemon) -> None:
    running.ask("session.scratch.set", key="port", value="Cedeira at noon")
    request = {"task": {"text": "zebra kv://port"}}
    assert running.ask("validate", **request)["warnings"] == []
    context = running.ask("assemble", **request, format="items")["context"]
    assert [row["text"] for row in context["knowledge"]] == ["Cedeira at noon"]
    assert context["working_memory"] == []
    running.ask("session.scratch.clear")


def test_a_symbolic_link_leads_nowhere(running: Daemon) -> None:
    (running.vault / "Passwords.md").symlink_to("/etc/passwd")
    request = {"task": {"text": "zebra @Passwords"}, "format": "items", "waitFresh": True}
    context = running.ask("assemble", **request)["context"]
    assert [row["text"] for row in context["warnings"]].count(
        "`@Passwords`: no note or concept has this name"
    ) == 1
    assert "root:" not in json.dumps(context)
    (running.vault / "Passwords.md").unlink()


def test_a_pipeline_that_is_off_does_not_run(running: Daemon) -> None:
    folder = running.vault / ".clew/pipelines"
    folder.mkdir(parents=True, exist_ok=True)
    off = PIPELINE | {"id": "off", "enabled": False}
    (folder / "b.json").write_text(json.dumps([PIPELINE, off]))
    reply = running.ask("assemble", task={"text": "zebra"}, waitFresh=True)
    names = [each["name"] for each in reply["trace"]["sources"]]
    assert "plans" in names
    assert "off" not in names
    (folder / "b.json").unlink()
    running.ask("sync")


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
