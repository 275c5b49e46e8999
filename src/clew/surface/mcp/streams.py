"""Lines to and from the client, over descriptors that ``poll`` has reported as ready."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LINE_BYTES_MAX = 4 * 1024 * 1024
UNWRITTEN_BYTES_MAX = 4 * 1024 * 1024  # of replies, beyond which nothing is read (back-pressure)
_READ_BYTES = 65_536
# A ready pipe takes this much without blocking (PIPE_BUF of Linux). A blocked bridge would not
# notice that its parent has ended.
_WRITE_BYTES = 4096


class Lines:
    """Splits a stream into lines, and discards the bytes of a line that is too long."""

    def __init__(self) -> None:
        self._start = bytearray()  # of the incomplete line
        self._is_skipping = False

    def feed(self, data: bytes) -> Iterator[bytes | None]:
        """Yield each line that ``data`` completes, ``None`` for one that is too long."""
        first, *following_lines = data.split(b"\n")
        if not self._is_skipping:
            self._start += first
        for next_start in following_lines:
            yield self._take()
            self._start += next_start
        if len(self._start) > LINE_BYTES_MAX:
            self._start.clear()
            self._is_skipping = True

    def end(self) -> bytes | None:
        """Return the last line if it has no line end; ``b""`` otherwise."""
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
        """Write as many bytes as are certain not to block.

        Raises:
            OSError: the client has stopped reading.
        """
        part = bytes(self._unwritten[:_WRITE_BYTES])
        del self._unwritten[: os.write(self._descriptor, part)]


def read_some(descriptor: int) -> bytes:
    """Return bytes from the client, ``b""`` at the end or after an error."""
    try:
        return os.read(descriptor, _READ_BYTES)
    except OSError:
        return b""
