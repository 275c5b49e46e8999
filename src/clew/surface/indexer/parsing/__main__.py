"""Entry point of a parser process; its standard input is the channel to the indexer."""

import contextlib
import os
import socket
import sys

from clew.engine.reading.file_slices import FileSlice, ReadingRules, load_slice, parse_slice
from clew.engine.reading.gc_pause import collector_paused
from clew.surface.indexer.limits import allow_cpu_for_slice, give_way, restrict
from clew.surface.indexer.parsing.notes_channel import receive_all, send_notes
from clew.surface.logs import log_to_stderr


def main(parent_pid: int) -> int:
    """Read, parse and send the notes of each slice; end when the indexer closes the channel."""
    log_to_stderr(0)
    restrict(parent_pid)
    give_way()
    with contextlib.suppress(ConnectionError):  # the indexer has ended
        _read_slices(socket.socket(fileno=os.dup(0)))
    return 0


def _read_slices(channel: socket.socket) -> None:
    messages = receive_all(channel)
    rules = next(messages)
    assert isinstance(rules, ReadingRules)
    for files in messages:
        assert isinstance(files, FileSlice)
        allow_cpu_for_slice()
        with collector_paused(len(files.paths)):  # collections would take a twentieth of the time
            send_notes(channel, parse_slice(load_slice(rules, files)))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
