"""When communities are found anew, by which process, and what the server hears of it."""

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew.engine import remembering
from clew.engine.dividing import divided
from clew.engine.partition import Remembered, job_for, rows_of
from clew.engine.remembering import recall, remember
from clew.engine.settings import CommunitySettings, EngineSettings
from clew.index.graph import ConceptGraph
from clew.surface.indexer.communities import (
    DIVIDER,
    PATIENCE_SECONDS,
    QUIET_SECONDS,
    REST_SHARE,
    RETRY_SECONDS,
    CommunityKeeper,
)
from clew.surface.indexer.link import Link
from clew.surface.server.replica import Replica
from clew.values import feed
from clew.values.communities import Community, EdgeWeights
from clew.values.packing import pack
from tests.faults.processes import is_alive
from tests.surface.test_replica import replica_of, saved, take

SETTINGS = CommunitySettings()
ENDS_SECONDS_MAX = 20.0  # of a process of Python's, on a machine that is busy


class FakeLink(Link):
    """A link to nobody: it keeps what is sent, and knows when it was woken."""

    def __init__(self) -> None:
        self.sent: list[object] = []
        self.woken = threading.Event()

    def send(self, *messages: object) -> None:
        self.sent += messages

    def wake(self) -> None:
        self.woken.set()


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


class Rig:
    """A keeper with all that it needs, of which a test moves the clock and the graph."""

    def __init__(self, folder: Path, settings: CommunitySettings = SETTINGS) -> None:
        self.folder = folder
        self.settings = settings
        self.link, self.clock, self.graph = FakeLink(), Clock(), ConceptGraph()
        self.divider, self.reply = folder.parent / "divider", folder.parent / "reply"
        self.lets(self.works)
        self.notes = self.ends = 0
        self.seconds_max = 5.0  # that a divider may take
        self.edit()
        self.keeper = self.reborn()

    @property
    def works(self) -> str:
        """A divider that gives the right answer, which was found beforehand."""
        return f"cat >/dev/null; cat {self.reply}"

    def lets(self, script: str) -> None:
        """Let the divider be this script, in which $1 is the process that gives the work."""
        self.divider.write_text(f"#!/bin/sh\n{script}\n")
        self.divider.chmod(0o700)

    def reborn(self) -> CommunityKeeper:
        """Return a keeper as after a restart."""
        words = [str(self.divider)]
        folder, clock = str(self.folder), self.clock
        return CommunityKeeper(self.link, self.settings, folder, words, self.seconds_max, clock)

    def edit(self) -> None:
        self.notes += 1
        self.graph.put(f"{self.notes}.md", {f"c{self.notes}": 1, f"c{self.notes // 3}x": 1})

    def settle(self, after_s: float = 0.0) -> None:
        self.clock.now_s += after_s
        if self.starts == self.ends:
            rows, _ = rows_of(self.graph, self.settings.weights, self.settings.max_concepts)
            self.reply.write_bytes(pack(divided(job_for(rows, recall(str(self.folder))))))
        self.keeper.settle(self.graph)

    def ended(self, after_s: float = 0.0) -> None:
        """Wait until the process that runs has ended, and let the keeper know."""
        assert self.link.woken.wait(ENDS_SECONDS_MAX)
        self.link.woken.clear()
        self.settle(after_s)
        self.ends += 1

    def rested(self) -> None:
        """Go through the first division, so that nothing is left to be done."""
        self.settle()
        self.ended()
        assert self.keeper.due_in_s() is None
        assert self.starts == self.told == 1

    @property
    def starts(self) -> int:
        return sum(isinstance(message, feed.Dividing) for message in self.link.sent)

    @property
    def told(self) -> int:
        return sum(isinstance(message, feed.Divided) for message in self.link.sent)

    @property
    def expected(self) -> Remembered:
        """What is to be found in the graph as it is, were there nothing before."""
        rows, _ = rows_of(self.graph, self.settings.weights, self.settings.max_concepts)
        return divided(job_for(rows, Remembered()))


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path / "memory")


