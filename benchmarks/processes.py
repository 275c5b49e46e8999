"""Memory and CPU time of a process and all its descendants (Linux)."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_SAMPLES_PAUSE_S = 0.1
_PAUSE_SHARE = 20.0  # a pause is so many times as long as the sample before it, or longer


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory in MB: shared pages are divided among those who map them, and the private part.

    ``anonymous_mb`` is the part that no file holds, so that the system cannot take it back.
    """

    pss_mb: float
    private_mb: float
    anonymous_mb: float = 0.0


@dataclass(slots=True)
class Usage:
    """What a process and its descendants used while they were watched."""

    peak_pss_mb: float = 0.0
    peak_by_command: dict[str, float] = field(default_factory=dict)  # at the moment of the peak
    cpu_s_by_pid: dict[int, float] = field(default_factory=dict)

    @property
    def cpu_s(self) -> float:
        """The CPU time of all processes seen, from the start of each to its last sample."""
        return sum(self.cpu_s_by_pid.values())


def tree(pid: int) -> list[int]:
    """Return the process and its descendants."""
    found = [pid]
    for each in found:
        try:
            for task in os.listdir(f"/proc/{each}/task"):
                with open(f"/proc/{each}/task/{task}/children", encoding="ascii") as file:
                    found += map(int, file.read().split())
        except OSError:
            continue  # it has ended
    return found


def memory(pid: int, *, alone: bool = False) -> Memory:
    """Return the memory of the process and its descendants, or of the process alone."""
    rows = [_smaps(each) for each in ([pid] if alone else tree(pid))]
    return Memory(
        sum(row.get("Pss", 0.0) for row in rows),
        sum(row.get("Private_Clean", 0.0) + row.get("Private_Dirty", 0.0) for row in rows),
        sum(row.get("Anonymous", 0.0) for row in rows),
    )


@contextmanager
def watched(pid: int) -> Iterator[Usage]:
    """Sample the process and its descendants as long as the context lasts.

    Ten times a second, or less often if that would take a noticeable share of a processor: the
    kernel reads the page tables of each process, which takes milliseconds for a gigabyte.
    """
    usage, is_over = Usage(), threading.Event()

    def sample() -> None:
        while not is_over.is_set():
            began_s = time.perf_counter()
            _add_sample(usage, pid)
            took_s = time.perf_counter() - began_s
            time.sleep(max(_SAMPLES_PAUSE_S, _PAUSE_SHARE * took_s))

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield usage
    finally:
        is_over.set()
        thread.join()


def tree_cpu_s(pid: int) -> float:
    """Return the CPU seconds of the process, its descendants, and those that have ended."""
    return sum(_cpu_s(each, with_ended=True) for each in tree(pid))


def _add_sample(usage: Usage, pid: int) -> None:
    by_command: dict[str, float] = {}
    for each in tree(pid):
        usage.cpu_s_by_pid[each] = max(usage.cpu_s_by_pid.get(each, 0.0), _cpu_s(each))
        command = f"{_command(each)} {each}"
        by_command[command] = _smaps(each).get("Pss", 0.0)
    if sum(by_command.values()) > usage.peak_pss_mb:
        usage.peak_pss_mb, usage.peak_by_command = sum(by_command.values()), by_command


def _smaps(pid: int) -> dict[str, float]:
    """Return the sizes in MB that the kernel reports for a process; empty if it has ended."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
            rows = [line.split() for line in file.readlines()[1:]]
    except OSError:
        return {}
    return {row[0].rstrip(":"): int(row[1]) / 1024 for row in rows}


def _command(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return "?"
    return next((word.decode() for word in words if word.startswith(b"clew")), "?")


def _cpu_s(pid: int, *, with_ended: bool = False) -> float:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11 : 15 if with_ended else 13])) / _TICKS_PER_S
