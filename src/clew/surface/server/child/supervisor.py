"""Supervision of the indexer process: start it, exchange messages with it, restart it.

While no indexer runs, queries are answered from the replica. Pending requests are sent again to the
next indexer. Once in the life of a server, an indexer that read many notes may end to free its
memory; this is not counted as a death.
"""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Protocol

from clew.surface.children import Spawned
from clew.surface.server.child.bisection import CrashBisection
from clew.surface.server.child.spawning import spawn_indexer
from clew.values import ipc

logger = logging.getLogger(__name__)

RESTART_SECONDS_MIN = 0.1
RESTART_SECONDS_MAX = 30.0
STEADY_SECONDS = 10.0  # an indexer that ran longer is restarted without back-off
DEATHS_BEFORE_IGNORING_STATE = 4  # in a row, without a published revision between them
_DOUBLINGS_MAX = 20
_READ_BYTES = 256 * 1024
_EXIT_SECONDS_MAX = 5.0
_POLL_S = 0.01
_QUICK = (ipc.ParsingStarted, ipc.EditsSeen, ipc.IndexerReport)  # take too little time to yield


class MessageReceiver(Protocol):
    """Applies the indexer's messages."""

    @property
    def followed_generation(self) -> int | None:
        """What ``ipc.Start`` tells an indexer."""

    def receive(self, message: ipc.FromIndexer | bytes) -> None:
        """Apply a message, or a chunk of the revision being received."""

    def steps_left(self) -> Iterator[None]:
        """Do what the last message left to do; yield after each step of a few milliseconds."""

    def indexer_ended(self, reason: str) -> None:
        """Record that the indexer has ended; another one will be started."""


