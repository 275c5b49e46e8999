"""Bridges as a client starts them: processes with pipes."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests import processes
from tests.surface.mcp.talk import called, request

INITIALIZE = request(
    "initialize", 0, protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "test"}
)


def words(*options: str | Path) -> list[str]:
    return [sys.executable, "-m", "clew", "mcp", *map(str, options)]


class Bridge:
    """A bridge and the pipes to it."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process

    def send(self, value: Any) -> None:
        self.write(json.dumps(value).encode() + b"\n")

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def receive(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def ask(self, value: Any) -> Any:
        self.send(value)
        return self.receive()

    def call(self, tool: str, request_id: int = 1, **arguments: Any) -> tuple[bool, str]:
        """Return whether a tool failed, and its text."""
        result = self.ask(called(tool, request_id, **arguments))["result"]
        return result["isError"], result["content"][0]["text"]


@contextmanager
def bridge(*options: str | Path, env: dict[str, str] | None = None) -> Iterator[Bridge]:
    """Start a bridge; kill it and its children at the end of the block."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with processes.started(words(*options), env=env, **pipes) as process:
        yield Bridge(process)


def private_kb(pid: int) -> int:
    """Return the memory that only this process has, in KiB."""
    rows = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(row.split()[1]) for row in rows if row.startswith("Private_"))


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process, at a finer grain than the clock ticks of ``times``."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def open_pipe() -> tuple[int, int]:
    """Return the two ends of a pipe that children inherit."""
    ends = os.pipe()
    for end in ends:
        os.set_inheritable(end, True)
    return ends
