"""A daemon killed at any moment by SIGKILL loses nothing, and the next start is quick."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.surface.client import NoDaemon
from tests.daemons import START_SECONDS_MAX, Daemon, daemon, prepared
from tests.faults import LONG, SHORT
from tests.faults.vaults import seconds_until, vault_of
from tests.pace import Stopwatch
from tests.processes import descendants

MOMENTS = 70 if LONG else 2  # kills of each process, in each phase
VECTOR_MOMENTS = 10 if LONG else 1
NOTES = 400
SECTIONS = 9  # of a note; each is a chunk
ANSWER_SECONDS_MAX = 2.0
STATE_CHANGES_MAX = 400  # more than a first index and some edits make
STEP = 1 if LONG else 24

VICTIMS = ("server", "indexer", "both") if LONG else ("indexer", "both")


def note_text(number: int, edits: int) -> str:
    links = " ".join(f"[[Concept {(number * 7 + n) % 60}]]" for n in range(6))
    return f"---\naliases: [alias {number}]\n---\n# Note {number}\n\n{links} {'word ' * edits}\n"


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Daemon]:
    notes = {f"{n % 9}/Note {n}.md": note_text(n, 0) for n in range(NOTES)}
    with prepared(tmp_path, vault_of(tmp_path / "vault", notes)) as one:
        yield one


def kill(running: Daemon, victim: str) -> None:
    """Kill one or both of a daemon's processes."""
    assert running.child is not None
    pids = descendants(running.pid) if victim != "server" else []
    if victim != "indexer":
        pids.insert(0, running.pid)
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue  # it ended together with the other
    if victim != "indexer":
        running.child.wait()


def answers(running: Daemon) -> bool:
    try:
        return bool(running.ask("hello", protocol=1))
    except NoDaemon:
        return False


def check_everything(running: Daemon, victim: str) -> None:
    """Restart if necessary; check the delay of the first reply, and that nothing is lost."""
    if victim != "indexer":
        running.spawn()
    took_s = seconds_until(lambda: answers(running), ANSWER_SECONDS_MAX)
    assert took_s <= ANSWER_SECONDS_MAX, running.log
    found = running.ask("doctor", deep=True, waitFresh=True)
    checks = {check["name"]: check for check in found["checks"]}
    assert checks["rebuild"]["ok"], checks
    assert running.ask("status")["notes"] == NOTES


@pytest.mark.timeout(1_500)
@pytest.mark.parametrize("victim", VICTIMS)
def test_killed_while_it_indexes_for_the_first_time(running: Daemon, victim: str) -> None:
    draw = random.Random(victim)
    for _ in range(MOMENTS):
        subprocess.run(["rm", "-rf", str(running.home / "state")], check=True)
        running.spawn()
        time.sleep(draw.uniform(0.05, 1.2))
        kill(running, victim)
        check_everything(running, victim)
        assert running.stop() == 0


@pytest.mark.timeout(1_500)
@pytest.mark.parametrize("victim", VICTIMS)
def test_killed_while_notes_change(running: Daemon, victim: str) -> None:
    draw = random.Random(victim)
    running.start()
    for moment in range(MOMENTS):
        until_s = time.monotonic() + draw.uniform(0.0, 0.4)
        while time.monotonic() < until_s:
            number = draw.randrange(NOTES)
            path = running.vault / f"{number % 9}/Note {number}.md"
            path.write_text(note_text(number, draw.randrange(50)))
            if draw.random() < 0.05:
                for other in range(
                    0, NOTES, 5
                ):  # too many for the log, so a whole revision is saved
                    path = running.vault / f"{other % 9}/Note {other}.md"
                    path.write_text(note_text(other, moment))
        kill(running, victim)
        check_everything(running, victim)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("victim", VICTIMS)
def test_killed_while_vectors_are_made(running: Daemon, victim: str) -> None:
    """Vectors may be lost in a kill, but they are made again."""
    for number in range(NOTES):
        sections = (f"## Part {part}\n\n{'some more words ' * 40}\n\n" for part in range(SECTIONS))
        path = running.vault / f"{number % 9}/Note {number}.md"
        path.write_text(note_text(number, 1) + "".join(sections))
    for _ in range(VECTOR_MOMENTS):
        subprocess.run(["rm", "-rf", str(running.home / "state")], check=True)
        running.spawn()
        made = 0
        while not made:
            try:
                made = running.ask("status")["vectors"]
            except NoDaemon:
                time.sleep(0.005)
        kill(running, victim)
        assert made < SECTIONS * NOTES, "killed too late to tell"
        check_everything(running, victim)
        told = running.until("status", lambda told: told["stages"]["vectors"]["ready"], 30)
        assert told["vectors"] == SECTIONS * NOTES
        check_everything(running, "indexer")
        assert running.stop() == 0


