"""A damaged journal is read back as a prefix of its records."""

import errno
import os
import random
import shutil
import struct
import tracemalloc
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.disk.durable import DISK, Disk
from clew.disk.journal import Journal, JournalEnd, empty_journal_end, read_journal
from tests.disks import PIECE_BYTES, UNSYNCED, FailingDisk

SEED = b"the owner"
HEADER_BYTES = 36
PAYLOADS = [b"first", b"", b"third" * 9, b"third" * 9, b"\0" * 36, b"last"]

payload_lists = st.lists(st.binary(max_size=60), max_size=6)


def opened(path: Path, disk: Disk = UNSYNCED, seed: bytes = SEED) -> tuple[list[bytes], Journal]:
    payloads, end = read_journal(str(path), seed)
    return payloads, Journal(str(path), end, disk)


def read(path: Path, seed: bytes = SEED) -> list[bytes]:
    return read_journal(str(path), seed)[0]


def written(path: Path, payloads: list[bytes], seed: bytes = SEED) -> bytes:
    """Write a new journal; return its bytes."""
    path.unlink(missing_ok=True)
    path.touch()
    _, journal = opened(path, seed=seed)
    for payload in payloads:
        journal.append(payload)
    journal.close()
    return path.read_bytes()


def is_prefix(found: list[bytes], payloads: list[bytes]) -> bool:
    return found == payloads[: len(found)]


@given(payload_lists)
def test_appended_records_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, payloads: list[bytes]
) -> None:
    path = tmp_path_factory.getbasetemp() / "whole"
    data = written(path, payloads)
    found, end = read_journal(str(path), SEED)
    assert found == payloads
    assert (end.size_bytes, end.record_count) == (len(data), len(payloads))


def test_a_missing_journal_is_empty(tmp_path: Path) -> None:
    assert read_journal(str(tmp_path / "no" / "log"), SEED) == ([], empty_journal_end(SEED))
    assert empty_journal_end(SEED) == JournalEnd(0, 0, empty_journal_end(SEED).checksum)


def test_records_before_a_cut_or_a_changed_byte_are_read(tmp_path: Path) -> None:
    path = tmp_path / "log"
    data = written(path, PAYLOADS)
    ends = [0]
    for payload in PAYLOADS:
        ends.append(ends[-1] + HEADER_BYTES + len(payload))
    for place in range(len(data)):
        whole = sum(end <= place for end in ends) - 1
        for damaged in (
            data[:place],
            data[:place] + bytes(len(data) - place),
            data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :],
        ):
            path.write_bytes(damaged)
            found = read(path)
            # Replacing zeros by zeros is not damage.
            assert found == PAYLOADS[:whole] or damaged == data or is_prefix(found, PAYLOADS)
            assert len(found) >= whole
            if damaged[: ends[whole + 1]] != data[: ends[whole + 1]]:
                assert len(found) == whole


@given(payload_lists, st.integers(0, 1 << 32))
def test_a_damaged_journal_can_be_appended_to(
    tmp_path_factory: pytest.TempPathFactory, payloads: list[bytes], seed: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged"
    data = bytearray(written(path, payloads))
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 3)):
        start, end = sorted(chance.choices(range(len(data) + 1), k=2))
        piece = data[start:end]
        data[start:end] = chance.choice((b"", piece + piece, bytes(len(piece)), piece[::-1]))
    path.write_bytes(data)
    found, journal = opened(path)
    assert is_prefix(found, payloads)
    journal.append(b"more")
    journal.close()
    assert read(path) == [*found, b"more"]


def test_records_out_of_order_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "log"
    same = [b"same length %d" % n for n in range(4)]
    data = written(path, same)
    size = len(data) // 4
    records = [data[n * size : (n + 1) * size] for n in range(4)]
    for order, whole in (((0, 2, 1, 3), 1), ((1, 2, 3), 0), ((0, 0, 1), 1), ((0, 1, 3), 2)):
        path.write_bytes(b"".join(records[n] for n in order))
        assert read(path) == same[:whole]


