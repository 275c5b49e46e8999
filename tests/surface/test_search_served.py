"""Search in a daemon: while vectors are being made, and right after each change."""

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from clew.surface.client import NoDaemon, Refused
from tests.daemons import Daemon, broken_parts, copy_sample, daemon, prepared
from tests.faults.vaults import write_at_once
from tests.processes import descendants

MODES = ["hybrid", "keyword", "semantic", "graph"]


def uris(reply: dict[str, Any]) -> list[str]:
    return [row["uri"] for row in reply["results"]]


def legs(reply: dict[str, Any]) -> set[str]:
    return {leg for row in reply["results"] for leg in row["legs"]}


def first_answer(running: Daemon, **params: Any) -> dict[str, Any]:
    """Return the first reply to a search that is not a refusal with ``notReady``."""
    while True:
        try:
            reply: dict[str, Any] = running.ask("search", **params)
        except NoDaemon:
            assert running.child is not None
            assert running.child.poll() is None, running.log
        except Refused as refused:
            if refused.error["data"]["code"] != "notReady":
                raise
        else:
            return reply


@pytest.mark.slow
def test_words_and_links_are_searched_before_vectors_are_made(tmp_path: Path) -> None:
    vault = tmp_path / "v"
    vault.mkdir()
    # Too few for a second indexer to take over: one stopped while it is started holds the server.
    for number in range(1_500):
        (vault / f"n{number}.md").write_text(f"[[Hub]] and tide {number}\n")
    (vault / "Hub.md").write_text("[[Spoke]]")
    with prepared(tmp_path / "h", vault) as running:
        running.spawn()
        first_answer(running, query="tide 77", mode="keyword")
        stopped = descendants(running.pid)
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)  # so that the index does not change for a while
        status = running.ask("status")
        assert status["stages"]["keyword"]["ready"]
        assert status["stages"]["graph"]["ready"]
        assert not status["stages"]["vectors"]["ready"]
        assert not status["ready"]
        assert status["chunks"] == 1_501
        assert status["vectors"] < status["chunks"]
        reply = running.ask("search", query="tide 77")
        assert uris(reply)[0] == "memory://n77.md"
        assert {"keyword", "graph"} <= legs(reply)
        (reason,) = reply["degraded"]
        assert reason.startswith("semantic: ")
        assert running.ask("search", query="tide 77", mode="keyword")["degraded"] == []
        for pid in stopped:
            with suppress(ProcessLookupError):  # one that had ended already when it was stopped
                os.kill(pid, signal.SIGCONT)
        status = running.until("status", lambda said: said["ready"], 30.0)
        assert status["stages"]["vectors"]["ready"]
        assert status["vectors"] == status["chunks"] == 1_501
        reply = running.ask("search", query="tide 77")
        assert reply["degraded"] == []
        assert "semantic" in legs(reply)
        running.stop()


@pytest.mark.slow
def test_every_leg_finds_a_note_just_written_and_none_finds_one_just_deleted(
    tmp_path: Path,
) -> None:
    vault = copy_sample(tmp_path / "sample-vault")
    with daemon(tmp_path / "h", vault) as running:
        note = vault / "Zeppelin mooring.md"
        for text in ("A zeppelin mooring mast by [[Cedeira]].\n", "# Zeppelins\n\nmooring again\n"):
            note.write_text(text)
            for mode in MODES:
                reply = running.ask("search", query="zeppelin mooring", mode=mode, waitFresh=True)
                assert uris(reply)[0] == "memory://Zeppelin%20mooring.md", mode
                assert legs(reply) >= ({mode} - {"hybrid"})
                assert "ooring" in reply["results"][0]["snippet"]
                assert reply["degraded"] == []
        reply = running.ask("search", query="zeppelin latest")
        assert legs(reply) == {"keyword", "semantic", "graph", "temporal"}
        note.unlink()
        for mode in MODES:
            reply = running.ask(
                "search", query="zeppelin mooring", mode=mode, limit=1_000, waitFresh=True
            )
            assert "memory://Zeppelin%20mooring.md" not in uris(reply)
        assert running.ask("doctor", deep=True)["checks"][-1]["ok"]