def serve_with(running: Daemon, which: str, *words: str) -> None:
    """Start a daemon whose indexers, the first or all, die on purpose."""
    places = [str(running.vault), str(running.socket), str(running.home / "state")]
    deadly = ["-m", "tests.faults.deadly", *words]
    command = [sys.executable, "-m", "tests.faults.serving", *places, which, *deadly]
    root = Path(__file__).parents[2]
    running.spawn(command, PYTHONPATH=f"{root}:{root / 'src'}")
    took_s = seconds_until(lambda: answers(running) or not running.is_running, START_SECONDS_MAX)
    assert took_s <= START_SECONDS_MAX, running.log
    assert running.is_running, running.log


@pytest.mark.timeout(1_500)
def test_an_indexer_that_dies_at_any_change_of_the_state_loses_nothing(running: Daemon) -> None:
    """The first index, a small and a large change, and a restart."""
    survived = False
    for number in range(1, STATE_CHANGES_MAX, STEP):
        subprocess.run(["rm", "-rf", str(running.home / "state")], check=True)
        serve_with(running, "first", "--at", str(number))
        for edits in (1, 60):
            for other in range(edits):
                path = running.vault / f"{other % 9}/Note {other}.md"
                path.write_text(note_text(other, number + edits))
            running.ask("sync")
        check_everything(running, "indexer")
        survived = running.ask("status")["restarts"] == 0
        kill(running, "both")
        check_everything(running, "both")
        assert running.stop() == 0
        if survived:
            break
    assert survived, "every call was a death: the test ends too early"


@pytest.mark.parametrize("kind", ["--on", "--in-parsers"])
def test_a_note_that_crashes_the_indexer_is_quarantined_until_it_changes(
    running: Daemon, kind: str
) -> None:
    bad = running.vault / "3/bad.md"
    bad.write_text("[[Fine]] and DEADLY")
    serve_with(running, "every", kind, "DEADLY")
    assert running.ask("sync")["applied"]["removed"] == 0
    assert running.ask("why", uri="memory://3/bad.md")["state"] == "quarantined"
    assert running.ask("status")["restarts"] == 2
    assert ("process ended by itself" in running.log) is (kind == "--in-parsers")
    assert running.ask("status")["notes"] == NOTES + 1
    other = running.vault / "4/worse.md"
    other.write_text("DEADLY too")
    running.until("why", lambda why: why["state"] == "quarantined", 20, uri="memory://4/worse.md")
    assert running.ask("status")["restarts"] == 4
    bad.write_text("[[Fine]] now")
    running.until("why", lambda why: why["state"] == "indexed", 20, uri="memory://3/bad.md")
    kill(running, "both")
    serve_with(running, "every", kind, "DEADLY")  # a quarantine survives a restart
    assert running.ask("why", uri="memory://4/worse.md", waitFresh=True)["state"] == "quarantined"
    assert running.ask("status")["restarts"] == 0
    found = running.ask("doctor", deep=True)
    assert {check["name"]: check["ok"] for check in found["checks"]}["rebuild"]


@pytest.mark.skipif(not LONG, reason=SHORT)
@pytest.mark.timeout(600)
def test_ten_thousand_notes_are_served_soon_after_a_kill(tmp_path: Path) -> None:
    notes = {f"{n % 90}/Note {n}.md": note_text(n, 40) for n in range(10_000)}
    with daemon(tmp_path, vault_of(tmp_path / "vault", notes)) as running:
        for _ in range(5):
            kill(running, "both")
            watch = Stopwatch()
            running.spawn()
            seconds_until(lambda: answers(running), START_SECONDS_MAX)
            found = running.ask("concept", conceptName="Concept 1", waitFresh=True)
            assert watch.seconds() < ANSWER_SECONDS_MAX
            assert found["noteCount"] > 0
        assert running.stop() == 0
