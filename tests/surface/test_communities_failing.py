"""Communities that cannot be computed, loaded or saved: the status says so; clew tries again."""

import errno
import os

import pytest

from clew.engine.communities import saved
from clew.engine.communities.partition_job import SavedCommunities
from clew.engine.communities.saved import load_communities, save_communities
from clew.surface.indexer.background.child_process import REST_SHARE
from clew.surface.indexer.background.partition_scheduler import (
    QUIET_SECONDS,
    RETRY_SECONDS,
)
from tests.schedulers import Rig

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


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(script, id=name, marks=[pytest.mark.slow] if name == "hangs" else [])
        for name, script in TROUBLE.items()
    ],
)
def test_a_failed_run_is_shown_and_retried_later(rig: Rig, script: str) -> None:
    for n in range(500):  # more bytes than a pipe can hold
        rig.graph.put(f"alone {n}.md", {f"{n} {'x' * 190}": 1})
    rig.use_script(script)
    if script == "#":
        rig.program.unlink()
    if "sleep" in script:
        rig.seconds_max = 3.0
        rig.scheduler = rig.restarted()
    rig.settle()
    rig.ended()
    assert rig.scheduler.failure
    assert rig.scheduler.is_due
    assert rig.scheduler.due_in_s() == RETRY_SECONDS
    rig.edit()
    rig.settle(RETRY_SECONDS - 1)
    assert (rig.starts, rig.sent_count) == (1, 0)
    rig.use_script(rig.works)
    rig.settle(1)
    rig.ended()
    assert (rig.starts, rig.sent_count, rig.scheduler.is_due) == (2, 1, False)
    after = rig.scheduler
    assert (after.failure, after.due_in_s()) == (None, None)


def test_the_pause_after_a_long_failed_run_is_long(rig: Rig) -> None:
    rig.use_script("exit 1")
    rig.settle()
    rig.ended(after_s=100.0)
    assert rig.scheduler.due_in_s() == 100.0 * REST_SHARE


def test_saved_communities_that_cannot_be_read_are_not_overwritten(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.rested()
    known = load_communities(str(rig.folder))
    rig.scheduler = rig.restarted()
    rig.edit()

    def unreadable(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(
            "clew.surface.indexer.background.partition_scheduler.load_communities", unreadable
        )
        rig.settle()
        assert rig.scheduler.failure == "cannot be recalled: Input/output error"
        assert (rig.starts, rig.scheduler.is_due) == (1, True)
        patch.setattr(saved, "open_state_file", unreadable)
        with pytest.raises(OSError, match="Input/output"):
            save_communities(str(rig.folder), SavedCommunities())
    assert load_communities(str(rig.folder)) == known
    rig.settle(RETRY_SECONDS)
    rig.ended()
    assert rig.scheduler.failure is None
    assert load_communities(str(rig.folder)).next_id >= known.next_id


def test_a_failed_run_keeps_the_earlier_communities(rig: Rig) -> None:
    rig.rested()
    known = load_communities(str(rig.folder))
    rig.use_script("exit 1")
    rig.edit()
    rig.settle()
    rig.settle(QUIET_SECONDS)
    rig.ended()
    assert (rig.sent_count, load_communities(str(rig.folder))) == (1, known)


def failed_and_undone(rig: Rig) -> None:
    """Let a run fail, then undo the change that caused the run."""
    rig.rested()
    rig.use_script("exit 1")
    rig.edit()
    rig.settle()
    rig.settle(QUIET_SECONDS)
    rig.ended()
    rig.graph.drop(f"{rig.notes}.md")
    rig.settle()
    rig.settle(RETRY_SECONDS)


def test_a_change_that_was_undone_causes_no_run(rig: Rig) -> None:
    failed_and_undone(rig)
    assert (rig.starts, rig.scheduler.due_in_s(), rig.scheduler.is_due) == (2, None, False)


def test_a_failure_is_cleared_once_the_communities_are_up_to_date(rig: Rig) -> None:
    failed_and_undone(rig)
    assert rig.scheduler.failure is None


def test_communities_that_cannot_be_saved_are_sent_and_the_failure_is_shown(rig: Rig) -> None:
    rig.folder.touch()
    rig.settle()
    rig.ended()
    assert (rig.sent_count, rig.scheduler.is_due, rig.scheduler.due_in_s()) == (
        1,
        False,
        RETRY_SECONDS,
    )
    assert rig.scheduler.failure is not None
    assert "remembered" in rig.scheduler.failure


def test_a_failed_save_is_retried(rig: Rig) -> None:
    rig.folder.touch()
    rig.settle()
    rig.ended()
    rig.settle(RETRY_SECONDS)
    assert rig.scheduler.failure is not None
    rig.folder.unlink()
    rig.settle(RETRY_SECONDS)
    assert rig.scheduler.due_in_s() is None
    assert load_communities(str(rig.folder)) == rig.expected
    assert rig.scheduler.failure is None


def test_a_state_folder_that_was_removed_is_no_error(rig: Rig) -> None:
    rig.rested()
    (rig.folder / "communities").unlink()
    rig.folder.rmdir()
    rig.edit()
    rig.settle()
    rig.settle(QUIET_SECONDS)
    rig.ended()
    assert (rig.sent_count, rig.scheduler.failure) == (2, None)
    assert load_communities(str(rig.folder)).partition.communities
