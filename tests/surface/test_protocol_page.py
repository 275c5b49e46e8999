"""The exchanges of docs/protocol.md, run against a real daemon on the sample vault.

Set CLEW_UPDATE=1 to update the replies.
"""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.surface.server.answers.dispatch import METHODS
from tests.daemons import Daemon, copy_sample, daemon

PAGE = Path(__file__).parent.parent.parent / "docs" / "protocol.md"
EXCHANGE = re.compile(r"^> (.*)\n< (.*)$", re.MULTILINE)

# Values that differ from run to run, and what the page shows instead.
SHOWN = {
    "cursor": "cAJ1xV5Rq0pNnU3wBzk7eYh",  # has the moment of the request
    "epoch": "5d1ac7e0b96f3a24",
    "revision": 7,  # the number of slices of vectors depends on the machine
    "communityRevision": 7,
    "importanceRevision": 7,
    "logged": 0,  # the number of logged ones depends on it too
    "uptimeS": 12.345,
    "tookMs": 0.7,
    "stageTimings": {"gather": 3.2, "pack": 6.5, "total": 9.7},
    "rssBytes": {"server": 45_000_000, "indexer": 43_000_000},
    "at": "2026-01-02T03:04:05Z",
    "savedAt": "2026-01-02T03:04:05Z",
    "socket": "/run/user/1000/clew/samplevault-136037ce5ea25b4e.sock",
    "state": "/home/me/.local/state/clew/samplevault-136037ce5ea25b4e",
    "vault": "/home/me/sample-vault",
    "version": "0.1.0",
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("protocol")
    with daemon(home, copy_sample(home / "sample-vault")) as started:
        started.until_partitioned()
        started.until("status", lambda said: said["ready"], 60.0)
        yield started


def is_local(key: str, value: Any) -> bool:
    """Return whether a field has a different value in every run.

    A group of fields is none where one value is shown: a schema has fields of these names too.
    """
    if key not in SHOWN or value is None or (key == "state" and "/" not in str(value)):
        return False
    return isinstance(value, dict) == isinstance(SHOWN[key], dict)


def shown(value: Any, home: str) -> Any:
    """Return a reply in the form that the page shows."""
    if isinstance(value, dict):
        return {k: SHOWN[k] if is_local(k, v) else shown(v, home) for k, v in value.items()}
    if isinstance(value, list):
        return [shown(item, home) for item in value]
    return value.replace(home, "/home/me") if isinstance(value, str) else value


def test_every_exchange_is_as_the_page_shows(running: Daemon) -> None:
    text = PAGE.read_text(encoding="utf-8")

    def play(match: re.Match[str]) -> str:
        (answer,) = running.say(match[1].encode() + b"\n")
        reply = json.dumps(shown(answer, str(running.home)), ensure_ascii=False)
        return f"> {match[1]}\n< {reply}"

    played = EXCHANGE.sub(play, text)
    if os.environ.get("CLEW_UPDATE"):
        PAGE.write_text(played, encoding="utf-8")
    assert played == text


def test_every_method_has_an_exchange() -> None:
    asked = {json.loads(call)["method"] for call, _ in EXCHANGE.findall(PAGE.read_text())}
    assert asked == set(METHODS)