# -- when ---------------------------------------------------------------------------------------


def test_what_is_found_is_told_and_remembered(rig: Rig) -> None:
    rig.lets("exec " + " ".join(DIVIDER) + ' "$1"')
    assert rig.keeper.is_due
    rig.rested()
    groups = rig.expected.partition
    assert rig.link.sent == [
        feed.Dividing(),
        *map(feed.Grouped, groups.communities),
        feed.Divided(groups.modularity),
    ]
    assert recall(str(rig.folder)) == rig.expected
    assert (rig.keeper.failure, rig.keeper.is_due) == (None, False)


def test_nothing_begins_before_it_was_quiet(rig: Rig) -> None:
    rig.rested()
    rig.edit()
    rig.settle()
    assert rig.keeper.due_in_s() == QUIET_SECONDS
    rig.settle(QUIET_SECONDS - 0.5)
    assert rig.starts == 1
    rig.edit()
    rig.settle()
    rig.settle(QUIET_SECONDS - 0.5)
    assert rig.keeper.due_in_s() == 0.5
    assert (rig.starts, rig.keeper.is_due) == (1, True)
    rig.settle(0.5)
    assert rig.starts == 2
    rig.ended()
    assert rig.told == 2


def test_changes_that_never_end_are_not_waited_for_for_ever(rig: Rig) -> None:
    rig.rested()
    began_s = rig.clock.now_s
    rig.edit()
    rig.settle()
    while rig.starts == 1:
        rig.edit()
        rig.settle(1.5)
        assert rig.clock.now_s <= began_s + PATIENCE_SECONDS
    assert rig.clock.now_s == began_s + PATIENCE_SECONDS
    rig.ended()


def test_a_long_run_is_followed_by_a_long_rest(rig: Rig) -> None:
    rig.settle()
    rig.ended(after_s=10.0)
    rig.edit()
    rig.settle()
    assert rig.keeper.due_in_s() == REST_SHARE * 10.0
    for _ in range(13):
        rig.edit()
        rig.settle(3.0)
    assert rig.starts == 1
    rig.settle(1.0)
    assert rig.starts == 2
    rig.ended()


def test_two_never_run_at_once(rig: Rig) -> None:
    rig.settle()
    for _ in range(5):
        rig.edit()
        rig.settle(PATIENCE_SECONDS + 1)
        assert rig.keeper.due_in_s() is None
    assert rig.starts == 1
    rig.ended()


def test_what_comes_after_more_changes_is_told_and_more_is_found(rig: Rig) -> None:
    old = rig.expected.partition
    rig.settle()
    rig.edit()
    rig.settle(0.5)
    rig.ended()
    assert rig.link.sent[1:] == [
        *map(feed.Grouped, old.communities),
        feed.Divided(old.modularity),
    ]
    assert rig.keeper.is_due
    rig.settle(QUIET_SECONDS)
    rig.ended()
    assert rig.told == 2
    groups = {row.members for row in rig.expected.partition.communities}
    assert {row.members for row in recall(str(rig.folder)).partition.communities} == groups


def test_text_that_is_edited_changes_nothing(rig: Rig) -> None:
    rig.rested()
    rig.graph.put("1.md", dict.fromkeys(rig.graph.row("1.md"), 7))
    rig.graph.put("alone.md", {"nobody else": 1})
    rig.graph.put("empty.md", {})
    rig.graph.drop("empty.md")
    rig.settle(PATIENCE_SECONDS)
    assert (rig.starts, rig.keeper.due_in_s(), rig.keeper.is_due) == (1, None, False)


def test_what_was_remembered_of_the_same_rows_is_told_at_once(rig: Rig) -> None:
    rig.rested()
    rig.link.sent.clear()
    rig.lets("exit 9")
    rig.keeper = rig.reborn()
    assert rig.keeper.is_due
    rig.settle()
    groups = rig.expected.partition
    assert rig.link.sent == [
        feed.Dividing(),
        *map(feed.Grouped, groups.communities),
        feed.Divided(groups.modularity),
    ]
    rig.settle(PATIENCE_SECONDS)
    assert (rig.starts, rig.keeper.failure, rig.keeper.is_due) == (1, None, False)


