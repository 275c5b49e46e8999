"""The two directions of the channel to a parser process.

Slices to read are frames: short, so they fit into the buffer of the socket. Notes are long, and the
indexer may be busy for seconds. So a parser writes them to a file in memory and sends its
descriptor: it never waits for the indexer, and neither needs a thread.
"""

import os
import socket
from collections.abc import Iterator

from clew.engine.reading.file_slices import FileSlice, ReadingRules, SliceNotes
from clew.values.ipc import FrameReader, message_frame
from clew.values.packing import Unpacker, pack

ToParser = ReadingRules | FileSlice

_READ_BYTES = 64 * 1024

_unpack_to_parser: Unpacker[ToParser] = Unpacker(ToParser)
_unpack_notes: Unpacker[SliceNotes] = Unpacker(SliceNotes)


def send(channel: socket.socket, message: ToParser) -> None:
    """Send the rules, or a slice, to a parser.

    Raises:
        OSError: the parser has ended.
    """
    channel.sendall(message_frame(message))


def receive_all(channel: socket.socket) -> Iterator[ToParser]:
    """Yield what the indexer sends, until it closes the channel."""
    reader = FrameReader(_unpack_to_parser)
    while data := channel.recv(_READ_BYTES):
        for message in reader.feed(data):
            assert not isinstance(message, bytes)
            yield message


def send_notes(channel: socket.socket, notes: SliceNotes) -> None:
    """Send the notes of a slice to the indexer.

    Raises:
        OSError: the indexer has ended, or memory is short.
    """
    with open(os.memfd_create("clew notes"), "wb", buffering=0) as file:
        data = memoryview(pack(notes))
        while data:
            data = data[file.write(data) :]
        socket.send_fds(channel, [b"n"], [file.fileno()])


def receive_notes(channel: socket.socket) -> SliceNotes | None:
    """Wait for the notes of the next slice; ``None`` if the parser has ended.

    Raises:
        OSError: the parser has ended with slices that it has not received.
    """
    _, descriptors, _, _ = socket.recv_fds(channel, 1, 1, socket.MSG_CMSG_CLOEXEC)
    if not descriptors:
        return None
    with open(descriptors[0], "rb", buffering=0) as file:
        file.seek(0)
        return _unpack_notes(file.readall())
