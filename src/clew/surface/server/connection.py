"""Client connections: bytes to frames and replies to bytes, within bounds.

A client that sends too long a line gets an error and is dropped. A client that stops in the middle
of a line, or does not read its replies, is dropped after a timeout. When there are too many
clients, an idle one is evicted for a new one.
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

# Eviction priorities, in order: clients that never sent a request, clients in the middle of a line
# for HALF_LINE_S (even if bytes of it keep coming), clients silent for SILENT_S. Busy clients are
# never evicted.
HALF_LINE_S = 0.5
SILENT_S = 10.0
_NO_REQUEST, _HALF_LINE, _SILENT, _BUSY = range(4)
LAST_REPLIES_S = 2.0  # for clients to read their replies when the daemon stops
_POLL_S = 0.01


class Connections:
    """The open connections of one daemon."""

    def __init__(self, service: VaultService, max_clients: int) -> None:
        self.service = service
        self._max_clients = max_clients
        self._open: dict[Connection, None] = {}  # oldest first

    def new(self) -> "Connection":
        """Return the connection of a client that is being accepted."""
        return Connection(self)

    def admit(self, connection: "Connection") -> bool:
        """Admit a new connection, evicting another if necessary; return whether this worked."""
        if len(self._open) >= self._max_clients:
            now_s = asyncio.get_running_loop().time()
            idlest = min(self._open, key=lambda other: other.eviction_priority(now_s))
            if idlest.eviction_priority(now_s)[0] == _BUSY:
                return False
            self._open.pop(idlest)
            idlest.drop()
        self._open[connection] = None
        return True

    def forget(self, connection: "Connection") -> None:
        """Remove a connection that has ended."""
        self._open.pop(connection, None)

    async def close_all(self) -> None:
        """Close all connections; wait ``LAST_REPLIES_S`` for clients to read their replies."""
        for connection in list(self._open):
            connection.close()
        for _ in range(round(LAST_REPLIES_S / _POLL_S)):
            if not self._open:
                return
            await asyncio.sleep(_POLL_S)


class Connection(asyncio.Protocol):
    """The connection of one client."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._buffer = bytearray()
        self._searched = 0  # the buffer has no line end before this index
        self._transport: transports.Transport | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._waiting: set[asyncio.Task[None]] = set()
        self._is_paused = False  # the client does not read its replies
        self._has_eof = False  # the client shut down its sending side
        self._has_reply = False
        self._received_s = asyncio.get_running_loop().time()
        self._line_began_s = self._received_s  # when the unfinished line in the buffer began

    def eviction_priority(self, now_s: float) -> tuple[int, float]:
        """Return the eviction priority of this client; the lowest is evicted first."""
        silent_s = now_s - self._received_s
        if self._waiting or self._is_paused:
            return _BUSY, -silent_s
        if self._buffer:
            line_age_s = now_s - self._line_began_s
            return _HALF_LINE if line_age_s > HALF_LINE_S else _BUSY, -line_age_s
        if not self._has_reply:
            return _NO_REQUEST, -silent_s
        return _SILENT if silent_s > SILENT_S else _BUSY, -silent_s

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Admit the client if it runs as this user and there are not too many."""
        assert isinstance(transport, transports.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=WRITE_BUFFER_BYTES)
        if not _is_own_user(transport.get_extra_info("socket")):
            transport.abort()
        elif not self._connections.admit(self):
            error = Busy("too many clients are connected", "close some, or try again in a second")
            transport.write(wire.encode_error(None, error) + b"\n")
            transport.close()

    def data_received(self, data: bytes) -> None:
        """Answer every whole line; buffer the unfinished one, within its bound."""
        self._received_s = asyncio.get_running_loop().time()
        if not self._buffer:
            self._line_began_s = self._received_s
        self._buffer += data
        self._answer_lines()

    def _answer_lines(self) -> None:
        """Answer the buffered lines while the client reads its replies."""
        while not self._is_paused and (end := self._buffer.find(b"\n", self._searched)) >= 0:
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            self._line_began_s = self._received_s
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
        elif self._has_eof:
            self._answer_last_line()
        elif self._buffer:
            self._set_deadline()

    def _answer_last_line(self) -> None:
        """Answer a last line that the client ended by EOF instead of a line end."""
        line = bytes(self._buffer)
        self._buffer.clear()
        self._searched = 0
        self._clear_deadline()
        if line.strip():
            self._answer(line)
        if not self._is_paused:
            self._close_if_answered()

    def eof_received(self) -> bool:
        """Answer the last line; keep the connection until all replies are sent."""
        self._has_eof = True
        self._answer_lines()
        return True

    def _close_if_answered(self) -> None:
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
        if self._has_eof:
            self._close_if_answered()

    def _write(self, line: bytes) -> None:
        self._has_reply = True
        if line and self._transport is not None and not self._transport.is_closing():
            self._transport.write(line)

    def _refuse_long_line(self) -> None:
        error = TooLarge(f"a request is at most {wire.REQUEST_BYTES_MAX} bytes")
        self._write(wire.encode_error(None, error) + b"\n")
        self.close()

    def pause_writing(self) -> None:
        """Read no more requests until the client has read its replies; drop it if it does not."""
        self._is_paused = True
        if self._transport is not None:
            self._transport.pause_reading()
        self._clear_deadline()
        self._set_deadline()

    def resume_writing(self) -> None:
        """Read requests again, now that replies can be written."""
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
        """Abort the connection; discard unsent replies."""
        if self._transport is not None:
            self._transport.abort()

    def close(self) -> None:
        """Close the connection once all replies are sent."""
        if self._transport is not None:
            self._transport.close()

    def connection_lost(self, _: Exception | None) -> None:
        """Cancel the client's requests and remove its connection."""
        self._clear_deadline()
        for task in self._waiting:
            task.cancel()
        self._connections.forget(self)


def _is_own_user(peer: socket.socket) -> bool:
    """Return whether the client runs as this user or root; true if the system cannot tell."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return True
    size = struct.calcsize("3i")
    _, uid, _ = struct.unpack("3i", peer.getsockopt(socket.SOL_SOCKET, option, size))
    return uid in (os.getuid(), 0)