def test_ids_outlast_a_restart_with_other_rows(rig: Rig) -> None:
    remembered = rig.expected
    remember(str(rig.folder), _renumbered(remembered, 40))
    rig.edit()
    rig.keeper = rig.reborn()
    rig.rested()
    ids = {row.id for row in recall(str(rig.folder)).partition.communities}
    assert 41 in ids


def _renumbered(remembered: Remembered, more: int) -> Remembered:
    rows = remembered.partition.communities
    moved = tuple(Community(row.id + more, row.members, row.central, row.bridges) for row in rows)
    partition = type(remembered.partition)(moved, remembered.partition.modularity)
    return Remembered(remembered.digest, partition, remembered.next_id + more)


@pytest.mark.parametrize(
    "settings", [CommunitySettings(EdgeWeights.RAW), CommunitySettings(max_concepts=3)]
)
def test_other_settings_are_other_rows(rig: Rig, settings: CommunitySettings) -> None:
    rig.graph.put("long.md", dict.fromkeys("abcd", 1))
    rig.rested()
    rig.settings = settings
    rig.keeper = rig.reborn()
    rig.settle()
    assert rig.starts == 2
    rig.ended()
    assert rig.told == 2
    problems = [(problem.path, problem.code) for problem in rig.keeper.left_out]
    assert problems == ([("long.md", "tooManyConcepts")] if settings.max_concepts == 3 else [])


def test_a_graph_without_edges_is_told_too(tmp_path: Path) -> None:
    rig = Rig(tmp_path / "memory")
    rig.graph.drop("1.md")
    rig.rested()
    assert rig.link.sent == [feed.Dividing(), feed.Divided(0.0)]


# -- trouble ------------------------------------------------------------------------------------

TROUBLE = {
    "crashes": "exit 3",
    "crashes at the end": "cat >/dev/null; cat $(dirname $0)/reply; exit 3",
    "killed": "kill -9 $$",
    "says nothing": "cat >/dev/null; exit 0",
    "says nonsense": "cat >/dev/null; echo nonsense",
    "says half": "cat >/dev/null; head -c 20 $(dirname $0)/reply",
    "does not listen": "exec <&-; echo no",
    "cannot be run": "#",
    "hangs": "cat >/dev/null; exec sleep 60",
}


@pytest.mark.parametrize("script", TROUBLE.values(), ids=TROUBLE)
def test_a_failure_is_shown_and_tried_again_later(rig: Rig, script: str) -> None:
    for n in range(500):  # more than a pipe holds
        rig.graph.put(f"alone {n}.md", {f"{n} {'x' * 190}": 1})
    rig.lets(script)
    if script == "#":
        rig.divider.unlink()
    rig.settle()
    rig.ended()
    assert rig.keeper.failure
    assert rig.keeper.is_due
    assert rig.keeper.due_in_s() == RETRY_SECONDS
    rig.edit()
    rig.settle(RETRY_SECONDS - 1)
    assert (rig.starts, rig.told) == (1, 0)
    rig.lets(rig.works)
    rig.settle(1)
    rig.ended()
    assert (rig.starts, rig.told, rig.keeper.is_due) == (2, 1, False)
    after = rig.keeper
    assert (after.failure, after.due_in_s()) == (None, None)


def test_a_failure_after_long_work_rests_as_long_as_that_deserves(rig: Rig) -> None:
    rig.lets("exit 1")
    rig.settle()
    rig.ended(after_s=100.0)
    assert rig.keeper.due_in_s() == 100.0 * REST_SHARE


