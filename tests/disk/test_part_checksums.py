"""The checksum of a file follows from its bytes alone, and several threads verify one file."""

import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.disk import part_checksums
from clew.disk.part_checksums import PartChecksums, checksum_of_file

WAIT_S = 60.0


def of_pieces(pieces: list[bytes]) -> str:
    checksum = PartChecksums()
    for piece in pieces:
        checksum.update(piece)
    return checksum.hexdigest()


def of_file(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    with path.open("rb") as file:
        return checksum_of_file(file.fileno(), len(data))


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_checksums, "PART_BYTES", 8)
    monkeypatch.setattr(part_checksums, "_READ_BYTES", 3)


@pytest.mark.usefixtures("small_parts")
def test_a_file_has_the_checksum_of_its_bytes(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("files") / "file"

    @given(st.lists(st.binary(max_size=30), max_size=8))
    def check(pieces: list[bytes]) -> None:
        data = b"".join(pieces)
        assert of_file(path, data) == of_pieces(pieces) == of_pieces([data])

    check()


@pytest.mark.usefixtures("small_parts")
def test_every_byte_and_its_place_count(tmp_path: Path) -> None:
    data = bytes(range(40))
    others = [data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :] for at in range(len(data))]
    others += [data[:-1], data + b"\0", data[8:16] + data[:8] + data[16:], b""]
    checksums = {of_file(tmp_path / "file", other) for other in (data, *others)}
    assert len(checksums) == len(others) + 1


@pytest.mark.usefixtures("small_parts")
def test_several_threads_read_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    together = threading.Barrier(part_checksums.THREADS_MAX)
    digest_of_part = part_checksums.digest_of_part

    def digest_together(*given: int) -> bytes:
        together.wait(WAIT_S)  # fails unless so many threads come here at the same time
        return digest_of_part(*given)

    data = bytes(8 * part_checksums.THREADS_MAX)
    monkeypatch.setattr(part_checksums, "digest_of_part", digest_together)
    assert of_file(tmp_path / "file", data) == of_pieces([data])


@pytest.mark.usefixtures("small_parts")
def test_a_file_that_was_cut_short_has_another_checksum(tmp_path: Path) -> None:
    path, data = tmp_path / "file", bytes(40)
    path.write_bytes(data[:20])
    with path.open("rb") as file:
        assert checksum_of_file(file.fileno(), len(data)) != of_pieces([data])


@pytest.mark.usefixtures("small_parts")
def test_a_file_is_checked_where_no_thread_can_be_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    data = bytes(40)
    assert of_file(tmp_path / "file", data) == of_pieces([data])
