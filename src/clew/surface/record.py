"""The record of the daemon that serves a state folder: its process and its socket.

The daemon writes it while it holds the folder's lock, and removes it at the end. A command reads it
when nothing answers at the socket that it computed: the daemon may have been started in another
environment, or the socket's file may be gone. The file is not trusted: it is read up to a bound
and validated, and it is valid only while the process that it names runs and holds the lock.

The fast path of the command line imports this module, so it imports nothing heavy.
"""

from __future__ import annotations

import os
import stat

from clew.surface.json_text import decoded, encoded
from clew.surface.paths import LOCK_FILE, RECORD_FILE, SOCKET_PATH_BYTES_MAX

RECORD_BYTES_MAX = 4096
PID_MAX = 1 << 22  # the limit of Linux
# The advice for a daemon that runs but does not answer at its socket.
UNREACHABLE = "it makes a lost socket again within a minute; end it with: {stop}"
_READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_DESCRIPTORS_MAX = 65_536


class Record:
    """One daemon: its process id, when that process started, and the path of its socket.

    ``started_ticks`` counts clock ticks since boot: a process that was given the same id later
    started at another tick.
    """

    __slots__ = ("pid", "socket", "started_ticks")

    def __init__(self, pid: int, started_ticks: int, socket: str) -> None:
        self.pid = pid
        self.started_ticks = started_ticks
        self.socket = socket


def record_of_this_process(socket: str) -> Record:
    """Return the record of a daemon in this process."""
    return Record(os.getpid(), started_ticks(os.getpid()) or 0, socket)


def encode(record: Record) -> bytes:
    """Return the bytes of the record's file."""
    # UTF-8 in every locale, since the reader may run in another one.
    path = os.fsencode(record.socket).decode("utf-8", "surrogateescape")
    fields = {"pid": record.pid, "startedTicks": record.started_ticks, "socket": path}
    return encoded(fields) + b"\n"


def decode(data: bytes) -> Record | None:
    """Return the record that a file holds, ``None`` if the file holds anything else."""
    try:
        fields = decoded(data)
        pid, ticks, socket = fields["pid"], fields["startedTicks"], fields["socket"]
        if type(pid) is not int or type(ticks) is not int or type(socket) is not str:
            return None
        path = socket.encode("utf-8", "surrogateescape")
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    is_path = path.startswith(b"/") and b"\0" not in path and len(path) <= SOCKET_PATH_BYTES_MAX
    if not is_path or not 0 < pid <= PID_MAX or ticks < 0:
        return None
    return Record(pid, ticks, os.fsdecode(path))


def read_record(state: str) -> Record | None:
    """Return the record in a state folder, whether or not its process still runs."""
    try:
        descriptor = os.open(os.path.join(state, RECORD_FILE), _READ_FLAGS)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            return None
        data = os.read(descriptor, RECORD_BYTES_MAX + 1)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return decode(data) if len(data) <= RECORD_BYTES_MAX else None


def live_record(state: str) -> Record | None:
    """Return the record in a state folder if its process runs and holds the folder's lock."""
    record = read_record(state)
    return record if record is not None and is_live(record, state) else None


def is_live(record: Record, state: str) -> bool:
    """Return whether the process of a record runs, and holds the lock of the state folder."""
    return started_ticks(record.pid) == record.started_ticks and _holds_lock(record.pid, state)


def started_ticks(pid: int) -> int | None:
    """Return when a process started, in clock ticks since boot; ``None`` if it does not run."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The program's name is in parentheses, and may contain any byte, even ")".
            fields = file.read(4096).rpartition(b")")[2].split()
        return None if fields[0] in (b"Z", b"X") else int(fields[19])
    except (OSError, ValueError, LookupError):
        return None


def _holds_lock(pid: int, state: str) -> bool:
    """Return whether a process holds the lock of the file that is now in the state folder."""
    try:
        lock = os.lstat(os.path.join(state, LOCK_FILE))
        numbers = os.listdir(f"/proc/{pid}/fd")[:_DESCRIPTORS_MAX]
    except OSError:
        return False
    return any(_is_locked(pid, number, lock) for number in numbers)


def _is_locked(pid: int, number: str, lock: os.stat_result) -> bool:
    try:
        if not os.path.samestat(os.stat(f"/proc/{pid}/fd/{number}"), lock):
            return False
        with open(f"/proc/{pid}/fdinfo/{number}", "rb") as file:
            return b"FLOCK" in file.read(4096)
    except OSError:
        return False  # the descriptor was closed after it was listed
