"""The indexer's end of the channel to its server: blocking sends, non-blocking receives."""

import contextlib
import os
import select
import socket
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice

from clew.values.ipc import (
    FrameReader,
    GenerationMapped,
    ToIndexer,
    chunk_frame,
    message_frame,
    unpack_to_indexer,
)

_READ_BYTES = 64 * 1024
_BUFFERS_MAX = 1_024  # buffers sent in one call: IOV_MAX of Linux


class ServerGone(Exception):
    """The server has closed its end of the channel."""


class Link:
    """Sends messages to the server and receives its messages; other threads can wake it."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._reader = FrameReader(unpack_to_indexer)
        self._unreturned: list[ToIndexer] = []  # messages received and not yet returned
        self._mapped = 0  # the latest generation that the server has mapped
        self._sender: threading.Thread | None = None  # the running thread of ``send_on_thread``
        self._woken, self._waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def send(self, *messages: object) -> None:
        """Send messages; block until the server has received them all.

        Raises:
            ServerGone: the server has closed the channel.
        """
        if messages:
            self._send(b"".join(map(message_frame, messages)))

    def send_chunks(self, chunks: Iterable[bytes]) -> None:
        """Send the chunks of a serialized revision.

        Raises:
            ServerGone: the server has closed the channel.
        """
        for chunk in chunks:
            self._send(chunk_frame(chunk))

    def send_on_thread(self, messages: Iterable[object]) -> None:
        """Send messages on a thread, or now if none can be started; later sends wait for them."""
        self._wait_for_thread()
        frames = map(message_frame, messages)
        sender = threading.Thread(target=self._send_all, args=(frames,), daemon=True)
        try:
            sender.start()
        except RuntimeError:
            self._send_all(frames)
        else:
            self._sender = sender

    def _send_all(self, frames: Iterable[bytes]) -> None:
        """Send frames in few calls, since each call may let another thread run first.

        If the server is gone, the error is left to the next send.
        """
        waiting: deque[memoryview] = deque(memoryview(frame) for frame in frames)
        with contextlib.suppress(OSError):
            while waiting:
                sent = self._channel.sendmsg(islice(waiting, _BUFFERS_MAX))
                while waiting and sent >= len(waiting[0]):
                    sent -= len(waiting.popleft())
                if sent:
                    waiting[0] = waiting[0][sent:]

    def _wait_for_thread(self) -> None:
        if self._sender is not None:
            self._sender.join()
            self._sender = None

    def _send(self, data: bytes) -> None:
        self._wait_for_thread()
        try:
            self._channel.sendall(data)
        except OSError as error:
            raise ServerGone from error

    def wait(self, timeout_s: float) -> None:
        """Wait until a message has arrived, ``wake`` was called, or the time has passed."""
        timeout_s = 0.0 if self._unreturned else max(0.0, timeout_s)
        select.select([self._channel.fileno(), self._woken], [], [], timeout_s)
        with contextlib.suppress(BlockingIOError):
            while os.read(self._woken, _READ_BYTES):
                pass

    def wake(self) -> None:
        """End the current ``wait``, or the next one; may be called from any thread."""
        with contextlib.suppress(BlockingIOError):
            os.write(self._waker, b"w")

    def messages(self) -> Iterator[ToIndexer]:
        """Yield the messages that have arrived, without waiting.

        Raises:
            ServerGone: the server has closed the channel.
        """
        unreturned, self._unreturned = self._unreturned, []
        yield from unreturned
        while select.select([self._channel], [], [], 0)[0]:
            yield from self._receive()

    def wait_until_mapped(self, generation: int) -> None:
        """Wait until the server has mapped ``generation`` or a later one.

        Raises:
            ServerGone: the server closed the channel before.
        """
        self._wait_for_thread()
        while self._mapped < generation:
            self._unreturned += self._receive()

    def wait_for_message(self) -> ToIndexer:
        """Wait for a message and return it.

        Raises:
            ServerGone: the server closed the channel before it sent one.
        """
        while not self._unreturned:
            self._unreturned = self._receive()
        return self._unreturned.pop(0)

    def _receive(self) -> list[ToIndexer]:
        try:
            data = self._channel.recv(_READ_BYTES)
        except OSError as error:
            raise ServerGone from error
        if not data:
            raise ServerGone
        messages: list[ToIndexer] = []
        for message in self._reader.feed(data):
            if isinstance(message, GenerationMapped):
                self._mapped = max(self._mapped, message.generation)
            elif not isinstance(message, bytes):
                messages.append(message)
        return messages
