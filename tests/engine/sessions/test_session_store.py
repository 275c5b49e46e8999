"""Sessions on the disk: nothing acknowledged is lost, and nothing is half there."""

import errno
import random
import shutil
import sys
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from clew.disk.durable import Disk
from clew.engine.sessions.session_files import session_stem
from clew.engine.sessions.session_store import SessionStore
from tests.disks import (
    FailingDisk,
    Image,
    RecordingDisk,
    WatchedDisk,
    killed_at,
    lay_out,
    power_cuts,
)
from tests.engine.sessions.stores import State, opened, state_of
from tests.examples import examples

Step: TypeAlias = Callable[[SessionStore], object]

HEADING = "## user · 2026-11-25T10:00:00\nno turn of its own"
ids = st.sampled_from(["a", "../../etc/passwd", "a/b\0c", "", "é" * 200])
texts = st.sampled_from(["x", HEADING, "y" * 300, "\U0001f600 \x00\n"])
keys = st.sampled_from(["k", "../k", "l"])
calls = st.integers(1, 14)


class Killed(BaseException):
    """The process is gone."""


class MortalDisk(WatchedDisk):
    """The file system, of which every call fails after one of them was the last."""

    def __init__(self) -> None:
        self.left = sys.maxsize
        self.error: type[BaseException] = Killed

    def before(self, step: str, *facts: Any) -> None:  # noqa: ARG002
        self.left -= 1
        if self.left <= 0:
            raise OSError(errno.EIO, "gone") if self.error is OSError else Killed


