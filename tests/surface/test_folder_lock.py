"""Only one process holds the lock of a folder, even after the folder was removed or replaced."""

import fcntl
import shutil
from pathlib import Path

import pytest

from clew.surface.private import take_lock
from clew.values.errors import AlreadyRunning, ConfigError


def test_a_folder_has_one_holder_until_the_lock_is_closed(tmp_path: Path) -> None:
    folder = str(tmp_path / "state")
    first = take_lock(folder)
    with pytest.raises(AlreadyRunning):
        take_lock(folder)
    first.close()
    take_lock(folder).close()


@pytest.mark.parametrize("replaced", [False, True])
def test_a_lock_notices_that_its_file_was_removed_or_replaced(
    tmp_path: Path, replaced: bool
) -> None:
    folder = tmp_path / "state"
    lock = take_lock(str(folder))
    assert lock.is_in_place()
    folder.rename(tmp_path / "moved")
    if replaced:
        shutil.copytree(tmp_path / "moved", folder)
    assert not lock.is_in_place()
    lock.retake()
    assert lock.is_in_place()
    with pytest.raises(AlreadyRunning):
        take_lock(str(folder))
    lock.close()


def test_one_of_two_holders_that_lost_the_folder_gets_it_again(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    first = take_lock(str(folder))
    shutil.rmtree(folder)
    second = take_lock(str(folder))
    with pytest.raises(AlreadyRunning):
        first.retake()
    shutil.rmtree(folder)
    first.retake()
    with pytest.raises(AlreadyRunning):
        second.retake()
    assert first.is_in_place()
    assert not second.is_in_place()
    first.close()
    second.close()


def test_a_lock_that_cannot_be_taken_again_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    lock = take_lock(str(folder))
    shutil.rmtree(folder)
    folder.write_text("a file in its place")
    with pytest.raises(ConfigError):
        lock.retake()
    folder.unlink()
    lock.retake()
    assert lock.is_in_place()
    lock.close()


def test_a_folder_that_another_daemon_replaces_and_locks_first_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, flock, rivals = tmp_path / "state", fcntl.flock, []

    def another_daemon_comes_first(descriptor: int, operation: int) -> None:
        monkeypatch.setattr(fcntl, "flock", flock)
        shutil.rmtree(folder)
        rivals.append(take_lock(str(folder)))
        flock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", another_daemon_comes_first)
    with pytest.raises(AlreadyRunning):
        take_lock(str(folder))
    assert rivals[0].is_in_place()
    rivals[0].close()
