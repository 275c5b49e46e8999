"""Limits on the memory and CPU time of the indexer, so that it does not slow other programs."""

import contextlib
import ctypes
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable

NICE = 19
MEMORY_SHARE = 0.5  # share of the machine's memory that it may use
MEMORY_BYTES_MIN = 1024 * 1024 * 1024
FILES_MAX = 1024
FILE_BYTES_MAX = 64 * 1024 * 1024 * 1024  # the index of 300,000 notes takes 3.6 GB
SLICE_CPU_SECONDS_MAX = 60  # parsing a slice takes a second or two at worst

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_PARENT_POLL_S = 1.0


def restrict(server_pid: int) -> None:
    """Bound memory and open files, disable core dumps, and end with the server."""
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, FILES_MAX)
    _limit(resource.RLIMIT_FSIZE, FILE_BYTES_MAX)
    if sys.platform == "linux":
        # RLIMIT_AS would count the mapped index too. Other systems do not enforce RLIMIT_DATA.
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        _limit(resource.RLIMIT_DATA, max(MEMORY_BYTES_MIN, int(machine * MEMORY_SHARE)))
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    else:
        # Without a thread it ends when it next uses the channel to its server.
        with contextlib.suppress(RuntimeError):
            threading.Thread(target=end_after, args=(server_pid,), daemon=True).start()
    if os.getppid() != server_pid:
        sys.exit(0)  # the server ended before the call above


def end_after(
    parent_pid: int,
    parent: Callable[[], int] = os.getppid,
    end: Callable[[int], object] = os._exit,
    sleep: Callable[[float], object] = time.sleep,
) -> None:
    """Poll until the parent has ended, then end this process, on systems without a death signal."""
    while parent() == parent_pid:
        sleep(_PARENT_POLL_S)
    end(0)


def end_with_parent() -> Callable[[], None]:
    """Return a function for a child to call before exec, so that it ends with its parent."""
    library = ctypes.CDLL(None)  # loaded before the fork, since the child must take no lock

    def ask_for_signal() -> None:
        if sys.platform == "linux":
            library.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    return ask_for_signal


def give_way(pid: int = 0) -> None:
    """Lower the priority of a process, or of this one, to the lowest."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, NICE)


def allow_cpu_for_slice() -> None:
    """Let the kernel kill this process if it uses more CPU than any slice of notes can need."""
    allow_cpu(SLICE_CPU_SECONDS_MAX)


def allow_cpu(seconds: int) -> None:
    """Let the kernel kill this process after this many more seconds of CPU time."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = int(used.ru_utime + used.ru_stime) + seconds
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    if hard != resource.RLIM_INFINITY:
        soft = min(soft, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def _limit(kind: int, bound: int) -> None:
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        bound = min(bound, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(kind, (bound, hard))
