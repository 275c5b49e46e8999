"""One client's connection: bytes to frames and back, within bounds.

A client that sends too much in one line is told so and dropped; one that sends half a line and
stops, or asks and never reads, is dropped after a while; one that is idle makes room for a new one.
"""

import asyncio
import logging
import os
import socket
import struct
from asyncio import transports

from clew.surface.server.answers import dispatch
from clew.surface.server.service import VaultService
from clew.values import wire
from clew.values.errors import Busy, TooLarge

logger = logging.getLogger(__name__)

WRITE_BUFFER_BYTES = 1024 * 1024
SLOW_CLIENT_S = 10.0
WAITING_FRAMES_MAX = 64

# Who makes room in a full house: first who never asked, then who has been in the middle of a line
# for a while, however often a byte of it comes, then who has been silent. Nobody is sent away who
# is being served.
HALF_LINE_S = 0.5
SILENT_S = 10.0
_NEVER_ASKED, _HALF_ASKED, _SILENT, _BUSY = range(4)
LAST_ANSWERS_S = 2.0
_LOOK_AGAIN_S = 0.01


class Connections:
    """The open connections of one daemon, at most ``most`` of them."""

    def __init__(self, service: VaultService, most: int) -> None:
        self.service = service
        self._most = most
        self._open: dict[Connection, None] = {}  # oldest first

    def new(self) -> "Connection":
        """Return a connection for a client that is about to be accepted."""
        return Connection(self)

    def admit(self, connection: "Connection") -> bool:
        """Take a new connection in, if need be in the place of one with less of a claim."""
        if len(self._open) >= self._most:
            now_s = asyncio.get_running_loop().time()
            idlest = min(self._open, key=lambda other: other.claim(now_s))
            if idlest.claim(now_s)[0] == _BUSY:
                return False
            self._open.pop(idlest)
            idlest.drop()
        self._open[connection] = None
        return True

    def forget(self, connection: "Connection") -> None:
        """Note that a connection has ended."""
        self._open.pop(connection, None)

    async def close_all(self) -> None:
        """Let every client read what it was sent, for a while, then end its connection."""
        for connection in list(self._open):
            connection.close()
        for _ in range(round(LAST_ANSWERS_S / _LOOK_AGAIN_S)):
            if not self._open:
                return
            await asyncio.sleep(_LOOK_AGAIN_S)


