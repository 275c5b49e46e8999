"""A file below a folder is read up to a limit, and only if it is a regular one."""

import os
from pathlib import Path

import pytest

from clew.disk.beneath import read_beneath


@pytest.mark.parametrize(("bytes_max", "data"), [(5, b"words"), (9, b"words"), (4, b"wo")])
def test_of_a_larger_file_the_head_is_read(tmp_path: Path, bytes_max: int, data: bytes) -> None:
    (tmp_path / "a").write_bytes(b"words")
    read = read_beneath(str(tmp_path), "a", bytes_max, head_bytes=2)
    assert read is not None
    assert read.data == data
    assert read.status.st_size == 5


def test_only_a_regular_file_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/etc/passwd")
    (tmp_path / "folder").mkdir()
    for path in ("pipe", "link", "folder", "none", "link/a", "../a"):
        assert read_beneath(str(tmp_path), path, 100) is None
