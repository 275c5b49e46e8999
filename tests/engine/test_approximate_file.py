"""The file of the approximate index: built from a stored index, published whole, never misread."""

import errno
import os
import random
from contextlib import suppress
from itertools import count
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.disk.durable import Disk
from clew.engine.approximate.approximate_file import (
    Header,
    open_verified,
    publish_new,
    read_header,
    remove_files,
    write_new,
)
from clew.engine.approximate.build_job import BuildJob
from clew.engine.approximate.opening import open_approximate
from clew.engine.approximate.run_build import run_build
from clew.engine.persist.generation_files import INDEX_FILE
from clew.engine.persist.index_file import serialize
from clew.engine.persist.store import Store
from clew.index.vectors import Coverage
from tests.disks import UNSYNCED, FailingDisk, RecordingDisk, lay_out, power_cuts
from tests.examples import examples
from tests.searches import embed, encode
from tests.vaults import engine_of

FILE = "v2/approximate"
NOTES = {f"{n}.md": f"the tide gauge and clock {n} of harbour {n % 7}" for n in range(30)}


def header(number: int) -> Header:
    return Header(1, "2.0", Coverage("m", 8, number, 0, number, b"d" * 32), 256, 0.99)


def publish(folder: Path, number: int, disk: Disk = UNSYNCED) -> None:
    write_new(str(folder), header(number), bytes([number]) * 1_000, disk)
    publish_new(str(folder), disk)


def read(folder: Path) -> tuple[Header, bytes]:
    head, graph = open_verified(str(folder))
    return head, bytes(graph)


def published(number: int) -> tuple[Header, bytes]:
    return header(number), bytes([number]) * 1_000


@pytest.fixture
def index(tmp_path: Path) -> Path:
    folder = tmp_path / "index"
    folder.mkdir()
    return folder


def test_the_file_that_was_published_last_is_read(index: Path) -> None:
    for number in (1, 2):
        publish(index, number)
        assert read(index) == published(number)
        assert read_header(str(index)) == header(number)
    assert os.listdir(index / "v2") == ["approximate"]
    assert (index / FILE).stat().st_mode & 0o777 == 0o600
    remove_files(str(index), UNSYNCED)
    remove_files(str(index), UNSYNCED)
    with pytest.raises(FileNotFoundError):
        read_header(str(index))


def test_a_file_that_is_not_published_is_not_read(index: Path) -> None:
    publish(index, 1)
    write_new(str(index), header(2), b"", UNSYNCED)
    assert read(index) == published(1)
    write_new(str(index), header(3), b"", UNSYNCED)
    publish_new(str(index), UNSYNCED)
    assert read(index) == (header(3), b"")


@given(data=st.data())
@examples(100)
def test_a_damaged_file_is_refused(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("index")
    publish(folder, 1)
    whole = (folder / FILE).read_bytes()
    if data.draw(st.booleans()):
        damaged = whole[: data.draw(st.integers(0, len(whole) - 1))]
    else:
        place = data.draw(st.integers(0, len(whole) - 1))
        flipped = whole[place] ^ data.draw(st.integers(1, 255))
        damaged = whole[:place] + bytes([flipped]) + whole[place + 1 :]
    (folder / FILE).write_bytes(damaged)
    with pytest.raises(ValueError, match=r"."):
        read(folder)
    with suppress(ValueError):  # Its header is not verified, but no other error is raised.
        read_header(str(folder))


def test_a_file_of_another_layout_is_refused(index: Path) -> None:
    write_new(str(index), msgspec.structs.replace(header(1), layout=0), b"", UNSYNCED)
    publish_new(str(index), UNSYNCED)
    for read_it in (read_header, open_verified):
        with pytest.raises(ValueError, match="layout"):
            read_it(str(index))


def test_a_symbolic_link_is_not_followed(index: Path) -> None:
    publish(index, 1)
    (index / FILE).rename(index / "v2" / "other")
    (index / FILE).symlink_to("other")
    with pytest.raises(OSError, match=r"."):
        open_verified(str(index))


def test_an_error_at_any_step_leaves_the_old_file_or_the_new(tmp_path: Path) -> None:
    for at in count(1):
        folder = tmp_path / str(at)
        folder.mkdir()
        publish(folder, 1)
        disk = FailingDisk(at, errno.ENOSPC, lasting=True)
        try:
            publish(folder, 2, disk)
        except OSError:
            assert read(folder) in (published(1), published(2))
            publish(folder, 3)
            assert read(folder) == published(3)
        if not disk.has_failed:
            break
    assert at > 5


def test_a_power_cut_leaves_the_old_file_or_the_new(tmp_path: Path) -> None:
    index, cut = tmp_path / "index", tmp_path / "cut"
    index.mkdir()
    cut.mkdir()
    disk = RecordingDisk()
    disk.make_folder(str(index / "v2"))  # a stored index made it durable before
    disk.sync_folder(str(index))
    for number in (1, 2):
        publish(index, number, disk)
        disk.mark()
    before: dict[str, bytes | None] = {}
    seen = set()
    for done, image in power_cuts(str(index), disk.kept, 2, random.Random(1)):
        lay_out(image, cut, before)
        before = dict(image)
        left = read(cut) if (cut / FILE).exists() else None
        expected = [None, published(1), published(2), None][done : done + 2]
        assert left in expected
        seen.add((done, left[0].coverage.slots if left else 0))
    assert len(seen) == 5


def stored_vault(folder: Path) -> int:
    """Store the index of a vault with vectors; return the generation."""
    engine = engine_of(NOTES)
    embed(engine)
    store = Store(str(folder), "print", UNSYNCED)
    store.publish({INDEX_FILE: serialize(engine.indexes)})
    return store.generation


def test_a_build_covers_the_vectors_of_the_stored_index(index: Path) -> None:
    engine = engine_of(NOTES)
    embed(engine)
    built = run_build(BuildJob(str(index), stored_vault(index)), UNSYNCED)
    publish_new(str(index), UNSYNCED)
    vectors = engine.indexes.passages.vectors
    approximate = open_approximate(str(index))
    assert approximate.coverage == built.coverage == vectors.coverage()
    assert vectors.use_approximate(approximate) is approximate
    query = encode("clock drift")
    found = vectors.near(query)
    similarities = vectors.similarities(query)
    assert found.slots.tolist() == np.flatnonzero(similarities > 0).tolist()
    assert found.scores.tolist() == similarities[found.slots].tolist()


def test_no_graph_is_built_where_a_trial_finds_too_few(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.engine.approximate.run_build.trial_recall", lambda *_: 0.5)
    built = run_build(BuildJob(str(index), stored_vault(index)), UNSYNCED)
    assert (built.candidate_count, built.recall) == (0, 0.5)
    publish_new(str(index), UNSYNCED)
    with pytest.raises(ValueError, match=r"."):
        open_approximate(str(index))


def test_an_index_built_by_another_version_of_the_library_is_refused(index: Path) -> None:
    built = run_build(BuildJob(str(index), stored_vault(index)), UNSYNCED)
    write_new(str(index), msgspec.structs.replace(built, usearch_version="1.0"), b"", UNSYNCED)
    publish_new(str(index), UNSYNCED)
    with pytest.raises(ValueError, match=r"version 1\.0"):
        open_approximate(str(index))


def test_a_stored_index_that_is_gone_is_an_error(index: Path) -> None:
    with pytest.raises(OSError, match=r"."):
        run_build(BuildJob(str(index), 7), UNSYNCED)
