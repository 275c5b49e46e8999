"""Saved dates of events survive kills, disk errors, power cuts and damage."""

import errno
import hashlib
import json
import os
import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.disk.durable import Disk
from clew.engine.persist import path_dates
from clew.engine.persist.path_dates import EDITS, READS, PathDates
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

CODES = (errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT)

Dates: TypeAlias = dict[str, float]
Step: TypeAlias = tuple[str, Dates]

SESSION: tuple[Step, ...] = (
    ("add", {"a": 1.0}),
    ("add", {"b": 2.5, "c": 3.0}),
    ("add", {"a": 4.0, "\udcff.md": 5.0}),
    ("compact", {"d": 1.0}),
    ("add", {"b": 1.0, "long name " * 30: 6.0}),
    ("restart", {}),
    ("add", {"c": 7.0}),
    ("compact", {}),
    ("compact", {"a": 3.0}),
    ("add", {"e": 9.0}),
)

date_sets = st.dictionaries(st.sampled_from("abcd"), st.floats(0, 100), max_size=3)


def opened(folder: Path, disk: Disk = UNSYNCED) -> PathDates:
    return PathDates(str(folder), READS, disk)


def load(folder: Path) -> Dates:
    return opened(folder).load()


def merged(*found: Dates) -> Dates:
    latest: Dates = {}
    for dates in found:
        for path, read_s in dates.items():
            latest[path] = max(read_s, latest.get(path, 0.0))
    return latest


def after(done: int) -> Dates:
    return merged(*(dates for _, dates in SESSION[:done]))


def take(reads: PathDates, step: Step) -> None:
    if step[0] == "add":
        reads.add(step[1])
    elif step[0] == "compact":
        reads.compact(step[1])


def live(folder: Path, disk: Disk, promised: Callable[[], None]) -> None:
    reads = opened(folder, disk)
    for step in SESSION:
        if step[0] == "restart":
            reads.close()
            reads = opened(folder, disk)
            reads.load()
        take(reads, step)
        promised()


def with_checksum(body: str) -> bytes:
    checksum = hashlib.sha256(body.encode()).hexdigest()
    return json.dumps({"sha256": checksum, "reads": body}).encode()


def test_read_dates_are_loaded_after_a_restart(tmp_path: Path) -> None:
    live(tmp_path / "memory", UNSYNCED, lambda: None)
    assert load(tmp_path / "memory") == after(len(SESSION))
    for path in (tmp_path / "memory").iterdir():
        assert path.stat().st_mode & 0o777 == 0o600


def test_without_files_there_are_no_dates(tmp_path: Path) -> None:
    reads = opened(tmp_path / "memory")
    assert (reads.load(), reads.log_bytes) == ({}, 0)
    assert not (tmp_path / "memory").exists()


def test_the_log_grows_until_it_is_compacted(tmp_path: Path) -> None:
    reads = opened(tmp_path / "memory")
    reads.add({"a": 1.0})
    assert reads.log_bytes == (tmp_path / "memory" / "reads.log").stat().st_size
    again = opened(tmp_path / "memory")
    again.load()
    assert again.log_bytes == reads.log_bytes
    again.compact({})
    assert again.log_bytes == 0
    assert os.listdir(tmp_path / "memory") == ["reads.json"]
    assert load(tmp_path / "memory") == {"a": 1.0}


@given(st.lists(st.tuples(st.sampled_from(["add", "compact", "restart"]), date_sets), max_size=8))
def test_each_path_has_its_latest_date(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Step]
) -> None:
    folder = tmp_path_factory.mktemp("reads")
    reads = opened(folder)
    for step in steps:
        if step[0] == "restart":
            reads = opened(folder)
        take(reads, step)
    reads.close()
    assert load(folder) == merged(*(dates for name, dates in steps if name != "restart"))


def test_dates_written_by_earlier_versions_are_read(tmp_path: Path) -> None:
    (tmp_path / "reads.json").write_bytes(with_checksum('{"a.md": 1.5, "sub/\\\\u00e9.md": 2.0}'))
    assert load(tmp_path) == {"a.md": 1.5, "sub/\\u00e9.md": 2.0}
    (tmp_path / "reads.json").write_bytes(with_checksum('{"sub/\\u00e9.md": 2.0}'))
    assert load(tmp_path) == {"sub/é.md": 2.0}


