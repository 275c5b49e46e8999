"""Releasing the pages of a part of a mapped file."""

import mmap
import os
from pathlib import Path

import pytest

from clew.disk.mapped_pages import PartReader, mapped, release_pages

MIB = 1024 * 1024


@pytest.fixture
def data(tmp_path: Path) -> memoryview:
    """A mapped file of 8 MiB."""
    path = tmp_path / "file"
    path.write_bytes(bytes(range(256)) * (8 * MIB // 256))
    with path.open("rb") as file:
        return mapped(file)


def resident_kib(path: str) -> int:
    """Return how much of a mapped file counts as memory of this process."""
    lines = Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines()
    at = next(number for number, line in enumerate(lines) if line.endswith(path))
    return next(int(line.split()[1]) for line in lines[at:] if line.startswith("Rss:"))


def read(part: memoryview) -> int:
    return sum(part[:: mmap.PAGESIZE])


def test_the_pages_of_a_part_are_released_and_read_again(data: memoryview, tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    total = read(data)
    assert resident_kib(path) == 8 * 1024
    release_pages(data[MIB + 1 : 6 * MIB])
    # Where the system maps 2 MiB at once, it also releases what lies around the part.
    assert 2 * 1024 <= resident_kib(path) <= 3 * 1024 + 8
    assert read(data) == total
    release_pages(data)
    assert resident_kib(path) == 0


def test_pieces_that_are_copied_map_no_page(data: memoryview, tmp_path: Path) -> None:
    part = data[MIB + 1 : 6 * MIB]
    reader = PartReader(part)
    pieces = [reader.read(start, start + 5_000) for start in range(0, 4 * MIB, MIB - 7)]
    last = reader.read(len(part) - 3, len(part))
    assert resident_kib(str(tmp_path / "file")) == 0
    assert pieces == [part[start : start + 5_000] for start in range(0, 4 * MIB, MIB - 7)]
    assert last == part[-3:]


def test_a_file_stays_open_as_long_as_its_memory_is_used(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one two")
    before = len(os.listdir("/proc/self/fd"))
    with path.open("rb") as file:
        reader = PartReader(mapped(file)[4:])
    path.unlink()
    assert bytes(reader.read(1, 3)) == b"wo"
    del reader
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_piece_that_was_cut_off_is_read_where_the_file_is_mapped(tmp_path: Path) -> None:
    """As any other read of it: beyond the last page, that ends the process."""
    path = tmp_path / "file"
    path.write_bytes(b"one two")
    with path.open("rb") as file:
        reader = PartReader(mapped(file))
    os.truncate(path, 5)
    assert bytes(reader.read(0, 7)) == b"one t\0\0"


@pytest.mark.parametrize("part", [memoryview(b"one two"), memoryview(b"")])
def test_memory_that_is_no_file_is_read_where_it_is(part: memoryview) -> None:
    assert PartReader(part).read(2, 5) == part[2:5]


def test_memory_that_is_no_file_is_left_alone() -> None:
    data = memoryview(bytearray(b"x" * MIB))
    release_pages(data)
    assert data[-1] == ord("x")
    release_pages(memoryview(b""))
