"""Releasing the pages of a part of a mapped file."""

import mmap
from pathlib import Path

import pytest

from clew.disk.mapped_pages import WINDOW_BYTES, MappedPages, release_pages

MIB = 1024 * 1024


@pytest.fixture
def mapped(tmp_path: Path) -> memoryview:
    """A mapped file of 8 MiB."""
    path = tmp_path / "file"
    path.write_bytes(bytes(range(256)) * (8 * MIB // 256))
    with path.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def resident_kib(path: str) -> int:
    """Return how much of a mapped file counts as memory of this process."""
    lines = Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines()
    at = next(number for number, line in enumerate(lines) if line.endswith(path))
    return next(int(line.split()[1]) for line in lines[at:] if line.startswith("Rss:"))


def read(part: memoryview) -> int:
    return sum(part[:: mmap.PAGESIZE])


def test_the_pages_of_a_part_are_released_and_read_again(
    mapped: memoryview, tmp_path: Path
) -> None:
    path = str(tmp_path / "file")
    total = read(mapped)
    assert resident_kib(path) == 8 * 1024
    release_pages(mapped[MIB + 1 : 6 * MIB])
    # Where the system maps 2 MiB at once, it also releases what lies around the part.
    assert 2 * 1024 <= resident_kib(path) <= 3 * 1024 + 8
    assert read(mapped) == total
    release_pages(mapped)
    assert resident_kib(path) == 0


def test_reading_records_here_and_there_maps_no_more_than_the_bound(
    mapped: memoryview, tmp_path: Path
) -> None:
    pages = MappedPages(mapped, 2)
    for start in range(0, len(mapped), 4096):
        assert bytes(mapped[start : start + 100])
        pages.add(start)
        # What is mapped only grows until a read in another window releases it, so the last read
        # of each window would be enough; to look takes 13 ms.
        if (start + 4096) % (WINDOW_BYTES // 8) == 0:
            assert resident_kib(str(tmp_path / "file")) <= 2 * WINDOW_BYTES / 1024


def test_memory_that_is_no_file_is_left_alone() -> None:
    data = memoryview(bytearray(b"x" * MIB))
    release_pages(data)
    assert data[-1] == ord("x")
    release_pages(memoryview(b""))
