"""The index on disk: it is loaded unchanged, and old files are removed."""

import errno
import os
from pathlib import Path

import pytest

from clew.disk.durable import DISK
from clew.engine.persist.generation_files import FORMAT
from clew.engine.persist.store import Store
from tests.disks import FailingDisk, snapshot
from tests.stores import (
    FINGERPRINT,
    NOTHING,
    files_of,
    live,
    opened,
    state_of,
    states,
    take,
    two_generations,
)


def test_a_saved_index_is_loaded(tmp_path: Path) -> None:
    live(tmp_path / "index", DISK, lambda: None)
    assert state_of(tmp_path / "index") == states()[-1] == ("C", (b"c1", b""))


def test_files_are_for_the_owner_alone(tmp_path: Path) -> None:
    live(tmp_path / "index", DISK, lambda: None)
    for path in [tmp_path / "index", *(tmp_path / "index").rglob("*")]:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600)


def test_the_sizes_are_those_on_disk(tmp_path: Path) -> None:
    store, _ = opened(tmp_path / "index")
    assert (store.log_bytes, store.log_records, store.generation_bytes) == (0, 0, 0)
    for step in (("append", "r"), ("publish", "A"), ("append", "a1"), ("append", "a2")):
        take(store, step)
    for each in (store, opened(tmp_path / "index")[0]):
        home = tmp_path / "index" / f"v{FORMAT}"
        sizes = [(home / "gen-00000001" / name).stat().st_size for name in files_of("A")]
        assert each.generation_bytes == sum(sizes)
        assert each.log_bytes == (home / "log-00000001").stat().st_size
        assert each.log_records == 2


def test_another_fingerprint_is_another_index(tmp_path: Path) -> None:
    store, _ = opened(tmp_path / "index")
    store.append(b"r1")
    other = Store(str(tmp_path / "index"), "\udcff other")
    assert other.load() is None
    store.publish(files_of("A"))
    assert other.load() is None
    other.append(b"o1")
    assert state_of(tmp_path / "index") == ("A", ())
    other.publish({})
    assert opened(tmp_path / "index")[1] == NOTHING
    again = Store(str(tmp_path / "index"), "\udcff other").load()
    assert again is not None
    assert (again.files, again.records) == ({}, [])


def test_nothing_is_logged_before_a_generation_is_loaded_or_published(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="load or publish first"):
        Store(str(tmp_path / "index"), FINGERPRINT).append(b"r")


def test_the_next_generation_has_a_new_number(tmp_path: Path) -> None:
    home = tmp_path / "index" / f"v{FORMAT}"
    for name in ("gen-00000041", "gen-00000042.new", "log-123456789"):
        (home / name).mkdir(parents=True)
    store, _ = opened(tmp_path / "index")
    store.publish(files_of("A"))
    assert os.listdir(home) == ["gen-123456790"]
    assert state_of(tmp_path / "index") == ("A", ())


def test_a_store_holds_one_file_open_at_most(tmp_path: Path) -> None:
    store, _ = opened(tmp_path / "index")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        for step in (("append", "r"), ("publish", "A"), ("append", "a")):
            take(store, step)
        assert store.load() is not None
    assert len(os.listdir("/proc/self/fd")) == before
    store.append(b"a")
    assert len(os.listdir("/proc/self/fd")) == before + 1
    store.close()
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("name", ["", "../x", "manifest.json", "a/b", "A", "x" * 65, ".x"])
def test_a_file_of_a_generation_has_a_plain_name(tmp_path: Path, name: str) -> None:
    store, _ = opened(tmp_path / "index")
    with pytest.raises(ValueError, match="invalid file name"):
        store.publish({name: [b"x"]})
    assert os.listdir(tmp_path / "index" / f"v{FORMAT}") == []


def test_a_generation_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.engine.persist.store.GENERATION_BYTES_MAX", 100)
    store, _ = opened(tmp_path / "index")
    store.publish({"a": [b"x" * 50], "b": [b"x" * 50]})
    with pytest.raises(OSError, match="File too large"):
        store.publish({"a": [b"x" * 50], "b": [b"x" * 51]})
    again = Store(str(tmp_path / "index"), FINGERPRINT).load()
    assert again is not None
    assert sorted(again.files) == ["a", "b"]


def test_loading_changes_nothing(tmp_path: Path) -> None:
    two_generations(tmp_path / "index")
    (tmp_path / "index" / f"v{FORMAT}" / "gen-00000005.new").mkdir()
    before = snapshot(tmp_path / "index")
    disk = FailingDisk(1, errno.EROFS, lasting=True)
    assert opened(tmp_path / "index", disk)[1][0] == "B"
    assert disk.count == 0
    assert snapshot(tmp_path / "index") == before
