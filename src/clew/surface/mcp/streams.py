"""Lines from the client and to it, over descriptors that ``poll`` says are ready."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LINE_BYTES_MAX = 4 * 1024 * 1024
UNWRITTEN_BYTES_MAX = 4 * 1024 * 1024  # of replies; with more, nothing is read from the client
_READ_BYTES = 65_536
# A pipe that is ready takes this much without blocking, and a blocked bridge would not see that
# its parent has ended (POSIX: PIPE_BUF of Linux).
_WRITE_BYTES = 4096


class Lines:
    """Cuts a stream into lines. Of a line that is too long, only that is kept."""

    def __init__(self) -> None:
        self._start = bytearray()  # of the line that is not complete
        self._is_skipping = False

    def feed(self, data: bytes) -> Iterator[bytes | None]:
        """Yield the lines that are complete now, ``None`` for one that was too long."""
        first, *others = data.split(b"\n")
        if not self._is_skipping:
            self._start += first
        for following in others:
            yield self._take()
            self._start += following
        if len(self._start) > LINE_BYTES_MAX:
            self._start.clear()
            self._is_skipping = True

    def end(self) -> bytes | None:
        """Return the last line, which had no line end; ``b""`` if there is none."""
        return self._take() if self._start else b""

    def _take(self) -> bytes | None:
        is_too_long = self._is_skipping or len(self._start) > LINE_BYTES_MAX
        line = bytes(self._start)
        self._start.clear()
        self._is_skipping = False
        return None if is_too_long else line


class Output:
    """Bytes that wait to be written to the client."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._unwritten = bytearray()

    def __len__(self) -> int:
        return len(self._unwritten)

    def add(self, line: bytes) -> None:
        """Append a line."""
        self._unwritten += line

    def write(self) -> None:
        """Write as much as surely does not block.

        Raises:
            OSError: the client reads no more.
        """
        part = bytes(self._unwritten[:_WRITE_BYTES])
        del self._unwritten[: os.write(self._descriptor, part)]


def read_some(descriptor: int) -> bytes:
    """Return bytes of the client, ``b""`` at the end."""
    try:
        return os.read(descriptor, _READ_BYTES)
    except OSError:
        return b""
