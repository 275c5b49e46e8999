"""Run one job at a time in a child process of the indexer, and queue its result."""

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Generic, TypeVar

from clew.surface.allocator import return_large_blocks
from clew.surface.indexer.limits import allow_cpu, give_way, restrict
from clew.surface.logs import log_to_stderr

REST_SHARE = 4.0  # the pause after a job, as a multiple of its duration

T = TypeVar("T")


def enter_child(parent_pid: int, cpu_seconds_max: int) -> None:
    """Prepare the child for its job: it ends with its parent, and has the lowest priority."""
    restrict(parent_pid)
    give_way()
    return_large_blocks()
    allow_cpu(cpu_seconds_max)
    log_to_stderr(0)


def write_result(result: bytes) -> None:
    """Write the result of a job to stdout, in the child; do nothing if the parent has ended."""
    waiting = memoryview(result)
    with contextlib.suppress(BrokenPipeError):
        while waiting:
            waiting = waiting[os.write(1, waiting) :]


class ChildProcess(Generic[T]):
    """Runs one job at a time on a thread of its own; ``take`` returns the result or the failure.

    ``whose``: the possessive before "process" in failures, such as "their".
    """

    def __init__(
        self,
        command: Sequence[str],
        seconds_max: float,
        unpack: Callable[[bytes], T],
        wake: Callable[[], None],
        whose: str,
    ) -> None:
        self._command = command
        self._seconds_max = seconds_max
        self._unpack = unpack
        self._wake = wake
        self._whose = whose
        self._results: SimpleQueue[T | str] = SimpleQueue()  # a string is a failure

    def start(self, job: bytes) -> None:
        """Run a job; ``wake`` is called when its result can be taken."""
        try:
            threading.Thread(target=self._run, args=(job,), daemon=True).start()
        except RuntimeError as error:  # the system starts no thread
            self._results.put(str(error))
            self._wake()

    def take(self) -> T | str | None:
        """Return the result of the job, or its failure as text; ``None`` while it runs."""
        return None if self._results.empty() else self._results.get()

    def _run(self, job: bytes) -> None:
        result: T | str = f"{self._whose} process said nothing"
        try:
            process = subprocess.run(
                [*self._command, str(os.getpid())],
                input=job,
                stdout=subprocess.PIPE,
                timeout=self._seconds_max,
                check=False,
            )
            result = self._failure_of(process.returncode) or self._unpack(process.stdout)
        except subprocess.TimeoutExpired:
            result = f"{self._whose} process took longer than {self._seconds_max:.0f} s"
        except (OSError, ValueError) as error:
            result = str(error)
        finally:
            self._results.put(result)
            self._wake()

    def _failure_of(self, status: int) -> str:
        """Describe an exit status in words; return "" for status 0."""
        if status == -signal.SIGXCPU:
            return f"{self._whose} process was at its bound of CPU time"
        if status < 0:
            return f"{self._whose} process ended by signal {-status}"
        if status:
            return f"{self._whose} process ended with status {status}; the log says more"
        return ""
