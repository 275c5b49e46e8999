"""The indexer's end of the channel to its server: plain blocking sends, reads that never wait."""

import contextlib
import os
import select
import socket
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from clew.values.ipc import (
    FrameReader,
    ToIndexer,
    chunk_frame,
    chunk_header,
    message_frame,
    unpack_to_indexer,
)

_READ_BYTES = 64 * 1024
_BUFFERS_MAX = 1_024  # in one call: IOV_MAX of Linux


class ServerGone(Exception):
    """Nobody is at the other end any more."""


class Link:
    """Sends to the server, hears from it, and can be woken from other threads."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._reader = FrameReader(unpack_to_indexer)
        self._early: list[ToIndexer] = []  # heard, and not yet asked for
        self._behind: threading.Thread | None = None  # sends what ``send_behind`` was given
        self._woken, self._waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def send(self, *messages: object) -> None:
        """Send messages, however long the server takes to hear them.

        Raises:
            ServerGone: it will hear no more.
        """
        self._send(b"".join(map(message_frame, messages)))

    def send_chunks(self, chunks: Iterable[bytes]) -> None:
        """Send the chunks of a sealed revision.

        Raises:
            ServerGone: the server will hear no more.
        """
        for chunk in chunks:
            self._send(chunk_frame(chunk))

    def send_behind(self, chunks: Iterable[memoryview], messages: Iterable[object]) -> None:
        """Send chunks and then messages while the caller goes on; all else is sent after them."""
        self._wait_behind()
        frames = chain(
            chain.from_iterable((chunk_header(len(chunk)), chunk) for chunk in chunks),
            map(message_frame, messages),
        )
        self._behind = threading.Thread(target=self._send_all, args=(frames,), daemon=True)
        self._behind.start()

    def _send_all(self, frames: Iterable[bytes | memoryview]) -> None:
        """Send frames in as few calls as can be: between two, another thread has the interpreter.

        If the server is gone, whoever sends next finds that too.
        """
        waiting: deque[memoryview] = deque(memoryview(frame) for frame in frames)
        with contextlib.suppress(OSError):
            while waiting:
                sent = self._channel.sendmsg(islice(waiting, _BUFFERS_MAX))
                while waiting and sent >= len(waiting[0]):
                    sent -= len(waiting.popleft())
                if sent:
                    waiting[0] = waiting[0][sent:]

    def _wait_behind(self) -> None:
        if self._behind is not None:
            self._behind.join()
            self._behind = None

    def _send(self, data: bytes) -> None:
        self._wait_behind()
        try:
            self._channel.sendall(data)
        except OSError as error:
            raise ServerGone from error

    def wait(self, timeout_s: float) -> None:
        """Return when something was heard, someone called ``wake``, or the time is over."""
        timeout_s = 0.0 if self._early else max(0.0, timeout_s)
        select.select([self._channel.fileno(), self._woken], [], [], timeout_s)
        with contextlib.suppress(BlockingIOError):
            while os.read(self._woken, _READ_BYTES):
                pass

    def wake(self) -> None:
        """End the present or the next ``wait``; may be called from any thread."""
        with contextlib.suppress(BlockingIOError):
            os.write(self._waker, b"w")

    def heard(self) -> Iterator[ToIndexer]:
        """Yield the messages that have come, without waiting for any.

        Raises:
            ServerGone: there will be no more.
        """
        early, self._early = self._early, []
        yield from early
        while select.select([self._channel], [], [], 0)[0]:
            yield from self._receive()

    def first(self) -> ToIndexer:
        """Wait for a message and return it.

        Raises:
            ServerGone: there will be none.
        """
        while not self._early:
            self._early = self._receive()
        return self._early.pop(0)

    def _receive(self) -> list[ToIndexer]:
        try:
            data = self._channel.recv(_READ_BYTES)
        except OSError as error:
            raise ServerGone from error
        if not data:
            raise ServerGone
        messages = list(self._reader.feed(data))
        return [message for message in messages if not isinstance(message, bytes)]