@pytest.mark.slow
def test_a_kill_at_any_step_loses_no_added_date(tmp_path: Path) -> None:
    for at in count(1):
        folder = tmp_path / str(at)
        killed, done = killed_at(at, lambda disk, promised: live(folder, disk, promised))  # noqa: B023
        if not killed:
            break
        found = load(folder)
        assert found in (after(done), after(done + 1)), at
        opened(folder).compact({"z": 1.0})
        assert load(folder) == merged(found, {"z": 1.0})
        assert os.listdir(folder) == ["reads.json"]
    assert done == len(SESSION)
    assert at > 40


@pytest.mark.parametrize("lasting", [False, True])
def test_a_failing_step_loses_no_added_date(tmp_path: Path, lasting: bool) -> None:
    for at in count(1):
        for code in CODES if IS_LONG else [CODES[at % len(CODES)]]:
            folder = tmp_path / "memory"
            disk = FailingDisk(at, code, lasting=lasting)
            reads = opened(folder, disk)
            added: list[Dates] = []
            for step in SESSION:
                with suppress(OSError):
                    take(reads, step)
                    added.append(step[1])
                found = load(folder)
                assert found.items() >= merged(*added).items()
                assert found.items() <= after(len(SESSION)).items() | merged(*added).items()
            was_failing = disk.has_failed
            disk.mend()
            reads.compact({"z": 1.0})
            assert os.listdir(folder) == ["reads.json"]
            assert load(folder).items() >= merged(*added, {"z": 1.0}).items()
            shutil.rmtree(folder)
        if not was_failing:
            break
    assert at > 40


def test_a_power_cut_at_any_step_loses_no_compacted_date(tmp_path: Path) -> None:
    disk = RecordingDisk()
    live(tmp_path / "memory", disk, disk.mark)
    before: Image = {}
    (tmp_path / "cut").mkdir()
    seen = 0
    for done, image in power_cuts(str(tmp_path), disk.kept, 2, random.Random(1)):
        lay_out(image, tmp_path / "cut", before)
        before = image
        found = load(tmp_path / "cut" / "memory")
        whole = max([n for n in range(done + 1) if n and SESSION[n - 1][0] == "compact"], default=0)
        everything = {(p, s) for n in range(done + 2) for p, s in after(n).items()}
        assert found.items() <= everything
        assert merged(found, after(whole)) == found
        seen += 1
    assert seen > 100


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b"[" * 100_000,
        b"9" * 5_000,
        b"\xff",
        json.dumps({"sha256": "0" * 64, "reads": '{"a": 1.0}'}).encode(),
        json.dumps({"sha256": 1, "reads": 1}).encode(),
        with_checksum("[1, 2]"),
        with_checksum('{"a": "x"}'),
        with_checksum('{"a": null}'),
        with_checksum('{"a": 1' + "0" * 400 + "}"),
        with_checksum('{"a": 1.0}')[:-3],
        with_checksum('{"a": 1.0}').replace(b"1.0", b"2.0"),
    ],
)
def test_a_damaged_file_is_renamed_and_the_log_is_still_used(tmp_path: Path, data: bytes) -> None:
    opened(tmp_path).add({"b": 2.0})
    (tmp_path / "reads.json").write_bytes(data)
    assert load(tmp_path) == {"b": 2.0}
    assert (tmp_path / "reads.json").read_bytes() == data
    reads = opened(tmp_path)
    assert reads.load() == {"b": 2.0}
    reads.compact(reads.load())
    assert (tmp_path / "reads.json.damaged").read_bytes() == data
    assert load(tmp_path) == {"b": 2.0}


def test_records_before_the_damage_of_a_log_still_count(tmp_path: Path) -> None:
    opened(tmp_path).compact({"a": 1.0})
    reads = opened(tmp_path)
    for n in range(3):
        reads.add({"b": float(n), str(n): 1.0})
    data = bytearray((tmp_path / "reads.log").read_bytes())
    data[-1] ^= 1
    (tmp_path / "reads.log").write_bytes(data)
    assert load(tmp_path) == {"a": 1.0, "b": 1.0, "0": 1.0, "1": 1.0}


