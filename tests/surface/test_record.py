"""The record of a daemon: it is read as written, and invalid records are ignored."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.surface.paths import RECORD_FILE, SOCKET_PATH_BYTES_MAX
from clew.surface.private import take_lock
from clew.surface.record import (
    PID_MAX,
    RECORD_BYTES_MAX,
    Record,
    decode,
    encode,
    live_record,
    read_record,
    record_of_this_process,
    started_ticks,
)
from tests.faults.vaults import seconds_until
from tests.tables import for_each_row

paths = st.binary(max_size=SOCKET_PATH_BYTES_MAX - 1).map(
    lambda name: b"/" + name.replace(b"\0", b"/")
)
GOOD = {"pid": 7, "startedTicks": 9, "socket": "/run/clew.sock"}


@given(st.integers(1, PID_MAX), st.integers(0, 2**63), paths)
def test_a_record_is_read_as_it_was_written(pid: int, ticks: int, path: bytes) -> None:
    record = decode(encode(Record(pid, ticks, os.fsdecode(path))))
    assert record is not None
    assert (record.pid, record.started_ticks, os.fsencode(record.socket)) == (pid, ticks, path)


@given(st.binary(max_size=300))
@example(b"[" * RECORD_BYTES_MAX)
@example(b"9" * RECORD_BYTES_MAX)
@example(b"\xff\xfe{\0}\0")
def test_bytes_that_are_no_record_raise_nothing(data: bytes) -> None:
    assert decode(data) is None


WRONG = {
    "pid": [0, -1, PID_MAX + 1, True, 7.0, "7", None, []],
    "startedTicks": [-1, False, 1e300, "9", None],
    "socket": ["", "run/clew.sock", "/a\0b", "/" + "x" * 200, "/\ud800", 7, None, ["/a"]],
}


@for_each_row(("field", "value"), [(f, v) for f, vs in WRONG.items() for v in vs])
def test_a_field_out_of_range_makes_the_record_invalid(field: str, value: object) -> None:
    assert decode(json.dumps(GOOD).encode()) is not None
    assert decode(json.dumps({**GOOD, field: value}).encode()) is None


@pytest.mark.parametrize("field", GOOD)
def test_a_missing_field_makes_the_record_invalid(field: str) -> None:
    assert decode(json.dumps({k: v for k, v in GOOD.items() if k != field}).encode()) is None


def test_only_a_small_regular_file_is_read(tmp_path: Path) -> None:
    place = tmp_path / RECORD_FILE
    assert read_record(str(tmp_path)) is None
    os.mkfifo(place)  # opening it would wait for a writer
    assert read_record(str(tmp_path)) is None
    place.unlink()
    (tmp_path / "other").write_text(json.dumps(GOOD))
    place.symlink_to("other")
    assert read_record(str(tmp_path)) is None
    place.unlink()
    place.write_text(json.dumps(GOOD) + " " * RECORD_BYTES_MAX)
    assert read_record(str(tmp_path)) is None
    place.write_text(json.dumps(GOOD))
    assert read_record(str(tmp_path)) is not None


def write(folder: Path, record: Record) -> None:
    (folder / RECORD_FILE).write_bytes(encode(record))


def test_a_record_counts_while_its_process_holds_the_lock(tmp_path: Path) -> None:
    lock = take_lock(str(tmp_path / "s"))
    write(tmp_path / "s", record_of_this_process("/a"))
    assert live_record(str(tmp_path / "s")) is not None
    lock.close()
    assert live_record(str(tmp_path / "s")) is None


def test_another_process_with_the_same_id_is_not_taken_for_the_daemon(tmp_path: Path) -> None:
    lock = take_lock(str(tmp_path / "s"))
    ticks = started_ticks(os.getpid())
    assert ticks is not None
    write(tmp_path / "s", Record(os.getpid(), ticks - 1, "/a"))
    assert live_record(str(tmp_path / "s")) is None
    lock.close()


def test_a_process_that_only_has_the_lock_file_open_does_not_hold_it(tmp_path: Path) -> None:
    take_lock(str(tmp_path / "s")).close()
    write(tmp_path / "s", record_of_this_process("/a"))
    with (tmp_path / "s" / "lock").open("rb"):
        assert live_record(str(tmp_path / "s")) is None


def test_a_copy_of_a_state_folder_has_no_daemon(tmp_path: Path) -> None:
    lock = take_lock(str(tmp_path / "s"))
    take_lock(str(tmp_path / "copy")).close()
    write(tmp_path / "copy", record_of_this_process("/a"))
    assert live_record(str(tmp_path / "copy")) is None
    lock.close()


def test_a_zombie_process_does_not_count_as_running() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert started_ticks(child.pid) is not None
    child.kill()
    assert seconds_until(lambda: started_ticks(child.pid) is None, 20.0) <= 20.0
    assert Path(f"/proc/{child.pid}").exists()
    child.communicate()


def test_a_program_may_have_any_name(tmp_path: Path) -> None:
    program = tmp_path / "a) S 1 (b"
    program.symlink_to("/bin/sleep")
    with subprocess.Popen([str(program), "100"]) as child:
        took_s = seconds_until(lambda: b"(a) S" in stat_of(child.pid), 20.0)
        fields, ticks = stat_of(child.pid).rpartition(b")")[2].split(), started_ticks(child.pid)
        child.kill()
    assert took_s <= 20.0
    assert ticks == int(fields[19])


def stat_of(pid: int) -> bytes:
    return Path(f"/proc/{pid}/stat").read_bytes()
