"""Starting processes in tests, and ending each with all its descendants.

``tests/conftest.py`` fails a test that leaves a process. It also finds orphans, because the process
that runs the tests adopts them (Linux).
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
_END_SECONDS_MAX = 120.0  # only a process that hangs takes longer, on any machine
_POLL_S = 0.005


def adopt_orphans() -> None:
    """Become the parent of each descendant whose own parent ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


@contextmanager
def started(words: Sequence[str], **options: Any) -> Iterator["subprocess.Popen[Any]"]:
    """Run a command within a block, then end it and its descendants."""
    process = subprocess.Popen(words, **options)
    try:
        yield process
    finally:
        end(process)


@contextmanager
def contained() -> Iterator[None]:
    """Kill the processes that a block leaves running, such as a daemon in the background.

    Processes that were started before the block, and their descendants, are not killed.
    """
    before = living_children()
    try:
        yield
    finally:
        kill(left_since(before, seconds=0.0))


def end(process: "subprocess.Popen[Any]") -> None:
    """Kill a process and its descendants, and close the pipes to it."""
    below = descendants(process.pid) if process.poll() is None else []
    process.kill()
    process.wait()
    kill(below)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def kill(pids: Collection[int]) -> None:
    """Kill processes and wait until they have ended."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    deadline_s = time.monotonic() + _END_SECONDS_MAX
    while any(map(is_alive, pids)):
        assert time.monotonic() < deadline_s, [described(pid) for pid in pids if is_alive(pid)]
        time.sleep(_POLL_S)


def children(pid: int) -> list[int]:
    """Return the processes whose parent is ``pid``.

    Linux lists them by thread. A thread that ends hands its children to another thread, which may
    have been read already, so the lists are then read again.
    """
    while True:
        try:
            tasks = [task / "children" for task in Path(f"/proc/{pid}/task").iterdir()]
            return [int(word) for task in tasks for word in task.read_text().split()]
        except OSError:
            if not is_alive(pid):
                return []


def descendants(pid: int) -> list[int]:
    """Return the descendants of the process ``pid``."""
    return [below for child in children(pid) for below in (child, *descendants(child))]


def is_alive(pid: int) -> bool:
    """Return whether a process still runs; a zombie does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in {"Z", "X"}


def living_children() -> set[int]:
    """Return the running children of this process; reap those that have ended."""
    running = set()
    for pid in children(os.getpid()):
        if is_alive(pid):
            running.add(pid)
        else:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
    return running


def left_since(before: Collection[int], seconds: float) -> list[int]:
    """Return the descendants of this process that still run after a grace period.

    The processes ``before`` and their descendants are left out.
    """
    deadline_s = time.monotonic() + seconds
    while True:
        roots = living_children() - set(before)
        if not roots or time.monotonic() > deadline_s:
            return [pid for root in roots for pid in (root, *descendants(root))]
        time.sleep(_POLL_S)


def described(pid: int) -> str:
    """Return the command of a process, and the test that its environment names."""
    words = _read_words(pid, "cmdline")
    tests = [word for word in _read_words(pid, "environ") if word.startswith("PYTEST_CURRENT_TEST")]
    test = tests[0].partition("=")[2] if tests else "an unknown test"
    return f"{pid} ({' '.join(words)[:200]}), started in {test}"


def _read_words(pid: int, name: str) -> list[str]:
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{pid}/{name}").read_bytes().decode(errors="replace")
        return text.rstrip("\0").split("\0")
    return []


def wait_until_ended(pid: int) -> None:
    """Return once a process has ended, though perhaps nobody has waited for it yet."""
    deadline_s = time.monotonic() + _END_SECONDS_MAX
    while is_alive(pid):
        assert time.monotonic() < deadline_s, f"process {pid} does not end"
        time.sleep(_POLL_S)
