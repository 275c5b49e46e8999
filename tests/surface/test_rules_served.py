"""Rules through a daemon: they are read again when their files change, and checked by a command."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemons import Daemon, copy_sample, daemon

pytestmark = pytest.mark.slow  # starts daemons of its own

RULE = {
    "name": "plans only",
    "condition": {"field": "task.text", "op": "matches", "value": "\\bplan"},
    "action": {"type": "exclude", "ref": "Clock drift"},
}


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Daemon]:
    with daemon(tmp_path, copy_sample(tmp_path / "tides")) as started:
        yield started


def check(running: Daemon) -> tuple[int, str, str]:
    words = [sys.executable, "-m", "clew", "rules", "check", "--socket", str(running.socket)]
    done = subprocess.run(
        words, capture_output=True, check=False, env=running.environment, text=True
    )
    return done.returncode, done.stdout, done.stderr


def excluded(running: Daemon, text: str) -> list[str]:
    reply = running.ask("evaluateRules", task={"text": text})
    assert isinstance(reply["excluded"], list)
    return reply["excluded"]


def test_rules_are_used_checked_and_read_again(running: Daemon) -> None:
    assert check(running) == (0, "", "clew: 0 rules in use, 0 mistakes\n")
    folder = running.vault / ".clew/rules"
    folder.mkdir(parents=True)
    (folder / "a.json").write_text(json.dumps([RULE]))
    assert check(running) == (0, "", "clew: 1 rule in use, 0 mistakes\n")
    assert excluded(running, "what do I plan?") == ["memory://concepts/Clock%20drift.md"]
    assert excluded(running, "what do I do?") == []
    # The watch notices a change of a file in a folder that is new.
    (folder / "a.json").write_text(json.dumps([RULE | {"action": {"type": "drop"}}, RULE]))
    running.until(
        "evaluateRules", lambda reply: len(reply["problems"]) == 1, 30.0, task={"text": ""}
    )
    status, listed, remark = check(running)
    assert status == 1
    assert listed.startswith(".clew/rules/a.json:1: rule not used: action.type: 'drop' is none of")
    assert remark == "clew: 1 rule in use, 1 mistake\n"
    problems = running.ask("doctor")["problems"]
    assert "ruleInvalid" in json.dumps(problems)
    assert running.stop() == 0


def test_the_schema_is_printed() -> None:
    words = [sys.executable, "-m", "clew", "rules", "schema"]
    done = subprocess.run(words, capture_output=True, check=True)
    assert json.loads(done.stdout)["title"].startswith("Rules for clew")
