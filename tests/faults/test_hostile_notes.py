"""Hostile notes in the vault of a running daemon."""

import random
from pathlib import Path

import pytest

from clew.surface.client import Refused
from clew.text.uri import to_uri
from tests.daemons import Daemon, daemon, prepared
from tests.faults import LONG, SHORT, data
from tests.faults.asker import asking
from tests.faults.odd_notes import EITHER, FINE, LISTED, NOTES, mutated
from tests.faults.processes import indexer_pid, rss_bytes, watcher_pid
from tests.faults.vaults import note_count, vault_of
from tests.pace import Stopwatch

ORDINARY = {f"n{n}.md": f"[[hub]] [[c{n % 7}]]" for n in range(100)}
P99_SECONDS_MAX = 0.1
NOTE_SECONDS_MAX = 15.0  # for one hostile note, on a busy machine
MEMORY_BYTES_MAX = 1024 * 1024 * 1024
END_SECONDS_MAX = 5.0
FLOOD = 20_000
MUTATED = 20_000 if LONG else 500

pytestmark = pytest.mark.timeout(1_200)


def is_known(why: dict[str, str]) -> bool:
    return why["state"] != "missing"


def check_unharmed(
    running: Daemon, pids: tuple[int, int | None], *, is_compared: bool = True
) -> None:
    """Assert that the daemon runs and has indexed every ordinary note.

    ``is_compared``: also that its index equals a rebuild, which takes as long as a first index.
    """
    assert running.child is not None
    assert running.child.poll() is None, running.log[-2_000:]
    assert (running.pid, indexer_pid(running)) == pids, f"a process was lost: {running.log[-2000:]}"
    assert note_count(running, "hub") == len(ORDINARY)
    for path in ORDINARY:
        assert running.ask("why", uri=to_uri(path))["state"] == "indexed"
    if is_compared:
        assert running.ask("doctor", deep=True)["checks"][-1]["ok"]
    assert rss_bytes(watcher_pid(running)) < MEMORY_BYTES_MAX
    assert "Traceback" not in running.log, running.log[-3_000:]


def check_listed(running: Daemon) -> None:
    """Assert that each hostile note is indexed, and listed with its problem if it has one."""
    wrong = {}
    for name, note in NOTES.items():
        why = running.ask("why", uri=to_uri(f"{name}.md"))
        codes = {problem["code"] for problem in why["problems"]}
        assert all(problem["message"] for problem in why["problems"])
        special = {FINE: not codes, EITHER: True, LISTED: bool(codes)}
        is_right = special.get(note.code, note.code in codes)
        if why["state"] not in {"indexed", "nameOnly", "quarantined"} or not is_right:
            wrong[name] = (why["state"], note.code, codes)
    assert not wrong, f"name: (state, expected code, codes): {wrong}"


def check_searched(running: Daemon) -> None:
    """Assert that each hostile note is found by its name, and that its text can be a query."""
    refusals = set()
    for name, note in NOTES.items():
        reply = running.ask("search", query=name, mode="keyword", limit=1_000)
        assert to_uri(f"{name}.md") in {row["uri"] for row in reply["results"]}, name
        text = note.data.decode("utf-8", "replace")
        for query in (text[:500], text[-500:]):
            for mode in ("hybrid", "semantic"):
                try:
                    running.ask("search", query=query, mode=mode, explain=True)
                except Refused as refused:
                    refusals.add(refused.error["data"]["code"])
    assert refusals <= {"invalidParams"}, "some have no word at all"


def test_hostile_notes_do_not_affect_others(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", ORDINARY)
    with daemon(tmp_path / "h", vault) as running:
        pids = running.pid, indexer_pid(running)
        with asking(running, "hub") as asked:
            for name, note in NOTES.items():
                (vault / f"{name}.md").write_bytes(note.data)
                uri = to_uri(f"{name}.md")
                running.until("why", is_known, NOTE_SECONDS_MAX, uri=uri)
        check_listed(running)
        check_searched(running)
        assert running.ask("status")["notes"] == len(ORDINARY) + len(NOTES)
        survivors = [name for name, note in NOTES.items() if b"[[after]]" in note.data]
        found = {row["uri"] for row in after(running)}
        lost = {name for name in survivors if to_uri(f"{name}.md") not in found}
        assert not {n for n in lost if NOTES[n].code != "frontmatterUnclosed"}, lost
        check_unharmed(running, pids, is_compared=LONG)
        asked.check(P99_SECONDS_MAX)


def after(running: Daemon) -> list[dict[str, str]]:
    """Return the notes that link to ``after``, a link after the hostile part of many notes."""
    rows: list[dict[str, str]] = running.ask("backlinks", conceptName="after", limit=1_000)[
        "backlinks"
    ]
    return rows


@pytest.mark.skipif(not LONG, reason=SHORT)
def test_a_vault_with_hostile_notes_is_indexed_at_the_start(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", ORDINARY)
    for name, note in NOTES.items():
        (vault / f"{name}.md").write_bytes(note.data)
    with daemon(tmp_path / "h", vault) as running:
        check_listed(running)
        check_unharmed(running, (running.pid, indexer_pid(running)))


def test_a_note_of_very_many_links_is_indexed(tmp_path: Path) -> None:
    """All pairs of its concepts would be hundreds of millions, too many for the memory."""
    vault = vault_of(tmp_path / "v", ORDINARY)
    with prepared(tmp_path / "h", vault) as running:
        running.before = ("sh", "-c", f'ulimit -v {6 * MEMORY_BYTES_MAX // 1024}; exec "$@"', "sh")
        running.start()
        with asking(running, "hub") as asked:
            (vault / "flood.md").write_text(" ".join(f"[[flood {n}]]" for n in range(FLOOD)))
            running.until(
                "why", lambda r: r["state"] != "missing", NOTE_SECONDS_MAX, uri="flood.md"
            )
            for method in ("status", "doctor", "graph", "orphans", "concepts"):
                running.ask(method)
            running.ask("concept", conceptName="flood 1", depth=3)
            running.ask("path", **{"from": "flood 1", "to": "hub"})
        check_unharmed(running, (running.pid, indexer_pid(running)))
        asked.check(P99_SECONDS_MAX)
        watch = Stopwatch()
        running.stop()
        assert watch.seconds() < END_SECONDS_MAX, "it did not end when it was told to"


def test_fragments_of_hostile_notes_do_not_affect_others(tmp_path: Path) -> None:
    rng = random.Random(5)
    vault = vault_of(tmp_path / "v", ORDINARY)
    with daemon(tmp_path / "h", vault) as running:
        pids = running.pid, indexer_pid(running)
        for first in range(0, MUTATED, 500):
            for number in range(first, first + 500):
                (vault / f"m{number % 2_000}.md").write_bytes(mutated(rng))
            running.ask("sync")
        assert running.ask("status")["notes"] == len(ORDINARY) + min(MUTATED, 2_000)
        check_unharmed(running, pids)


@pytest.mark.skipif(not data.notes(), reason="CLEW_DATA names no folder of hostile notes")
def test_notes_of_other_projects_do_not_affect_others(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", ORDINARY)
    with daemon(tmp_path / "h", vault) as running:
        pids = running.pid, indexer_pid(running)
        for name, text in data.notes().items():
            (vault / f"{name}.md").write_bytes(text)
        running.ask("sync")
        assert running.ask("status")["notes"] == len(ORDINARY) + len(data.notes())
        check_unharmed(running, pids)