class Connection(asyncio.Protocol):
    """One client."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._buffer = bytearray()
        self._searched = 0  # the buffer holds no line end before this place
        self._transport: transports.Transport | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._waiting: set[asyncio.Task[None]] = set()
        self._is_paused = False  # the client does not read what it is sent
        self._hung_up = False  # the client will say no more
        self._was_served = False
        self._heard_s = asyncio.get_running_loop().time()
        self._line_began_s = self._heard_s  # the line in the buffer, if it holds some of one

    def claim(self, now_s: float) -> tuple[int, float]:
        """Return how good a claim the client has to its place: the least goes first."""
        silent_s = now_s - self._heard_s
        if self._waiting or self._is_paused:
            return _BUSY, -silent_s
        if self._buffer:
            lasting_s = now_s - self._line_began_s
            return _HALF_ASKED if lasting_s > HALF_LINE_S else _BUSY, -lasting_s
        if not self._was_served:
            return _NEVER_ASKED, -silent_s
        return _SILENT if silent_s > SILENT_S else _BUSY, -silent_s

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Admit the client, if it is this user's and there is room."""
        assert isinstance(transport, transports.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=WRITE_BUFFER_BYTES)
        if not _is_own_user(transport.get_extra_info("socket")):
            transport.abort()
        elif not self._connections.admit(self):
            error = Busy("too many clients", "close some, or try again in a second")
            transport.write(wire.encode_error(None, error) + b"\n")
            transport.close()

    def data_received(self, data: bytes) -> None:
        """Answer every whole line; keep the rest, within its bound."""
        self._heard_s = asyncio.get_running_loop().time()
        if not self._buffer:
            self._line_began_s = self._heard_s
        self._buffer += data
        self._answer_lines()

    def _answer_lines(self) -> None:
        """Answer the lines at hand for as long as the client reads what it is sent."""
        while not self._is_paused and (end := self._buffer.find(b"\n", self._searched)) >= 0:
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            self._line_began_s = self._heard_s
            self._searched = 0
            self._clear_deadline()
            if len(line) > wire.REQUEST_BYTES_MAX:
                self._refuse_long_line()
                return
            if line.strip():
                self._answer(line)
        if self._is_paused:
            return
        self._searched = len(self._buffer)
        if len(self._buffer) > wire.REQUEST_BYTES_MAX:
            self._refuse_long_line()
        elif self._hung_up:
            self._answer_last_line()
        elif self._buffer:
            self._set_deadline()

    def _answer_last_line(self) -> None:
        """Answer the line that the client ended by shutting down its side, if there is one."""
        line = bytes(self._buffer)
        self._buffer.clear()
        self._searched = 0
        self._clear_deadline()
        if line.strip():
            self._answer(line)
        if not self._is_paused:
            self._close_when_answered()

    def eof_received(self) -> bool:
        """Answer the last line, and keep the connection until all answers are sent."""
        self._hung_up = True
        self._answer_lines()
        return True

    def _close_when_answered(self) -> None:
        if not self._waiting:
            self.close()

    def _answer(self, line: bytes) -> None:
        service = self._connections.service
        frame = wire.decode_frame(line)
        if not dispatch.waits(frame):
            self._write(dispatch.answer(service, frame))
        elif len(self._waiting) >= WAITING_FRAMES_MAX:
            self._write(dispatch.refuse(frame))
        else:
            task = asyncio.ensure_future(self._answer_in_time(frame))
            self._waiting.add(task)
            task.add_done_callback(self._waiting.discard)

    async def _answer_in_time(self, frame: wire.Frame) -> None:
        self._write(await dispatch.answer_in_time(self._connections.service, frame))
        self._waiting.discard(asyncio.current_task())
        if self._hung_up:
            self._close_when_answered()

    def _write(self, line: bytes) -> None:
        self._was_served = True
        if line and self._transport is not None and not self._transport.is_closing():
            self._transport.write(line)

    def _refuse_long_line(self) -> None:
        error = TooLarge(f"a request is at most {wire.REQUEST_BYTES_MAX} bytes")
        self._write(wire.encode_error(None, error) + b"\n")
        self.close()

    def pause_writing(self) -> None:
        """Hear no more questions until the client has read its answers, or drop it."""
        self._is_paused = True
        if self._transport is not None:
            self._transport.pause_reading()
        self._clear_deadline()
        self._set_deadline()

    def resume_writing(self) -> None:
        """Listen again."""
        self._is_paused = False
        self._clear_deadline()
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()
            self._answer_lines()

    def _set_deadline(self) -> None:
        if self._deadline is None:
            loop = asyncio.get_running_loop()
            self._deadline = loop.call_later(SLOW_CLIENT_S, self.drop)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def drop(self) -> None:
        """End the connection at once, whatever was not sent yet."""
        if self._transport is not None:
            self._transport.abort()

    def close(self) -> None:
        """End the connection once what was written has been read."""
        if self._transport is not None:
            self._transport.close()

    def connection_lost(self, _: Exception | None) -> None:
        """Let go of everything the client held."""
        self._clear_deadline()
        for task in self._waiting:
            task.cancel()
        self._connections.forget(self)


def _is_own_user(peer: socket.socket) -> bool:
    """Tell whether the other end runs as this user or as root; true where the system can't tell."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return True
    size = struct.calcsize("3i")
    _, uid, _ = struct.unpack("3i", peer.getsockopt(socket.SOL_SOCKET, option, size))
    return uid in (os.getuid(), 0)
