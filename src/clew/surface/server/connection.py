"""Client connections: split bytes into requests, and write replies, within bounds.

The requests of a connection are answered one by one in their order. Connections take turns, each
with one call or one slice of a long call. While ``WAITING_LINES_MAX`` requests of a client wait,
nothing more is read from it (back-pressure).

A client may shut down its sending side and read the replies to what it sent. One that has closed
its socket wholly can read none, so what it asked is given up. Notifications before its first
request are carried out: they have no reply whose sending would fail.

A client that sends too long a line gets an error and is dropped. A client that stops in the middle
of a line, or does not read its replies, is dropped after a timeout. When there are too many
clients, an idle one is evicted for a new one.
"""

import asyncio
import os
import socket
from asyncio import transports
from collections import deque

from clew.surface.peers import peer_uid
from clew.surface.server.answers import dispatch
from clew.surface.server.feed import Feed
from clew.surface.server.service import VaultService
from clew.values import wire
from clew.values.errors import Busy, TooLarge

WRITE_BUFFER_BYTES = 1024 * 1024
SLOW_CLIENT_S = 10.0
WAITING_LINES_MAX = 64

# Eviction priorities, the first evicted first: clients without a request for HALF_LINE_S, clients
# in the middle of a line for as long (even if bytes keep coming), clients silent for SILENT_S,
# silent clients with a subscription, and new clients. Busy clients are never evicted.
HALF_LINE_S = 0.5
SILENT_S = 10.0
_NO_REQUEST, _HALF_LINE, _SILENT, _SUBSCRIBED, _NEW, _BUSY = range(6)
LAST_REQUESTS_S = 5.0  # for running requests to be answered when the daemon stops
LAST_REPLIES_S = 2.0  # for clients to read their replies when the daemon stops
_POLL_S = 0.01
GONE_CHECK_S = 0.25  # between two checks whether a client that sends no more reads no more either


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

    def notify(self) -> None:
        """Notify all subscribed clients of changes."""
        for connection in list(self._open):
            connection.notify()

    async def close_all(self) -> None:
        """Close all connections, each after its running request and after its replies are read.

        Requests have ``LAST_REQUESTS_S`` to end, clients ``LAST_REPLIES_S`` to read their replies.
        """
        for connection in list(self._open):
            connection.end()
        for _ in range(round(LAST_REQUESTS_S / _POLL_S)):
            if not any(connection.is_answering for connection in self._open):
                break
            await asyncio.sleep(_POLL_S)
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
        self._lines: deque[bytes] = deque()  # queued requests
        self._queued_bytes = 0  # the total length of ``_lines``
        self._running_line = b""  # the request that is being answered
        self._refuses_more = False  # a line was too long, so later lines are not answered
        self._answering: asyncio.Future[None] | None = None  # the task that answers ``_lines``
        self._is_paused = False  # the client does not read its replies
        self._feed = Feed()
        self._is_notifying = False  # a notification is being written
        self._is_behind = False  # the client has read its replies, but not its notifications
        self._has_eof = False  # the client shut down its sending side
        self._is_ending = False  # the daemon stops, so only the running request is answered
        self._has_reply = False
        self._received_s = asyncio.get_running_loop().time()
        self._line_began_s = self._received_s  # when the unfinished line in the buffer began

    def eviction_priority(self, now_s: float) -> tuple[int, float]:
        """Return the eviction priority of this client; the lowest is evicted first."""
        silent_s = now_s - self._received_s
        if self._answering is not None or (self._is_paused and not self._is_behind):
            return _BUSY, -silent_s
        if self._buffer:
            line_age_s = now_s - self._line_began_s
            return _HALF_LINE if line_age_s > HALF_LINE_S else _BUSY, -line_age_s
        if not self._has_reply:
            return _NO_REQUEST if silent_s > HALF_LINE_S else _NEW, -silent_s
        if silent_s <= SILENT_S:
            return _BUSY, -silent_s
        return _SUBSCRIBED if self._feed.is_on else _SILENT, -silent_s

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
        """Queue every whole line; buffer the unfinished one, within its bound."""
        self._received_s = asyncio.get_running_loop().time()
        if not self._buffer:
            self._line_began_s = self._received_s
        self._buffer += data
        self._go_on()

    def _go_on(self) -> None:
        """Queue as many lines as fit, and answer them unless the client is slow to read replies."""
        has_room = self._queue_lines()
        self._adjust_reading(has_room=has_room)
        if self._is_paused or self._answering is not None:
            return
        if self._lines:
            self._answering = asyncio.ensure_future(self._answer_lines())
        elif self._has_eof:
            self.close()

    def _queue_lines(self) -> bool:
        """Move whole lines from the buffer to the queue; return whether there is room for more."""
        while self._has_room and (end := self._buffer.find(b"\n", self._searched)) >= 0:
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            self._line_began_s = self._received_s
            self._searched = 0
            self._clear_deadline()
            self._queue(line)
        if not self._has_room:
            return False
        self._searched = len(self._buffer)
        if self._has_eof or len(self._buffer) > wire.REQUEST_BYTES_MAX:
            line, self._searched = bytes(self._buffer), 0
            self._buffer.clear()
            self._queue(line)  # the last line, without a line end, or a line that is too long
        return self._has_room

    @property
    def _has_room(self) -> bool:
        return (
            len(self._lines) < WAITING_LINES_MAX
            and self._queued_bytes <= wire.REQUEST_BYTES_MAX
            and not self._refuses_more
        )

    def _queue(self, line: bytes) -> None:
        self._refuses_more = len(line) > wire.REQUEST_BYTES_MAX
        if self._refuses_more or line.strip():
            self._lines.append(line)
            self._queued_bytes += len(line)

    def _adjust_reading(self, *, has_room: bool) -> None:
        """Read only while requests can be queued; set the deadline for a slow client."""
        if self._transport is None or self._transport.is_closing():
            return
        if not self._has_eof:
            if has_room and not self._is_paused:
                self._transport.resume_reading()
            else:
                self._transport.pause_reading()
        if self._is_behind:
            self._clear_deadline()  # it may read late: the next notification covers all changes
        elif self._is_paused or (has_room and self._buffer):
            self._set_deadline()
        else:
            self._clear_deadline()

    async def _answer_lines(self) -> None:
        """Answer queued lines in their order; yield to other connections after each."""
        while self._lines and not self._is_paused:
            line = self._lines.popleft()
            self._queued_bytes -= len(line)
            if len(line) > wire.REQUEST_BYTES_MAX:
                self._refuse_long_line()
                break
            frame, self._running_line = wire.decode_frame(line), line
            self._write(await dispatch.answer(self._connections.service, frame, self._feed))
            self._feed.begin()
            self.notify()
            self._adjust_reading(has_room=self._queue_lines())
            await asyncio.sleep(0)
        self._answering, self._running_line = None, b""
        if self._is_ending:
            self.close()
        else:
            self._go_on()

    def eof_received(self) -> bool:
        """Queue the last line; return true, so that the connection stays open for the replies."""
        self._has_eof = True
        self._go_on()
        self._check_again_if_gone()
        return True

    def _check_again_if_gone(self) -> None:
        asyncio.get_running_loop().call_later(GONE_CHECK_S, self._drop_if_gone)

    def _drop_if_gone(self) -> None:
        """Drop a client that has closed its socket, once the running request is for a reply."""
        if self._transport is None or self._transport.is_closing():
            return
        has_closed = _has_closed(self._transport.get_extra_info("socket"))
        if has_closed and not _has_notification(self._running_line):
            self.drop()
        else:
            self._check_again_if_gone()

    def _write(self, line: bytes) -> None:
        self._has_reply = True
        if line and self._transport is not None and not self._transport.is_closing():
            self._transport.write(line)

    def notify(self) -> None:
        """Notify a subscribed client of changes, unless its write buffer is full."""
        if self._is_paused or self._transport is None or self._transport.is_closing():
            return
        if line := self._feed.notification():
            self._is_notifying = True
            self._transport.write(line)
            self._is_notifying = False

    def _refuse_long_line(self) -> None:
        message = f"a request is at most {wire.REQUEST_BYTES_MAX} bytes"
        error = TooLarge(message, "the connection is closed: connect again, and send less at once")
        self._write(wire.encode_error(None, error) + b"\n")
        self.close()

    def pause_writing(self) -> None:
        """Stop answering until the client has read its replies; drop it if it does not read.

        A client with only unread notifications is not dropped.
        """
        self._is_paused, self._is_behind = True, self._is_notifying
        self._clear_deadline()
        self._adjust_reading(has_room=False)

    def resume_writing(self) -> None:
        """Resume answering, since the client has read its replies."""
        self._is_paused = self._is_behind = False
        self._clear_deadline()
        self.notify()
        self._go_on()

    def _set_deadline(self) -> None:
        if self._deadline is None:
            loop = asyncio.get_running_loop()
            self._deadline = loop.call_later(SLOW_CLIENT_S, self.drop)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    @property
    def is_answering(self) -> bool:
        """Whether a request of the client is being answered."""
        return self._answering is not None

    def end(self) -> None:
        """Close the connection after the running request; answer no further one."""
        self._is_ending = self._refuses_more = True
        self._lines.clear()
        if self._answering is None:
            self.close()

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
        if self._answering is not None:
            self._answering.cancel()
        self._connections.forget(self)


def _is_own_user(peer: socket.socket) -> bool:
    """Return whether the kernel reports that the client runs as this user or root."""
    return peer_uid(peer) in (os.getuid(), 0)


def _has_closed(client: socket.socket) -> bool:
    """Return whether a client has closed its socket, so that it cannot read replies either.

    Then sending fails, even if nothing is sent; it works after a client shut down its sending side.
    Polling for a hang-up would not tell both apart on every system.
    """
    try:
        with client.dup() as copy:  # asyncio gives out its own socket without ``send``
            copy.send(b"")
    except OSError as error:
        return isinstance(error, ConnectionError)
    return False


def _has_notification(line: bytes) -> bool:
    """Return whether a line has calls without a reply, which are of use without a client too."""
    calls = [part for part in wire.decode_frame(line).parts if isinstance(part, wire.Call)]
    return not all(call.expects_reply for call in calls)