class SessionMachine(RuleBasedStateMachine):
    """Appends, scratch values, restarts, errors and kills: what was acknowledged is there."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.mkdtemp()
        self.clock = count(1)
        self.expected: State = {}
        self.reopen()

    def reopen(self) -> None:
        self.disk = MortalDisk()
        self.store = opened(self.folder, self.disk)

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    def change(self, session_id: str, step: Step, model: Callable[[State], None]) -> None:
        """Do a step to the end, or until its end comes; the model has it whole or not at all."""
        after = {
            key: (list(turns), dict(scratch)) for key, (turns, scratch) in self.expected.items()
        }
        model(after)
        if session_id in after and not any(after[session_id]):
            del after[session_id]
        is_acknowledged = False
        try:
            step(self.store)
            is_acknowledged = True
        except OSError:
            self.disk.left = sys.maxsize
        except Killed:
            self.reopen()
        allowed = [after] if is_acknowledged else [self.expected, after]
        now = state_of(self.store)
        assert now in allowed
        self.expected = now

    @rule(session_id=ids, text=texts)
    def append(self, session_id: str, text: str) -> None:
        at = float(next(self.clock))
        self.change(
            session_id,
            lambda store: store.append(session_id, "user", text, at),
            lambda state: state.setdefault(session_id, ([], {}))[0].append(("user", text, at)),
        )

    @rule(session_id=ids, key=keys, value=texts)
    def set_scratch(self, session_id: str, key: str, value: str) -> None:
        at = float(next(self.clock))
        self.change(
            session_id,
            lambda store: store.set_scratch(session_id, key, value, at),
            lambda state: state.setdefault(session_id, ([], {}))[1].update({key: (value, at)}),
        )

    @rule(session_id=ids, key=st.none() | keys)
    def clear(self, session_id: str, key: str | None) -> None:
        def cleared(state: State) -> None:
            scratch = state.get(session_id, ([], {}))[1]
            for name in [key] if key else list(scratch):
                scratch.pop(name, None)

        self.change(session_id, lambda store: store.clear_scratch(session_id, key), cleared)

    @rule(session_id=ids)
    def delete(self, session_id: str) -> None:
        at = float(next(self.clock))

        def deleted(state: State) -> None:
            state.pop(session_id, None)

        self.change(session_id, lambda store: store.delete(session_id, at), deleted)

    @rule(at=calls, error=st.sampled_from([Killed, OSError]))
    def end_soon(self, at: int, error: type[BaseException]) -> None:
        self.disk.left, self.disk.error = at, error

    @rule()
    def restart(self) -> None:
        self.reopen()

    @invariant()
    def another_process_reads_the_same(self) -> None:
        assert state_of(opened(self.folder)) == self.expected


TestSessionMachine = pytest.mark.slow(SessionMachine.TestCase)
TestSessionMachine.settings = examples(60, long=1_000, stateful_step_count=20)


def live(store: SessionStore, promise: Callable[[], None]) -> None:
    """Do all steps, and promise each."""
    for number, step in enumerate(STEPS):
        step(store, float(number))
        promise()


def living_in(folder: Path) -> Callable[[Disk, Callable[[], None]], None]:
    return lambda disk, promise: live(opened(folder, disk), promise)


STEPS: tuple[Callable[[SessionStore, float], object], ...] = (
    lambda store, at: store.append("a", "user", "hello", at),
    lambda store, at: store.set_scratch("a", "k", "v", at),
    lambda store, at: store.append("a", "assistant", HEADING, at),
    lambda store, at: store.append("b", "user", "x" * 200, at),
    lambda store, at: store.set_scratch("a", "k", "w" * 200, at),
    lambda store, at: store.set_scratch("", "k", "shared", at),
    lambda store, _: store.clear_scratch("a", None),
    lambda store, at: store.append("a", "user", "last", at),
    lambda store, at: store.set_scratch("a", "k", "again", at),
    lambda store, at: store.delete("a", at),
    lambda store, at: store.append("a", "user", "begun again", at),
    lambda store, at: store.delete("b", at),
)


def states() -> list[State]:
    """Return the state before the first step, and after each."""
    with tempfile.TemporaryDirectory() as folder:
        store = opened(folder)
        found = [state_of(store)]
        for number, step in enumerate(STEPS):
            step(store, float(number))
            found.append(state_of(store))
        return found


@pytest.mark.slow
def test_a_kill_at_any_call_keeps_every_promise(tmp_path: Path) -> None:
    expected = states()
    for at in count(1):
        folder = tmp_path / str(at)
        folder.mkdir()
        was_killed, promised = killed_at(at, living_in(folder))
        assert state_of(opened(folder)) in expected[promised : promised + 2]
        if not was_killed:
            assert promised == len(STEPS)
            return


@pytest.mark.slow
def test_a_power_cut_keeps_every_promise(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    disk = RecordingDisk()
    live(opened(root, disk), disk.mark)
    expected = states()
    folder = tmp_path / "after"
    folder.mkdir()
    before: Image = {}
    for promised, image in power_cuts(str(root), disk.kept, 2, random.Random(1)):
        lay_out(image, folder, before)
        assert state_of(opened(folder)) in expected[promised : promised + 2]
        # Files of deleted sessions are removed by whoever reads them.
        before = {path: image[path] for path in image if (folder / path).exists()}


def test_a_failed_call_is_an_error_and_the_store_goes_on(tmp_path: Path) -> None:
    for at in count(1):
        folder = tmp_path / str(at)
        folder.mkdir()
        disk = FailingDisk(at, errno.ENOSPC, lasting=False)
        store = opened(folder, disk)
        refused = 0
        for number, step in enumerate(STEPS):
            try:
                step(store, float(number))
            except OSError:
                refused += 1
        assert refused <= 1
        assert state_of(store) == state_of(opened(folder))
        assert refused or state_of(store) == states()[-1]
        if not disk.has_failed:
            return


def test_ids_are_never_names_of_files(tmp_path: Path) -> None:
    store = opened(tmp_path)
    for session_id in ("../../x", "a/b", "..", "\0", "A", "a"):
        store.append(session_id, "user", "t", 1.0)
        store.set_scratch(session_id, "../k", "v", 1.0)
    names = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")}
    stems = {session_stem(each) for each in store.sessions}
    assert len(stems) == 6
    files = {f"memory/sessions/{stem}.{kind}" for stem in stems for kind in ("turns", "scratch")}
    assert names == {"memory", "memory/sessions"} | files


def test_a_file_of_another_session_is_not_believed(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.append("a", "user", "t", 1.0)
    store.set_scratch("a", "k", "v", 1.0)
    folder = tmp_path / "memory/sessions"
    for ending in (".turns", ".scratch"):
        for other in "bg":  # one is read before it, one after
            shutil.copy(
                folder / f"{session_stem('a')}{ending}", folder / f"{session_stem(other)}{ending}"
            )
    store.append("a", "user", "later", 2.0)
    store.set_scratch("a", "k", "later", 2.0)
    assert state_of(opened(tmp_path)) == state_of(store)


def test_nothing_is_left_of_a_deleted_session(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.append("a", "user", "t", 1.0)
    store.set_scratch("a", "k", "v", 1.0)
    (tmp_path / "memory/sessions" / f"{session_stem('a')}.scratch").write_bytes(b"no scratch")
    store = opened(tmp_path)
    store.load()
    store.set_scratch("a", "k", "v", 2.0)
    deleted = store.delete("a", 3.0)
    assert deleted
    assert len(deleted.turns) == 1
    assert list((tmp_path / "memory/sessions").iterdir()) == []
    assert store.delete("a", 4.0) is None
    assert store.append("a", "user", "t", 5.0).number == 1


def test_damaged_scratch_is_set_aside(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.append("a", "user", "t", 1.0)
    store.set_scratch("a", "k", "v", 1.0)
    file = tmp_path / "memory/sessions" / f"{session_stem('a')}.scratch"
    damaged = file.read_bytes().replace(b"v", b"w")
    file.write_bytes(damaged)
    again = opened(tmp_path)
    assert state_of(again) == {"a": ([("user", "t", 1.0)], {})}
    again.set_scratch("a", "l", "x", 2.0)
    assert file.with_name(f"{file.name}.damaged").read_bytes() == damaged


def test_an_unreadable_journal_is_never_written_to(tmp_path: Path) -> None:
    opened(tmp_path).append("a", "user", "t", 1.0)
    file = tmp_path / "memory/sessions" / f"{session_stem('a')}.turns"
    kept = file.with_name("kept")
    file.rename(kept)
    file.mkdir()
    store = opened(tmp_path)
    assert state_of(store) == {}
    with pytest.raises(OSError, match=r"regular|directory"):
        store.append("a", "user", "u", 2.0)
    file.rmdir()
    kept.rename(file)
    store.append("a", "user", "u", 2.0)
    assert [text for _, text, _ in state_of(opened(tmp_path))["a"][0]] == ["t", "u"]


def test_all_is_written_again_where_the_folder_was_removed(tmp_path: Path) -> None:
    store = opened(tmp_path)
    for number, step in enumerate(STEPS):
        step(store, float(number))
    before = state_of(store)
    shutil.rmtree(tmp_path / "memory")
    store.save_all()
    assert state_of(opened(tmp_path)) == before
    store.append("a", "user", "after", 9.0)
    assert len(state_of(opened(tmp_path))["a"][0]) == len(before["a"][0]) + 1


def test_an_append_to_a_removed_folder_loses_nothing(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.append("a", "user", "t", 1.0)
    store.set_scratch("a", "k", "v", 1.0)
    before = state_of(store)
    shutil.rmtree(tmp_path / "memory")
    with pytest.raises(OSError, match="memory"):
        store.append("a", "user", "u", 2.0)
    assert state_of(store) == before
    store.save_all()
    store.append("a", "user", "u", 2.0)
    assert state_of(opened(tmp_path)) == state_of(store)
    assert [text for _, text, _ in state_of(store)["a"][0]] == ["t", "u"]