def test_records_of_another_owner_or_history_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "log"
    ours = written(path, [b"same length 1", b"same length 2"])
    theirs = written(path, [b"same length 1", b"same length 2"], seed=b"another")
    assert read(path) == []
    path.write_bytes(ours[: len(ours) // 2] + theirs[len(ours) // 2 :])
    assert read(path) == [b"same length 1"]
    past = written(path, [b"same length 0", b"same length 2"])
    path.write_bytes(ours[: len(ours) // 2] + past[len(ours) // 2 :])
    assert read(path) == [b"same length 1"]


def test_a_false_length_costs_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "log"
    for length in (60 * 1024 * 1024, 0xFFFFFFFF, 1 << 20):
        path.write_bytes(struct.pack("<I32s", length, b"") + bytes(1000))
        tracemalloc.start()
        assert read(path) == []
        assert tracemalloc.get_traced_memory()[1] < 200_000
        tracemalloc.stop()


def test_a_record_and_a_journal_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log"
    data = written(path, [b"x" * 64, b"x" * 64])
    with path.open("ab") as file:
        file.truncate(1 << 42)
    assert read(path) == [b"x" * 64, b"x" * 64]
    monkeypatch.setattr("clew.disk.journal.RECORD_BYTES_MAX", 64)
    monkeypatch.setattr("clew.disk.journal.JOURNAL_BYTES_MAX", len(data) + HEADER_BYTES)
    _, journal = opened(path)
    journal.append(b"")
    for payload in (b"x" * 65, b""):
        with pytest.raises(OSError, match="File too large"):
            journal.append(payload)
    journal.close()
    assert read(path) == [b"x" * 64, b"x" * 64, b""]
    monkeypatch.setattr("clew.disk.journal.RECORD_BYTES_MAX", 63)
    assert read(path) == []


@pytest.mark.parametrize("lasting", [False, True])
def test_a_failed_append_is_not_read_back_but_later_ones_are(tmp_path: Path, lasting: bool) -> None:
    for at in count(1):
        path = tmp_path / "log"
        path.unlink(missing_ok=True)
        disk = FailingDisk(at, errno.ENOSPC, lasting=lasting)
        journal = Journal(str(path), empty_journal_end(SEED), disk)
        kept: list[bytes] = []
        for payload in PAYLOADS:
            try:
                journal.append(payload)
            except OSError:
                assert read(path) == kept
            else:
                kept.append(payload)
        failed = disk.has_failed
        disk.mend()
        journal.append(b"after")
        assert read(path) == [*kept, b"after"]
        journal.close()
        if not failed:
            break
        assert len(kept) < len(PAYLOADS)
    assert at > len(PAYLOADS)


def test_a_torn_record_is_truncated_before_the_next_append(tmp_path: Path) -> None:
    path = tmp_path / "log"
    disk = FailingDisk(4, errno.ENOSPC, lasting=False)
    journal = Journal(str(path), empty_journal_end(SEED), disk)
    with pytest.raises(OSError, match="No space"):
        journal.append(b"x" * 1000)
    assert path.stat().st_size == 2 * PIECE_BYTES
    journal.append(b"y")
    assert path.stat().st_size == HEADER_BYTES + 1


def test_a_failed_fsync_makes_the_journal_reject_appends(tmp_path: Path) -> None:
    path = tmp_path / "log"
    for step in ("sync", "sync_folder"):
        path.unlink(missing_ok=True)
        disk = FailingDisk(1, errno.EIO, lasting=False, steps=frozenset([step]))
        journal = Journal(str(path), empty_journal_end(SEED), disk)
        journal.sync()
        journal.append(b"one")
        for call in (journal.sync, journal.sync, lambda j=journal: j.append(b"two")):
            with pytest.raises(OSError, match="Errno 5"):
                call()
        assert read(path) == [b"one"]


def test_a_file_that_lost_records_is_not_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "log"
    data = written(path, PAYLOADS)
    _, journal = opened(path)
    for left in (data[:-1], b""):
        path.write_bytes(left)
        with pytest.raises(OSError, match="has lost records"):
            journal.append(b"more")
        assert path.read_bytes() == left


def test_other_users_files_and_special_files_are_neither_read_nor_written(tmp_path: Path) -> None:
    path = tmp_path / "log"
    data = written(tmp_path / "real", PAYLOADS)
    for kind in ("fifo", "link", "folder", "foreign"):
        if kind == "fifo":
            os.mkfifo(path)
        elif kind == "link":
            path.symlink_to(tmp_path / "real")
        elif kind == "folder":
            path.mkdir()
        elif os.geteuid() == 0:
            written(path, PAYLOADS)
            os.chown(path, 65_534, -1)
        else:
            continue
        with pytest.raises(OSError, match="Errno"):
            read(path)
        with pytest.raises(OSError, match="Errno"):
            Journal(str(path), empty_journal_end(SEED), DISK).append(b"x")
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    assert (tmp_path / "real").read_bytes() == data


def test_a_closed_journal_opens_again(tmp_path: Path) -> None:
    _, journal = opened(tmp_path / "log", DISK)
    journal.append(b"one")
    journal.sync()
    journal.close()
    journal.close()
    journal.append(b"two")
    journal.sync()
    assert read(tmp_path / "log") == [b"one", b"two"]
