"""Durable writes, with a failure at each system call."""

import errno
import os
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from clew.disk.durable import (
    DISK,
    Disk,
    OutcomeUnknown,
    ensure_folder,
    open_state_file,
    publish_folder,
    remove_tree,
    replace_file,
    write_all,
    write_file,
)
from tests.disks import FailingDisk, RecordingDisk, snapshot


def steps_of(disk: RecordingDisk) -> list[str]:
    return [step for step, _, _ in disk.kept]


def test_a_file_is_fsynced_before_it_is_renamed(tmp_path: Path) -> None:
    disk = RecordingDisk()
    replace_file(disk, str(tmp_path / "a"), [b"one", b"two"])
    assert steps_of(disk) == ["open", "write", "sync", "rename", "sync_folder"]
    assert snapshot(tmp_path) == {"a": b"onetwo"}


def test_a_folder_is_fsynced_before_the_rename_and_its_parent_after(tmp_path: Path) -> None:
    disk = RecordingDisk()
    (tmp_path / "new").mkdir()
    publish_folder(disk, str(tmp_path / "new"), str(tmp_path / "a"))
    synced = [what for step, what, _ in disk.kept if step == "sync_folder"]
    assert steps_of(disk) == ["sync_folder", "rename", "sync_folder"]
    assert synced == [str(tmp_path / "new"), str(tmp_path)]


def test_replacing_a_file_leaves_the_old_one_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "a"
    for at in count(1):
        path.write_bytes(b"old")
        disk = FailingDisk(at, errno.ENOSPC, lasting=False)
        try:
            replace_file(disk, str(path), [b"n" * 300, b"ew"])
        except OSError:
            assert snapshot(tmp_path) in ({"a": b"old"}, {"a": b"n" * 300 + b"ew"})
        if not disk.has_failed:
            break
    assert path.read_bytes() == b"n" * 300 + b"ew"
    assert at > 6


def test_a_temporary_file_left_by_a_crash_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.new").write_bytes(b"half")
    replace_file(DISK, str(tmp_path / "a"), [b"whole"])
    assert snapshot(tmp_path) == {"a": b"whole"}


def test_a_partial_file_is_removed(tmp_path: Path) -> None:
    def pieces() -> Any:
        yield b"x" * 2_000_000
        raise KeyError

    before = os.listdir("/proc/self/fd")
    with pytest.raises(KeyError):
        write_file(DISK, str(tmp_path / "a"), pieces())
    assert snapshot(tmp_path) == {}
    assert os.listdir("/proc/self/fd") == before


def test_chunks_of_any_size_are_written_in_order(tmp_path: Path) -> None:
    pieces = [b"a" * 10, b"", b"b" * 1_500_000, b"c" * 10, b"d" * 1_048_576]
    write_file(DISK, str(tmp_path / "a"), pieces)
    write_file(DISK, str(tmp_path / "none"), [])
    assert snapshot(tmp_path) == {"a": b"".join(pieces), "none": b""}


def test_an_existing_file_is_never_overwritten_by_a_new_one(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for name in ("a", "link"):
        with pytest.raises(FileExistsError):
            write_file(DISK, str(tmp_path / name), [b"new"])
    assert (tmp_path / "a").read_bytes() == b"old"
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("lasting", [False, True])
def test_a_folder_is_published_or_not_or_the_outcome_is_reported_unknown(
    tmp_path: Path, lasting: bool
) -> None:
    new, path = tmp_path / "new", tmp_path / "a"
    for at in (1, 2, 3):
        new.mkdir()
        with pytest.raises(OSError, match="Input/output error") as raised:
            publish_folder(FailingDisk(at, errno.EIO, lasting=lasting), str(new), str(path))
        assert isinstance(raised.value, OutcomeUnknown) == path.exists() == (lasting and at == 3)
        remove_tree(DISK, str(path if path.exists() else new))


def test_removing_a_tree_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "a").write_bytes(b"x")
    deep = tmp_path / "tree"
    for _ in range(1_100):  # deeper than calls can go
        deep.mkdir()
        deep /= "d"
    (tmp_path / "tree" / "link").symlink_to(tmp_path / "kept")
    (tmp_path / "tree" / "file").write_bytes(b"x")
    (tmp_path / "other").symlink_to(tmp_path / "kept")
    for name in ("tree", "other"):
        remove_tree(DISK, str(tmp_path / name))
    assert snapshot(tmp_path) == {"kept": None, "kept/a": b"x"}


def test_ensure_folder_makes_one_or_checks_it(tmp_path: Path) -> None:
    for _ in range(2):
        ensure_folder(DISK, str(tmp_path / "a"))
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o700
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    for name in ("file", "link"):
        with pytest.raises(NotADirectoryError):
            ensure_folder(DISK, str(tmp_path / name))


def test_short_writes_are_continued(tmp_path: Path) -> None:
    disk: Disk = RecordingDisk()
    descriptor = disk.create(str(tmp_path / "a"))
    write_all(disk, descriptor, bytes(range(256)) * 4)
    disk.close(descriptor)
    assert (tmp_path / "a").read_bytes() == bytes(range(256)) * 4


def test_a_file_system_without_folder_fsync_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(code: int) -> None:
        def fsync(_: int) -> None:
            raise OSError(code, os.strerror(code))

        monkeypatch.setattr("os.fsync", fsync)

    fail(errno.EINVAL)
    DISK.sync_folder(str(tmp_path))
    fail(errno.EIO)
    with pytest.raises(OSError, match="Input/output error"):
        DISK.sync_folder(str(tmp_path))


def test_only_a_regular_file_is_opened_without_blocking(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    (tmp_path / "far").symlink_to(tmp_path)
    before = len(os.listdir("/proc/self/fd"))
    for name in ("fifo", "folder", "link", "far/file", "none", "../x", "/etc/hostname", ""):
        with pytest.raises(OSError, match="Errno"):
            open_state_file(str(tmp_path), name)
    assert len(os.listdir("/proc/self/fd")) == before
    with open_state_file(str(tmp_path), "file") as file:
        assert file.read() == b"x"
