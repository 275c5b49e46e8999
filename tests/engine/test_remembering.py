"""What is remembered of communities, under kills, faults, power cuts and damage."""

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
from clew.engine.communities.partition import Remembered
from clew.engine.communities.saved import recall, remember
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

LONG = bool(os.environ.get("CLEW_LONG"))
NOTHING = Remembered()
FILE = "communities"


def some(number: int, members: int = 3) -> Remembered:
    names = tuple(f"concept {number} {n}" for n in range(members))
    community = Community(number, names, names[:2], names[:1])
    return Remembered(f"digest {number}", Partition((community,), 0.25), number + 1)


SESSION = (NOTHING, some(1), some(2, 40), some(3, 1))


def live(folder: Path, disk: Disk, promised: Callable[[], None]) -> None:
    for remembered in SESSION[1:]:
        remember(str(folder), remembered, disk)
        promised()


def sealed(body: bytes) -> bytes:
    return hashlib.sha256(body).digest() + body


def test_what_was_remembered_is_recalled(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    assert recall(str(folder)) == NOTHING
    assert not folder.exists()
    for remembered in SESSION:
        remember(str(folder), remembered)
        assert recall(str(folder)) == remembered
    assert os.listdir(folder) == [FILE]
    assert (folder / FILE).stat().st_mode & 0o777 == 0o600


def test_it_does_not_matter_from_where_the_folder_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    remember("memory", some(1))
    assert recall("memory") == recall(str(tmp_path / "memory")) == some(1)


def test_a_kill_at_any_step_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    for at in count(1):
        folder = tmp_path / str(at)
        killed, done = killed_at(at, lambda disk, promised: live(folder, disk, promised))  # noqa: B023
        if not killed:
            break
        assert recall(str(folder)) in SESSION[done : done + 2], at
        remember(str(folder), some(9), UNSYNCED)
        assert os.listdir(folder) == [FILE]
        assert recall(str(folder)) == some(9)
    assert done == len(SESSION) - 1
    assert at > 15


@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_a_failing_step_leaves_the_old_or_the_new(tmp_path: Path, lasting: bool, code: int) -> None:
    folder = tmp_path / "memory"
    for at in count(1):
        disk = FailingDisk(at, code, lasting=lasting)
        known = NOTHING
        for remembered in SESSION[1:]:
            try:
                remember(str(folder), remembered, disk)
            except OSError as error:
                assert error.errno == code  # noqa: PT017 - not every step that fails is told
                assert recall(str(folder)) in (known, remembered)
            else:
                assert recall(str(folder)) == remembered
            known = recall(str(folder))
        was_failing = disk.has_failed
        disk.mend()
        remember(str(folder), some(9), disk)
        assert os.listdir(folder) == [FILE]
        assert recall(str(folder)) == some(9)
        shutil.rmtree(folder)
        if not was_failing:
            break
    assert at > 15


def test_what_is_there_though_not_yet_for_sure_is_no_error(tmp_path: Path) -> None:
    """The folder's own name may get lost with the power; a later time will see to that."""
    disk = FailingDisk(2, errno.EIO, lasting=False, steps=frozenset({"sync_folder"}))
    remember(str(tmp_path / "memory"), some(1), disk)
    assert disk.has_failed
    assert recall(str(tmp_path / "memory")) == some(1)


def test_a_power_cut_at_any_step_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    disk = RecordingDisk()
    live(tmp_path / "memory", disk, disk.mark)
    (tmp_path / "cut").mkdir()
    before: Image = {}
    seen = set()
    for done, image in power_cuts(str(tmp_path), disk.kept, 2, random.Random(1)):
        lay_out(image, tmp_path / "cut", before)
        before = image
        found = recall(str(tmp_path / "cut" / "memory"))
        assert found in SESSION[done : done + 2]
        seen.add((done, found.digest))
    assert len(seen) == 2 * len(SESSION) - 1


NONSENSE = [
    b"",
    b"short",
    bytes(32),
    sealed(b""),
    sealed(b"\x00"),
    sealed(b"\x01" + b"[" * 100_000),
    sealed(b"\x01" + b"9" * 5_000),
    sealed(b"\x01\xff"),
    sealed(pack(["x", [[[1, ["a"], [], []]], 0.0], "1"])),
    sealed(pack({"digest": ""})),
    sealed(pack(some(1)))[:-1],
    sealed(pack(some(1))) + b"\x00",
    pack(some(1)),
]


@pytest.mark.parametrize("data", NONSENSE)
def test_nonsense_counts_as_none_and_is_put_aside(tmp_path: Path, data: bytes) -> None:
    (tmp_path / FILE).write_bytes(data)
    assert recall(str(tmp_path)) == NOTHING
    assert snapshot(tmp_path) == {FILE: data}
    remember(str(tmp_path), some(2))
    assert recall(str(tmp_path)) == some(2)
    assert (tmp_path / f"{FILE}.damaged").read_bytes() == data


@given(place=st.integers(0, 10_000), bit=st.integers(0, 7), cut=st.booleans())
def test_no_bit_that_flips_and_no_end_that_is_lost_counts(
    tmp_path_factory: pytest.TempPathFactory, place: int, bit: int, cut: bool
) -> None:
    folder = tmp_path_factory.mktemp("memory")
    remember(str(folder), some(1, 20), UNSYNCED)
    data = bytearray((folder / FILE).read_bytes())
    place %= len(data)
    data[place] ^= 1 << bit
    (folder / FILE).write_bytes(data[:place] if cut else data)
    assert recall(str(folder)) == NOTHING


def test_no_damage_is_an_exception(tmp_path: Path) -> None:
    """What is in the folder may also be pipes, links, folders, or of terabytes with nothing in."""
    for seed in range(400 if LONG else 60):
        chance = random.Random(seed)
        folder = tmp_path / "state" / "memory"
        remember(str(_made(folder)), some(1), UNSYNCED)
        remember(str(folder), some(2), UNSYNCED)
        for _ in range(chance.randint(1, 3)):
            chance.choice(DAMAGES)(folder, chance)
        assert recall(str(folder)) in (NOTHING, some(2)), seed
        shutil.rmtree(tmp_path / "state")


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def test_something_else_in_its_place_is_an_error_and_stays(tmp_path: Path) -> None:
    (tmp_path / FILE / "kept").mkdir(parents=True)
    assert recall(str(tmp_path)) == NOTHING
    with pytest.raises(OSError, match="directory"):
        remember(str(tmp_path), some(1))
    assert os.listdir(tmp_path / FILE) == ["kept"]
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        remember(str(tmp_path / "file"), some(1))


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    remember(str(tmp_path / "elsewhere"), some(1))
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / FILE).symlink_to(tmp_path / "elsewhere" / FILE)
    assert recall(str(tmp_path / "memory")) == NOTHING
    remember(str(tmp_path / "memory"), some(2))
    assert recall(str(tmp_path / "elsewhere")) == some(1)
    assert recall(str(tmp_path / "memory")) == some(2)