@pytest.mark.slow
def test_a_walk_that_finds_no_change_makes_no_revision(tmp_path: Path) -> None:
    vault = copy_sample(tmp_path / "sample-vault")
    with daemon(tmp_path / "h", vault) as running:
        before = running.ask("status")["revision"]
        for _ in range(3):
            assert running.ask("sync")["revision"] == before
            assert running.ask("search", query="tide", waitFresh=True)["revision"] == before
        assert running.ask("sync", full=True)["revision"] == before
        write_at_once(vault / "new.md", "new")
        assert running.ask("sync")["revision"] == before + 1


@pytest.mark.slow
def test_search_has_the_same_results_after_a_restart(tmp_path: Path) -> None:
    vault = copy_sample(tmp_path / "sample-vault")
    replies = []
    for _ in range(2):
        with daemon(tmp_path / "h", vault) as running:
            reply = running.ask("search", query="storm surge", limit=50, asOf="2026-01-01")
            replies.append({**reply, "revision": 0, "searchMetrics": {}})
    assert replies[0] == replies[1]
    assert legs(replies[0]) == {"keyword", "semantic", "graph"}


@pytest.mark.slow
def test_search_in_an_empty_vault_finds_nothing(tmp_path: Path) -> None:
    (tmp_path / "v").mkdir()
    with daemon(tmp_path / "h", tmp_path / "v") as running:
        for mode in MODES:
            reply = running.ask("search", query="tide", mode=mode)
            assert (reply["results"], reply["degraded"], reply["total"]) == ([], [], 0)
        status = running.ask("status")
        assert (status["ready"], broken_parts(status)) == (True, {})


@pytest.mark.parametrize("mode", MODES)
def test_the_same_request_gets_the_same_reply(running: Daemon, mode: str) -> None:
    first, second = (
        running.ask("search", query="clock drift since 2025", mode=mode, asOf="2026-11-21")
        for _ in range(2)
    )
    assert {**first, "searchMetrics": 0} == {**second, "searchMetrics": 0}
    assert first["results"]


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"query": ""}, "query"),
        ({"query": "the"}, "query"),
        ({}, "query"),
        ({"query": "tide", "limit": 0}, "limit"),
        ({"query": "tide", "limit": 10**9}, "limit"),
        ({"query": "tide", "cursor": "next"}, "cursor"),
        ({"query": "tide", "mode": "best"}, "mode"),
        ({"query": "tide", "filters": {"author": "me"}}, "filters.author"),
        ({"query": "tide", "filters": {"since": "soon"}}, "filters.since"),
        ({"query": "tide", "filters": {"folder": "../x"}}, "filters.folder"),
        ({"query": "tide", "asOf": "now"}, "asOf"),
        ({"query": "tide " * 50_000}, "query"),
    ],
)
def test_an_invalid_search_is_refused_and_the_field_is_named(
    running: Daemon, params: dict[str, Any], field: str
) -> None:
    error = running.refusal("search", **params)
    assert (error["code"], error["data"]["code"]) == (-32602, "invalidParams")
    assert error["data"]["field"] == field


@pytest.mark.parametrize("as_of", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "1969-12-31"])
def test_any_moment_is_accepted_as_a_filter(running: Daemon, as_of: str) -> None:
    reply = running.ask("search", query="latest tide gauge yesterday", asOf=as_of)
    assert reply["results"]


@pytest.mark.parametrize(
    "query",
    [r"tide\u0000gauge", r"\ud83c\udf0a tide", r"\u202etide", r"tide\ud800", r"\udc00\ud800 tide"],
)
def test_a_query_may_contain_json_escapes(running: Daemon, query: str) -> None:
    """A lone surrogate counts as U+FFFD; all other characters are searched for."""
    line = f'{{"jsonrpc":"2.0","id":1,"method":"search","params":{{"query":"{query}"}}}}\n'
    (answer,) = running.say(line.encode())
    assert answer["id"] == 1
    assert answer["result"]["results"]
    assert running.ask("search", query="tide")["results"]
