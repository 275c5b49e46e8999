"""The index on disk survives kills, disk errors and power cuts, as the store promises."""

import errno
import os
import random
import shutil
import sys
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from clew.engine.persist.generation_files import FORMAT
from clew.engine.persist.store import Store
from tests.disks import FailingDisk, Image, RecordingDisk, killed_at, lay_out, power_cuts
from tests.examples import IS_LONG
from tests.stores import (
    SESSION,
    State,
    after,
    assert_goes_on,
    files_of,
    live,
    opened,
    state_of,
    states,
    take,
)

CODES = (errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT)
POWER_CUT_TRIES = 8 if IS_LONG else 1


# -- kills --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_kill_at_any_step_loses_nothing_that_was_promised(tmp_path: Path) -> None:
    known = states()
    for at in count(1):
        folder = tmp_path / str(at) / "index"
        folder.parent.mkdir()
        killed, done = killed_at(at, lambda disk, promised: live(folder, disk, promised))  # noqa: B023
        if not killed:
            break
        store, state = opened(folder)
        assert state in known[done : done + 2], (at, done)
        assert_goes_on(store, folder)
        shutil.rmtree(folder.parent)
    assert done == len(SESSION)
    assert at > 150


def test_a_kill_while_an_older_generation_is_removed_cuts_off_no_log(tmp_path: Path) -> None:
    """The next server may load the older generation, which must not lack what was logged."""
    store, _ = opened(tmp_path / "index")
    store.publish(files_of("A"))
    store.append(b"a1")
    store.publish(files_of("B"))
    store.close()
    known: set[State] = set()
    for at in count(1):
        folder = tmp_path / str(at)
        shutil.copytree(tmp_path / "index", folder)
        killed, _ = killed_at(at, lambda disk, _: opened(folder, disk)[0].remove_older())  # noqa: B023
        if not killed:
            break
        known.add(state_of(folder, followed_generation=0))
    assert known == {("A", (b"a1",)), ("B", ())}


# -- disk errors --------------------------------------------------------------------------------


def live_with_faults(folder: Path, disk: FailingDisk) -> Store:
    """Run a session in which steps fail; check that a restart loads the promised state."""
    store, state = opened(folder, disk)
    allowed = [state]
    for step in SESSION:
        try:
            take(store, step)
        except OSError:
            if step[0] == "publish":
                allowed.append(after(state, step))
            continue
        if step[0] == "restart":
            store.close()
            store, found = opened(folder, disk)
            assert found in allowed
            state = found
        state = after(state, step)
        if step[0] in ("restart", "append", "publish"):
            allowed = [state]
    assert state_of(folder) in allowed
    return store


@pytest.mark.slow
@pytest.mark.parametrize("lasting", [False, True])
def test_a_failing_step_loses_nothing_that_was_promised(tmp_path: Path, lasting: bool) -> None:
    for at in count(1):
        for code in CODES if IS_LONG else [CODES[at % len(CODES)]]:
            folder = tmp_path / "state" / "index"
            folder.parent.mkdir()
            disk = FailingDisk(at, code, lasting=lasting)
            store = live_with_faults(folder, disk)
            if folder.exists() and (folder / f"v{FORMAT}").exists():
                assert len(os.listdir(folder / f"v{FORMAT}")) <= 4
            was_failing = disk.has_failed
            disk.mend()
            assert_goes_on(store, folder)
            shutil.rmtree(folder.parent)
        if not was_failing:
            break
    assert at > 150


@pytest.mark.parametrize("steps", ["unlink", "write unlink", "sync unlink rename", "sync_folder"])
def test_files_that_cannot_be_removed_do_not_accumulate(tmp_path: Path, steps: str) -> None:
    disk = FailingDisk(sys.maxsize, errno.EIO, lasting=True, steps=frozenset(steps.split()))
    store, _ = opened(tmp_path / "index", disk)
    store.publish(files_of("A"))
    disk.fail_from_now()
    for _ in range(30):
        with suppress(OSError):
            store.publish(files_of("B"))
    assert len(os.listdir(tmp_path / "index" / f"v{FORMAT}")) < 12
    assert state_of(tmp_path / "index")[0] in ("A", "B")
    disk.mend()
    assert_goes_on(store, tmp_path / "index")


def test_after_a_publish_of_unknown_outcome_no_records_are_logged(tmp_path: Path) -> None:
    disk = FailingDisk(sys.maxsize, errno.EIO, lasting=True, steps=frozenset(["sync_folder"]))
    store, _ = opened(tmp_path / "index", disk)
    store.append(b"r1")
    disk.at = disk.count + 4
    with pytest.raises(OSError, match="Input/output error"):
        store.publish(files_of("A"))
    with pytest.raises(OSError, match="load or publish first"):
        store.append(b"r2")
    assert state_of(tmp_path / "index") in (("", (b"r1",)), ("A", ()))
    disk.mend()
    assert_goes_on(store, tmp_path / "index")


# -- power cuts ---------------------------------------------------------------------------------


def promised_after(done: int) -> tuple[list[State], int]:
    """Return the states that may be loaded after a power cut, and the smallest number of records.

    These are the last published generation with its log, and the one being published.
    """
    known = states()[: done + 2]
    last = states()[done][0]
    synced = 0
    for step, state in zip(SESSION[:done], known[1:], strict=False):
        if step[0] == "publish":
            synced = 0
        elif step[0] == "sync":
            synced = len(state[1])
    newer = {state[0] for state in known[done:]}
    return [state for state in known if state[0] == last or state[0] in newer], synced


@pytest.mark.slow
def test_a_power_cut_at_any_step_leaves_only_what_was_promised(tmp_path: Path) -> None:
    disk = RecordingDisk()
    live(tmp_path / "index", disk, disk.mark)
    seen = 0
    before: Image = {}
    (tmp_path / "cut").mkdir()
    for done, image in power_cuts(str(tmp_path), disk.kept, POWER_CUT_TRIES, random.Random(1)):
        lay_out(image, tmp_path / "cut", before)
        before = image
        state = state_of(tmp_path / "cut" / "index")
        allowed, synced = promised_after(done)
        assert state in allowed, (done, state)
        assert state[0] != states()[done][0] or len(state[1]) >= synced
        seen += 1
    assert seen >= 1_000


@pytest.mark.parametrize("at", range(1, 5))
def test_no_power_cut_restores_a_publish_that_failed(tmp_path: Path, at: int) -> None:
    disk = RecordingDisk(steps=frozenset(["sync_folder"]))
    store, _ = opened(tmp_path / "index", disk)
    store.append(b"r1")
    store.sync()
    disk.at = disk.count + at
    with pytest.raises(OSError, match="Input/output error"):
        store.publish(files_of("A"))
    store.append(b"r2")
    store.sync()
    disk.mark()
    store.append(b"r3")
    cuts = power_cuts(str(tmp_path), disk.kept, POWER_CUT_TRIES, random.Random(1))
    before: Image = {}
    (tmp_path / "cut").mkdir()
    for image in [image for marks, image in cuts if marks]:
        lay_out(image, tmp_path / "cut", before)
        before = image
        whose, records = state_of(tmp_path / "cut" / "index")
        assert whose == ""
        assert records[:2] == (b"r1", b"r2")