class Supervisor:
    """Keeps an indexer running, sends requests to it and returns its replies."""

    def __init__(
        self,
        receiver: MessageReceiver,
        brief: Callable[[bool], bytes],
        spawned: Spawned | None = None,
        spawn: Callable[[], Spawned] = spawn_indexer,
    ) -> None:
        """Use ``spawned``, if given, as the first indexer.

        ``brief`` returns an indexer's packed settings; its argument: whether to ignore the state.
        """
        self._receiver = receiver
        self._brief = brief
        self._spawned = spawned
        self._spawn = spawn
        self._bisection = CrashBisection()
        self._running: Spawned | None = None
        self._sender: _Sender | None = None
        self._tickets = 0
        # Ticket -> the frame of the request, and the future of its reply.
        self._pending: dict[int, tuple[bytes, asyncio.Future[Any]]] = {}
        self._deaths_in_a_row = 0
        self._unstarted_in_a_row = 0  # how many of these could not be started at all
        self._may_renew = True  # False once an indexer was renewed
        self._is_renewing = False  # whether the running indexer ends in order to be replaced
        self._generation: int | None = None  # of the revision that was started last
        self._receiving = asyncio.Lock()  # held while a message is applied
        self.deaths = 0

    @property
    def pid(self) -> int | None:
        """The process id of the indexer, if it is running."""
        process = self._running.process if self._running else None
        return process.pid if process and process.poll() is None else None

    async def keep(self) -> None:
        """Keep an indexer running until cancelled."""
        loop = asyncio.get_running_loop()
        try:
            while True:
                began_s = loop.time()
                reason = await self._run_one()
                if self._is_renewing:
                    self._is_renewing = False
                    logger.info("indexer renewed")
                    continue
                self._bisection.record_crash()
                self.deaths += 1
                self._deaths_in_a_row += 1
                if loop.time() - began_s > STEADY_SECONDS:
                    self._deaths_in_a_row, self._unstarted_in_a_row = 1, 0
                logger.warning("indexer ended reason=%s", reason)
                self._receiver.indexer_ended(reason)
                doublings = min(self._deaths_in_a_row - 1, _DOUBLINGS_MAX)
                await asyncio.sleep(min(RESTART_SECONDS_MAX, RESTART_SECONDS_MIN * 2**doublings))
        finally:
            await self._end()

    @asynccontextmanager
    async def hold_messages(self) -> AsyncIterator[None]:
        """Hold back messages within the block, so that the replica does not change."""
        async with self._receiving:
            yield

    async def ask(self, request_of_ticket: Callable[[int], object]) -> Any:
        """Send the request for a new ticket; return its reply, without a timeout."""
        self._tickets += 1
        ticket = self._tickets
        frame = ipc.message_frame(request_of_ticket(ticket))
        reply: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._pending[ticket] = frame, reply
        if self._sender is not None:
            self._sender.send(frame)
        try:
            return await reply
        finally:
            del self._pending[ticket]
            if self._sender is not None:
                self._sender.withdraw(frame)

    def tell(self, message: object) -> None:
        """Send a message that gets no reply, if an indexer is running."""
        if self._sender is not None:
            self._sender.send(ipc.message_frame(message))

    async def _run_one(self) -> str:
        """Start an indexer and receive its messages until it ends; return how it ended."""
        try:
            spawned = self._spawned or self._spawn()
        except OSError as error:
            self._unstarted_in_a_row += 1
            return f"cannot be started: {error}"
        self._spawned = None
        self._running = spawned
        spawned.channel.setblocking(False)
        self._sender = _Sender(spawned.channel)
        try:
            self._sender.send(ipc.message_frame(self._start_message()))
            for frame, _ in self._pending.values():
                self._sender.send(frame)
            await self._receive_all(spawned.channel)
        except (ValueError, LookupError) as error:
            spawned.process.kill()
            logger.warning("invalid message from the indexer reason=%s", error)
        finally:
            self._sender.close()
            self._sender = None
            spawned.channel.close()
        return await _exit_reason(spawned)

    def _start_message(self) -> ipc.Start:
        deaths = self._deaths_in_a_row - self._unstarted_in_a_row
        return ipc.Start(
            settings=self._brief(deaths >= DEATHS_BEFORE_IGNORING_STATE),
            suspects=self._bisection.suspects,
            quarantined=self._bisection.quarantined,
            may_renew=self._may_renew,
            followed_generation=self._receiver.followed_generation,
        )

    async def _receive_all(self, channel: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        frames = ipc.FrameReader(ipc.unpack_from_indexer)
        with suppress(ConnectionError):  # the indexer ended before it read all messages
            while data := await loop.sock_recv(channel, _READ_BYTES):
                for message in frames.feed(data):
                    async with self._receiving:
                        self._receive(message)
                        for _ in self._receiver.steps_left():
                            await asyncio.sleep(0)
                    if not isinstance(message, _QUICK):
                        # Applying it took a few milliseconds, so let queries run.
                        await asyncio.sleep(0)

    def _receive(self, message: ipc.FromIndexer | bytes) -> None:
        if isinstance(message, ipc.ParsingStarted):
            self._bisection.start_slice(message.notes)
        elif isinstance(message, ipc.RenewalWanted):
            self._is_renewing, self._may_renew = self._may_renew, False
            self._bisection.start_slice(())
        elif isinstance(message, ipc.Reply):
            _, reply = self._pending.get(message.ticket, (b"", None))
            if reply is not None and not reply.done():
                reply.set_result(message)
        else:
            if isinstance(message, ipc.RevisionPublished):
                self._deaths_in_a_row = self._unstarted_in_a_row = 0
            self._receiver.receive(message)
            self._acknowledge(message)

    def _acknowledge(self, message: ipc.FromIndexer | bytes) -> None:
        """Tell the indexer that a generation is mapped, or published."""
        if isinstance(message, ipc.RevisionStarted):
            self._generation = message.generation
            if message.generation is not None:
                self.tell(ipc.GenerationMapped(message.generation))
        elif isinstance(message, ipc.RevisionPublished) and self._generation is not None:
            self.tell(ipc.GenerationSeen(self._generation))

    async def _end(self) -> None:
        """Close the sender, and wait until the indexer has exited."""
        if self._sender is not None:
            self._sender.close()
        if self._running is not None:
            await _exit_reason(self._running)


class _Sender:
    """Sends frames in a task of its own, so that receiving continues if a send blocks or fails.

    An indexer that was stopped reads nothing, and may go on in a day. The pending replies bound the
    queue, since a request that is given up is withdrawn. Messages without a reply are few: each
    answers a message of the indexer, or is the same as others of its kind and queued once.
    """

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._frames: dict[bytes, None] = {}  # in the order in which they are sent
        self._has_frames = asyncio.Event()
        self._task = asyncio.ensure_future(self._send_all())

    def send(self, frame: bytes) -> None:
        """Queue a frame to be sent, unless the same one is queued."""
        self._frames[frame] = None
        self._has_frames.set()

    def withdraw(self, frame: bytes) -> None:
        """Do not send a frame, if it is still queued."""
        self._frames.pop(frame, None)

    def close(self) -> None:
        """Stop sending."""
        self._task.cancel()

    async def _send_all(self) -> None:
        loop = asyncio.get_running_loop()
        with suppress(OSError):
            while await self._has_frames.wait():
                while self._frames:
                    frame = next(iter(self._frames))
                    del self._frames[frame]
                    await loop.sock_sendall(self._channel, frame)
                self._has_frames.clear()


async def _exit_reason(spawned: Spawned) -> str:
    """Return how an indexer with a closed channel exited; kill it if it does not exit."""
    for _ in range(round(_EXIT_SECONDS_MAX / _POLL_S)):
        status = spawned.process.poll()
        if status is not None:
            return f"signal {-status}" if status < 0 else f"exit status {status}"
        await asyncio.sleep(_POLL_S)
    spawned.process.kill()
    spawned.process.wait()
    return "did not end by itself"
