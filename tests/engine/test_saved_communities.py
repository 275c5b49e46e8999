"""Saved communities survive kills, disk errors, power cuts and damage."""

import errno
import hashlib
import os
import random
import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.disk.durable import Disk
from clew.engine.communities.partition_job import SavedCommunities
from clew.engine.communities.saved import load_communities, save_communities
from clew.values.communities import Community, Partition
from clew.values.packing import pack
from tests.damage import DAMAGES
from tests.disks import (
    UNSYNCED,
    FailingDisk,
    Image,
    RecordingDisk,
    killed_at,
    lay_out,
    power_cuts,
    snapshot,
)
from tests.examples import IS_LONG

NOTHING = SavedCommunities()
FILE = "communities"


def some(number: int, members: int = 3) -> SavedCommunities:
    names = tuple(f"concept {number} {n}" for n in range(members))
    community = Community(number, names, names[:2], names[:1])
    return SavedCommunities(f"digest {number}", Partition((community,), 0.25), number + 1)


SESSION = (NOTHING, some(1), some(2, 40), some(3, 1))


def save_session(folder: Path, disk: Disk, promised: Callable[[], None]) -> None:
    for saved in SESSION[1:]:
        save_communities(str(folder), saved, disk)
        promised()


def with_checksum(body: bytes) -> bytes:
    return hashlib.sha256(body).digest() + body


def test_saved_communities_are_loaded(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    assert load_communities(str(folder)) == NOTHING
    assert not folder.exists()
    for saved in SESSION:
        save_communities(str(folder), saved)
        assert load_communities(str(folder)) == saved
    assert os.listdir(folder) == [FILE]
    assert (folder / FILE).stat().st_mode & 0o777 == 0o600


def test_the_folder_may_be_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save_communities("memory", some(1))
    assert load_communities("memory") == load_communities(str(tmp_path / "memory")) == some(1)


@pytest.mark.slow
def test_a_kill_at_any_step_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    for at in count(1):
        folder = tmp_path / str(at)
        killed, done = killed_at(at, lambda disk, promised: save_session(folder, disk, promised))  # noqa: B023
        if not killed:
            break
        assert load_communities(str(folder)) in SESSION[done : done + 2], at
        save_communities(str(folder), some(9), UNSYNCED)
        assert os.listdir(folder) == [FILE]
        assert load_communities(str(folder)) == some(9)
    assert done == len(SESSION) - 1
    assert at > 15


@pytest.mark.slow
@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_a_failing_step_leaves_the_old_or_the_new(tmp_path: Path, lasting: bool, code: int) -> None:
    folder = tmp_path / "memory"
    for at in count(1):
        disk = FailingDisk(at, code, lasting=lasting)
        known = NOTHING
        for saved in SESSION[1:]:
            try:
                save_communities(str(folder), saved, disk)
            except OSError as error:
                assert error.errno == code  # noqa: PT017 - not every failed step is reported
                assert load_communities(str(folder)) in (known, saved)
            else:
                assert load_communities(str(folder)) == saved
            known = load_communities(str(folder))
        was_failing = disk.has_failed
        disk.mend()
        save_communities(str(folder), some(9), disk)
        assert os.listdir(folder) == [FILE]
        assert load_communities(str(folder)) == some(9)
        shutil.rmtree(folder)
        if not was_failing:
            break
    assert at > 15


def test_a_failing_sync_of_the_parent_folder_is_no_error(tmp_path: Path) -> None:
    """After a power cut the new folder itself may be missing; the next save creates it."""
    disk = FailingDisk(2, errno.EIO, lasting=False, steps=frozenset({"sync_folder"}))
    save_communities(str(tmp_path / "memory"), some(1), disk)
    assert disk.has_failed
    assert load_communities(str(tmp_path / "memory")) == some(1)


def test_a_power_cut_at_any_step_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    disk = RecordingDisk()
    save_session(tmp_path / "memory", disk, disk.mark)
    (tmp_path / "cut").mkdir()
    before: Image = {}
    seen = set()
    for done, image in power_cuts(str(tmp_path), disk.kept, 2, random.Random(1)):
        lay_out(image, tmp_path / "cut", before)
        before = image
        found = load_communities(str(tmp_path / "cut" / "memory"))
        assert found in SESSION[done : done + 2]
        seen.add((done, found.digest))
    assert len(seen) == 2 * len(SESSION) - 1


DAMAGED = [
    b"",
    b"short",
    bytes(32),
    with_checksum(b""),
    with_checksum(b"\x00"),
    with_checksum(b"\x01" + b"[" * 100_000),
    with_checksum(b"\x01" + b"9" * 5_000),
    with_checksum(b"\x01\xff"),
    with_checksum(pack(["x", [[[1, ["a"], [], []]], 0.0], "1"])),
    with_checksum(pack({"digest": ""})),
    with_checksum(pack(some(1)))[:-1],
    with_checksum(pack(some(1))) + b"\x00",
    pack(some(1)),
]


@pytest.mark.parametrize("data", DAMAGED)
def test_a_damaged_file_is_ignored_and_renamed(tmp_path: Path, data: bytes) -> None:
    (tmp_path / FILE).write_bytes(data)
    assert load_communities(str(tmp_path)) == NOTHING
    assert snapshot(tmp_path) == {FILE: data}
    save_communities(str(tmp_path), some(2))
    assert load_communities(str(tmp_path)) == some(2)
    assert (tmp_path / f"{FILE}.damaged").read_bytes() == data


@given(place=st.integers(0, 10_000), bit=st.integers(0, 7), cut=st.booleans())
def test_a_file_with_a_flipped_bit_or_a_lost_end_is_ignored(
    tmp_path_factory: pytest.TempPathFactory, place: int, bit: int, cut: bool
) -> None:
    folder = tmp_path_factory.mktemp("memory")
    save_communities(str(folder), some(1, 20), UNSYNCED)
    data = bytearray((folder / FILE).read_bytes())
    place %= len(data)
    data[place] ^= 1 << bit
    (folder / FILE).write_bytes(data[:place] if cut else data)
    assert load_communities(str(folder)) == NOTHING


def test_no_damage_raises(tmp_path: Path) -> None:
    """The folder may hold pipes, symbolic links, folders or sparse files of terabytes too."""
    for seed in range(400 if IS_LONG else 60):
        chance = random.Random(seed)
        folder = tmp_path / "state" / "memory"
        save_communities(str(_made(folder)), some(1), UNSYNCED)
        save_communities(str(folder), some(2), UNSYNCED)
        for _ in range(chance.randint(1, 3)):
            chance.choice(DAMAGES)(folder, chance)
        assert load_communities(str(folder)) in (NOTHING, some(2)), seed
        shutil.rmtree(tmp_path / "state")


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def test_a_folder_in_place_of_the_file_is_an_error_and_stays(tmp_path: Path) -> None:
    (tmp_path / FILE / "kept").mkdir(parents=True)
    assert load_communities(str(tmp_path)) == NOTHING
    with pytest.raises(OSError, match="directory"):
        save_communities(str(tmp_path), some(1))
    assert os.listdir(tmp_path / FILE) == ["kept"]
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        save_communities(str(tmp_path / "file"), some(1))


def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    save_communities(str(tmp_path / "elsewhere"), some(1))
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / FILE).symlink_to(tmp_path / "elsewhere" / FILE)
    assert load_communities(str(tmp_path / "memory")) == NOTHING
    save_communities(str(tmp_path / "memory"), some(2))
    assert load_communities(str(tmp_path / "elsewhere")) == some(1)
    assert load_communities(str(tmp_path / "memory")) == some(2)
