"""Pages of every list that a daemon serves, and the cursors between them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.surface.server.answers.dispatch import METHODS
from clew.values.requests import ListRequest
from tests.daemons import Daemon, copy_sample, daemon

LISTS: list[tuple[str, str, dict[str, Any]]] = [
    ("backlinks", "backlinks", {"uri": "Clock drift"}),
    ("code", "entities", {"name": "paged"}),
    ("communities", "communities", {}),
    ("concepts", "concepts", {"sort": "recent"}),
    ("doctor", "problems", {"code": "unlinkedMention"}),
    ("links", "links", {"uri": "Index"}),
    ("orphans", "orphans", {}),
    ("recent", "notes", {"since": "400 days ago"}),
    ("search", "results", {"query": "why do the clocks drift"}),
    ("session.list", "sessions", {}),
    ("session.show", "turns", {"sessionId": "s0"}),
    ("session.scratch.list", "keys", {}),
    ("similar", "similar", {"conceptName": "Clock drift"}),
    ("tags", "tags", {}),
    ("tags", "notes", {"tag": "tide"}),
    ("unresolved", "unresolved", {}),
]
EMPTY = ["orphans"]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("paging")
    vault = copy_sample(home / "tides")
    functions = "\n".join("def paged(): ..." for _ in range(5))
    (vault / "Code.md").write_text(f"```py\n{functions}\n```\n")
    with daemon(home, vault) as started:
        started.until_partitioned()
        started.until("status", lambda said: said["ready"], 60.0)
        for number in range(5):
            moment = f"2026-11-2{number % 3}"
            turn = {"role": "user", "content": "x", "asOf": moment}
            started.ask("session.append", sessionId=f"s{number}", **turn)
            started.ask("session.append", sessionId="s0", **turn)
            started.ask("session.scratch.set", key=f"k{number}", value="x", asOf=moment)
        yield started


def test_every_list_is_in_the_table() -> None:
    methods = {m for m, method in METHODS.items() if issubclass(method.request_type, ListRequest)}
    assert {method for method, _, _ in LISTS} == methods


@pytest.mark.parametrize("limit", [1, 3, 50])
@pytest.mark.parametrize(("method", "field", "params"), LISTS)
def test_the_pages_are_the_whole_list(
    running: Daemon, method: str, field: str, params: dict[str, Any], limit: int
) -> None:
    whole = running.ask(method, limit=100_000, **params)
    rows: list[Any] = []
    cursor = None
    while True:
        reply = running.ask(method, limit=limit, cursor=cursor, **params)
        assert (reply["start"], reply["total"]) == (len(rows), whole["total"])
        rows += reply[field]
        if (cursor := reply["cursor"]) is None:
            break
    assert rows == whole[field]
    assert len(rows) == whole["total"]
    assert rows or method in EMPTY


def test_each_cursor_is_of_one_request(running: Daemon) -> None:
    lists = [each for each in LISTS if each[0] not in EMPTY]
    cursors = [running.ask(method, limit=1, **params)["cursor"] for method, _, params in lists]
    for method, _, params in lists:
        refused = [
            running.refusal(method, cursor=cursor, **params)
            for (other, _, own), cursor in zip(lists, cursors, strict=True)
            if (other, own) != (method, params)
        ]
        assert {error["message"] for error in refused} == {"the cursor is of another request"}
        assert all("leave it out" in error["data"]["hint"] for error in refused)


@pytest.mark.slow
def test_a_cursor_outlives_the_daemon(tmp_path: Path) -> None:
    (tmp_path / "v").mkdir()
    for name in "abc":
        (tmp_path / "v" / f"{name}.md").write_text(f"[[x]] [[{name}]]")
    with daemon(tmp_path, tmp_path / "v") as started:
        first = started.ask("concepts", limit=1)
        started.stop()
        started.start()
        second = started.ask("concepts", limit=1, cursor=first["cursor"])
        assert (first["concepts"][0]["name"], second["concepts"][0]["name"]) == ("x", "a")