def test_what_cannot_be_recalled_now_is_not_taken_for_nothing(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.rested()
    known = recall(str(rig.folder))
    rig.keeper = rig.reborn()
    rig.edit()

    def unreadable(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr("clew.surface.indexer.communities.recall", unreadable)
        rig.settle()
        assert rig.keeper.failure == "cannot be recalled: Input/output error"
        assert (rig.starts, rig.keeper.is_due) == (1, True)
        patch.setattr(remembering, "open_own", unreadable)
        with pytest.raises(OSError, match="Input/output"):
            remember(str(rig.folder), Remembered())
    assert recall(str(rig.folder)) == known
    rig.settle(RETRY_SECONDS)
    rig.ended()
    assert rig.keeper.failure is None
    assert recall(str(rig.folder)).next_id >= known.next_id


def test_a_failure_leaves_what_was_known(rig: Rig) -> None:
    rig.rested()
    known = recall(str(rig.folder))
    rig.lets("exit 1")
    rig.edit()
    rig.settle()
    rig.settle(QUIET_SECONDS)
    rig.ended()
    assert (rig.told, recall(str(rig.folder))) == (1, known)


def failed_and_undone(rig: Rig) -> None:
    """Let a division fail, and undo the change that it was for."""
    rig.rested()
    rig.lets("exit 1")
    rig.edit()
    rig.settle()
    rig.settle(QUIET_SECONDS)
    rig.ended()
    rig.graph.drop(f"{rig.notes}.md")
    rig.settle()
    rig.settle(RETRY_SECONDS)


def test_a_change_that_was_undone_needs_no_run(rig: Rig) -> None:
    failed_and_undone(rig)
    assert (rig.starts, rig.keeper.due_in_s(), rig.keeper.is_due) == (2, None, False)


def test_a_failure_is_over_once_what_is_known_is_right(rig: Rig) -> None:
    failed_and_undone(rig)
    assert rig.keeper.failure is None


def test_what_cannot_be_remembered_is_told_and_shown(rig: Rig) -> None:
    rig.folder.touch()
    rig.settle()
    rig.ended()
    assert (rig.told, rig.keeper.is_due, rig.keeper.due_in_s()) == (1, False, RETRY_SECONDS)
    assert rig.keeper.failure is not None
    assert "remembered" in rig.keeper.failure


def test_what_cannot_be_remembered_is_tried_again(rig: Rig) -> None:
    rig.folder.touch()
    rig.settle()
    rig.ended()
    rig.settle(RETRY_SECONDS)
    assert rig.keeper.failure is not None
    rig.folder.unlink()
    rig.settle(RETRY_SECONDS)
    assert rig.keeper.due_in_s() is None
    assert recall(str(rig.folder)) == rig.expected
    assert rig.keeper.failure is None


def test_a_folder_that_goes_away_is_no_error(rig: Rig) -> None:
    rig.rested()
    (rig.folder / "communities").unlink()
    rig.folder.rmdir()
    rig.edit()
    rig.settle()
    rig.settle(QUIET_SECONDS)
    rig.ended()
    assert (rig.told, rig.keeper.failure) == (2, None)
    assert recall(str(rig.folder)).partition.communities


# -- the process --------------------------------------------------------------------------------

_PARENT = """
import os, sys
from pathlib import Path
from tests.surface.test_communities import Rig
rig = Rig(Path(sys.argv[1]) / "memory")
rig.lets(sys.argv[2])
rig.settle()
rig.link.woken.wait(60)
"""
_STUCK = f"""
exec {sys.executable} -c '
import sys, time
from clew.engine import dividing
from clew.surface.indexer import divide
def stuck(job):
    import os
    with open("{{place}}.new", "w") as file:
        file.write(str(os.getpid()) + " " + str(os.getpriority(os.PRIO_PROCESS, 0)))
    os.rename("{{place}}.new", "{{place}}")
    time.sleep(60)
divide.divided = stuck
divide.main(int(sys.argv[1]))
' "$1"
"""


def until(test: Callable[[], bool], seconds: float) -> None:
    deadline_s = time.monotonic() + seconds
    while not test():
        assert time.monotonic() < deadline_s
        time.sleep(0.01)


@pytest.fixture
def stuck(tmp_path: Path) -> Iterator[tuple["subprocess.Popen[bytes]", int]]:
    """Return a process with a keeper whose divider does not come to an end, and that divider."""
    place = tmp_path / "pid"
    words = [sys.executable, "-c", _PARENT, str(tmp_path), _STUCK.format(place=place)]
    with subprocess.Popen(words) as parent:
        until(place.exists, ENDS_SECONDS_MAX)
        pid, nice = place.read_text().split()
        assert nice == "19"
        yield parent, int(pid)
        parent.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the kernel does not see to it")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_no_process_outlives_the_one_that_started_it(
    stuck: tuple["subprocess.Popen[bytes]", int], number: signal.Signals
) -> None:
    parent, pid = stuck
    assert is_alive(pid)
    parent.send_signal(number)
    parent.wait()
    until(lambda: not is_alive(pid), 1.0)


def test_a_job_of_one_who_is_gone_is_not_done() -> None:
    stranger = str(os.getppid())
    done = subprocess.run([*DIVIDER, stranger], input=b"", capture_output=True, check=True)
    assert done.stdout == b""


# -- the server's copy --------------------------------------------------------------------------

AB = Community(1, ("a", "b"), ("a",), ())
CD = Community(2, ("c", "d"), ("c",), ("d",))
ABC = Community(1, ("a", "b", "c"), ("a",), ())


def seen(replica: Replica) -> tuple[int | None, dict[int, Community], dict[str, int], float]:
    found = replica.snapshot.communities
    return found.revision, dict(found.by_id), dict(found.ids), found.modularity


def divide(replica: Replica, modularity: float, *some: Community) -> None:
    replica.dividing()
    for community in some:
        replica.group(community)
    replica.divided(modularity)


def test_communities_are_seen_all_at_once_and_are_of_when_they_were_begun() -> None:
    replica = Replica(EngineSettings())
    assert seen(replica) == (None, {}, {}, 0.0)
    take(replica, {"1.md": "[[a]] [[b]]"})
    replica.publish()
    replica.dividing()
    replica.apply(saved("2.md"))
    for community in (AB, CD):
        replica.group(community)
        assert seen(replica) == (None, {}, {}, 0.0)
    replica.divided(0.5)
    first = (1, {1: AB, 2: CD}, {"a": 1, "b": 1, "c": 2, "d": 2}, 0.5)
    assert seen(replica) == first
    held = replica.snapshot
    replica.dividing()
    replica.group(ABC)
    assert seen(replica) == first
    replica.divided(0.25)
    assert seen(replica) == (2, {1: ABC}, {"a": 1, "b": 1, "c": 1}, 0.25)
    assert dict(held.communities.ids) == first[2]


@pytest.mark.parametrize("ends_by", ["publish", "abandon"])
def test_communities_outlast_a_whole_revision(ends_by: str) -> None:
    replica = replica_of({"1.md": "[[a]] [[b]]"})
    divide(replica, 0.5, AB, CD)
    before = seen(replica)
    take(replica, {"1.md": "[[a]] [[c]]"})
    assert seen(replica) == before
    getattr(replica, ends_by)()
    assert seen(replica) == before
    replica.mark_read({"1.md": 5.0})
    replica.apply(saved("2.md"))
    assert seen(replica) == before


def test_what_comes_while_a_revision_is_opened_is_seen_before_and_after() -> None:
    replica = replica_of({"1.md": "[[a]] [[b]]"})
    take(replica, {"1.md": "[[a]] [[c]]"})
    divide(replica, 0.5, AB)
    before = seen(replica)
    assert before == (1, {1: AB}, {"a": 1, "b": 1}, 0.5)
    replica.publish()
    assert seen(replica) == before


def test_what_an_indexer_left_unfinished_does_not_count() -> None:
    replica = replica_of({"1.md": "[[a]] [[b]]"})
    replica.dividing()
    replica.group(CD)
    replica.abandon()
    divide(replica, 0.5, AB)
    assert seen(replica)[1:3] == ({1: AB}, {"a": 1, "b": 1})
