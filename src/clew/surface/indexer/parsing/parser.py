"""A parser process, as the indexer sees it."""

import subprocess
from collections import deque
from collections.abc import Sequence

from clew.engine.reading.file_slices import FileSlice, ReadingRules, SliceNotes
from clew.surface.children import spawn
from clew.surface.indexer.parsing.notes_channel import receive_notes, send

_EXIT_SECONDS_MAX = 5.0


class ParserEnded(Exception):
    """A parser ended by itself, or could not be started."""

    def __init__(self, reason: str, parser: "Parser | None") -> None:
        super().__init__(reason)
        self.reason = reason
        self.parser = parser  # None: it could not be started


class Parser:
    """A process that parses the slices sent to it, in their order."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start the process.

        Raises:
            ParserEnded: it cannot be started.
        """
        try:
            self._spawned = spawn(command)
        except OSError as error:
            raise ParserEnded(f"cannot be started: {error}", None) from error
        self._sizes: deque[int] = deque()  # in bytes, of the slices sent and not yet taken
        self.bytes_ahead = 0  # their sum

    def begin(self, rules: ReadingRules) -> None:
        """Send the rules, before any slice.

        Raises:
            ParserEnded: it has ended.
        """
        self._send(rules)

    @property
    def slices_ahead(self) -> int:
        """The number of slices that were sent and whose notes were not yet taken."""
        return len(self._sizes)

    def send(self, files: FileSlice) -> None:
        """Give the parser one more slice.

        Raises:
            ParserEnded: it has ended.
        """
        self._sizes.append(files.size_bytes)
        self.bytes_ahead += files.size_bytes
        self._send(files)

    def take(self) -> SliceNotes:
        """Wait for the notes of the first slice that was sent and not yet taken.

        Raises:
            ParserEnded: it ended before.
        """
        try:
            notes = receive_notes(self._spawned.channel)
        except ConnectionError:
            notes = None
        if notes is None:
            raise ParserEnded(self._exit_reason(), self)
        self.bytes_ahead -= self._sizes.popleft()
        return notes

    def end(self) -> None:
        """Kill the process: it holds nothing that is still needed."""
        self._spawned.channel.close()
        self._spawned.process.kill()
        self._spawned.process.wait()

    def _send(self, message: ReadingRules | FileSlice) -> None:
        try:
            send(self._spawned.channel, message)
        except ConnectionError as error:
            raise ParserEnded(self._exit_reason(), self) from error

    def _exit_reason(self) -> str:
        """Return how the process ended, now that its channel is closed."""
        try:
            status = self._spawned.process.wait(_EXIT_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            return "closed its channel"
        return f"signal {-status}" if status < 0 else f"exit status {status}"
