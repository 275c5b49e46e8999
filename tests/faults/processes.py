"""Facts about a daemon's processes from the system, and daemons that run as another user."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.daemons import Daemon
from tests.processes import descendants, is_alive

NOBODY = 65534
_AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
_WITHOUT_POWER = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")


def indexer_pid(running: Daemon) -> int | None:
    """Return the process id of the indexer, ``None`` if there is none."""
    watching = [pid for pid in descendants(running.pid) if watches(pid)]
    return watching[0] if watching else None


def watcher_pid(running: Daemon) -> int:
    """Return the process that watches files."""
    return indexer_pid(running) or running.pid


def watches(pid: int) -> bool:
    """Return whether a process watches files; one that has ended does not."""
    try:
        return "anon_inode:inotify" in descriptors(pid)
    except OSError:
        if is_alive(pid):
            raise
        return False


def descriptors(pid: int) -> list[str]:
    """Return the paths that the descriptors of a process refer to."""
    found = []
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found.append(str(entry.readlink()))
        except OSError:
            continue  # closed since it was listed
    return found


def rss_bytes(pid: int) -> int:
    """Return how much memory a process uses, in bytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def folder_for_all() -> Iterator[Path]:
    """Yield a folder that other users can enter too, unlike those of pytest."""
    with tempfile.TemporaryDirectory(prefix="clew-", ignore_cleanup_errors=True) as place:
        os.chmod(place, 0o755)
        yield Path(place)


def as_nobody() -> tuple[str, ...]:
    """Return the command prefix that runs a command as another user, or skip the test."""
    needs_root()
    if shutil.which("setpriv") is None:
        pytest.skip("setpriv is missing")
    if _fails(*_AS_NOBODY, sys.executable, "-c", "import socket"):
        pytest.skip("no other user can run this Python")
    return _AS_NOBODY


def bound_by_modes() -> tuple[str, ...]:
    """Return the command prefix that makes file modes apply even to root."""
    if os.getuid() != 0:
        return ()
    if shutil.which("setpriv") is None or _fails(*_WITHOUT_POWER, sys.executable, "-c", "pass"):
        pytest.skip("file modes do not bind root, and setpriv cannot have them do so")
    return _WITHOUT_POWER


def _fails(*words: str) -> bool:
    return subprocess.run(words, capture_output=True, check=False).returncode != 0


def needs_root() -> None:
    """Skip a test that only root can run."""
    if os.getuid() != 0:
        pytest.skip("only root may mount")


def mount(*words: str) -> None:
    """Mount something, or skip the test if that is refused."""
    needs_root()
    done = subprocess.run(["mount", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"mount is refused here: {done.stderr.strip()}")