@pytest.mark.parametrize("name", ["reads.json", "reads.log"])
def test_a_file_that_cannot_be_read_now_is_never_overwritten(tmp_path: Path, name: str) -> None:
    reads = opened(tmp_path / "memory")
    reads.compact({"a": 1.0})
    reads.add({"b": 1.0})
    real = tmp_path / "memory" / name
    real.rename(tmp_path / "aside")
    real.symlink_to(tmp_path / "aside")
    before = snapshot(tmp_path)
    reads = opened(tmp_path / "memory")
    assert reads.load() == ({"b": 1.0} if name == "reads.json" else {"a": 1.0})
    with pytest.raises(OSError, match="symbolic links"):
        reads.compact({"c": 1.0})
    if name == "reads.log":
        with pytest.raises(OSError, match="symbolic links"):
            reads.add({"c": 1.0})
    assert snapshot(tmp_path) == before
    real.unlink()
    (tmp_path / "aside").rename(real)
    reads.add({"c": 1.0})
    assert load(tmp_path / "memory") == {"a": 1.0, "b": 1.0, "c": 1.0}


def test_the_oldest_dates_are_dropped_first(tmp_path: Path) -> None:
    reads = PathDates(str(tmp_path), READS._replace(paths_max=3), UNSYNCED)
    reads.add({"a": 5.0, "b": 1.0, "c": 4.0})
    reads.add({"d": 2.0, "e": 3.0})
    assert reads.load() == {"a": 5.0, "c": 4.0, "e": 3.0}
    reads.compact({"f": 4.5})
    assert load(tmp_path) == {"a": 5.0, "f": 4.5, "c": 4.0}


def test_two_kinds_of_dates_in_one_folder_do_not_mix(tmp_path: Path) -> None:
    reads, edits = (PathDates(str(tmp_path), kind, UNSYNCED) for kind in (READS, EDITS))
    reads.add({"a": 1.0})
    edits.add({"a": 2.0, "b": 3.0})
    edits.compact({"c": 4.0})
    assert reads.load() == {"a": 1.0}
    assert edits.load() == {"a": 2.0, "b": 3.0, "c": 4.0}
    assert sorted(os.listdir(tmp_path)) == ["edits.json", "reads.log"]


@pytest.mark.slow
def test_as_many_dates_as_the_bound_are_kept(tmp_path: Path) -> None:
    reads = opened(tmp_path)
    dates = {f"folder {n % 100}/note {n}.md": float(n) for n in range(200_010)}
    reads.add(dates)
    reads.compact({})
    assert load(tmp_path) == {path: read_s for path, read_s in dates.items() if read_s >= 10}


def test_dates_that_are_no_numbers_do_not_count(tmp_path: Path) -> None:
    reads = opened(tmp_path)
    reads.add({"a": float("nan"), "b": float("inf"), "c": 1.0})
    reads.compact({"a": float("-inf")})
    assert load(tmp_path) == {"c": 1.0}


def test_paths_that_could_not_be_saved_as_left_are_saved_later(tmp_path: Path) -> None:
    reads = PathDates(str(tmp_path), READS, UNSYNCED)
    reads.add({"a.md": 1.0, "b.md": 1.0})
    failing = PathDates(str(tmp_path), READS, FailingDisk(1, errno.ENOSPC, lasting=False))
    with pytest.raises(OSError, match="space"):
        failing.add({"c.md": 1.0}, ["a.md"])
    failing.add({"d.md": 1.0})
    assert PathDates(str(tmp_path), READS).load() == {"b.md": 1.0, "d.md": 1.0}


def test_few_paths_that_could_not_be_saved_as_left_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(path_dates, "UNSAVED_LEFT_MAX", 2)
    reads = PathDates(str(tmp_path), READS, UNSYNCED)
    reads.add({"a.md": 1.0, "b.md": 1.0, "c.md": 1.0})
    failing = PathDates(str(tmp_path), READS, FailingDisk(1, errno.ENOSPC, lasting=False))
    with pytest.raises(OSError, match="space"):
        failing.add({}, ["a.md", "b.md", "c.md"])
    failing.add({})
    assert PathDates(str(tmp_path), READS).load() == {"a.md": 1.0}
