"""The indexer's process as the server sees it: started, heard, asked, and started again.

When it dies, queries go on from what is known; whoever waits for an answer of it waits for the
next one.
"""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Protocol

from clew.surface.server.child.bisection import Suspicion
from clew.surface.server.child.spawning import Spawned, spawn
from clew.values import ipc

logger = logging.getLogger(__name__)

RESTART_SECONDS_MIN = 0.1
RESTART_SECONDS_MAX = 30.0
STEADY_SECONDS = 10.0  # one that lived so long is started again at once
DEATHS_BEFORE_IGNORING_STATE = 4  # in a row without publishing anything
_DOUBLINGS_MAX = 20
_READ_BYTES = 256 * 1024
_END_SECONDS_MAX = 5.0
_LOOK_AGAIN_S = 0.01


class Hearer(Protocol):
    """Whoever takes in what the indexer says."""

    def hear(self, message: ipc.FromIndexer | bytes) -> None:
        """Take in a message, or a chunk of the revision that was opened."""

    def lost(self, reason: str) -> None:
        """Take note that the indexer is gone, for now."""


class Supervisor:
    """Keeps an indexer running and carries questions to it."""

    def __init__(
        self,
        hearer: Hearer,
        brief: Callable[[bool], bytes],
        spawned: Spawned | None = None,
        spawn: Callable[[], Spawned] = spawn,
    ) -> None:
        """Prepare to keep an indexer running, the first of which may be there already.

        ``brief`` tells its settings, given whether to ignore what was saved.
        """
        self._hearer = hearer
        self._brief = brief
        self._spawned = spawned
        self._spawn = spawn
        self._suspicion = Suspicion()
        self._running: Spawned | None = None
        self._sender: _Sender | None = None
        self._tickets = 0
        self._asked: dict[int, tuple[bytes, asyncio.Future[Any]]] = {}  # frame, answer
        self._deaths_in_a_row = 0
        self._hearing = asyncio.Lock()
        self.deaths = 0

    @property
    def pid(self) -> int | None:
        """The process id of the indexer, if it runs."""
        process = self._running.process if self._running else None
        return process.pid if process and process.poll() is None else None

    async def keep(self) -> None:
        """Keep an indexer running until cancelled."""
        loop = asyncio.get_running_loop()
        try:
            while True:
                began_s = loop.time()
                reason = await self._live()
                self._suspicion.died()
                self.deaths += 1
                self._deaths_in_a_row += 1
                if loop.time() - began_s > STEADY_SECONDS:
                    self._deaths_in_a_row = 1
                logger.warning("indexer ended reason=%s", reason)
                self._hearer.lost(reason)
                doublings = min(self._deaths_in_a_row - 1, _DOUBLINGS_MAX)
                await asyncio.sleep(min(RESTART_SECONDS_MAX, RESTART_SECONDS_MIN * 2**doublings))
        finally:
            await self._end()

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Hear nothing meanwhile, so that what is known stays as it is."""
        async with self._hearing:
            yield

    async def ask(self, question: Callable[[int], object]) -> Any:
        """Return the answer to a question, made for a ticket; waits for as long as that takes."""
        self._tickets += 1
        ticket = self._tickets
        frame = ipc.message_frame(question(ticket))
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._asked[ticket] = frame, answer
        if self._sender is not None:
            self._sender.send(frame)
        try:
            return await answer
        finally:
            del self._asked[ticket]

    async def _live(self) -> str:
        """Start an indexer and hear it to its end; return how it ended."""
        try:
            spawned = self._spawned or self._spawn()
        except OSError as error:
            return f"cannot be started: {error}"
        self._spawned = None
        self._running = spawned
        spawned.channel.setblocking(False)
        self._sender = _Sender(spawned.channel)
        try:
            self._sender.send(ipc.message_frame(self._start()))
            for frame, _ in self._asked.values():
                self._sender.send(frame)
            await self._hear_all(spawned.channel)
        except (ValueError, LookupError) as error:
            spawned.process.kill()
            logger.warning("indexer not understood reason=%s", error)
        finally:
            self._sender.close()
            self._sender = None
            spawned.channel.close()
        return await _how_it_ended(spawned)

    def _start(self) -> ipc.Start:
        return ipc.Start(
            settings=self._brief(self._deaths_in_a_row >= DEATHS_BEFORE_IGNORING_STATE),
            suspects=self._suspicion.suspects,
            quarantined=self._suspicion.quarantined,
        )

    async def _hear_all(self, channel: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        frames = ipc.FrameReader(ipc.unpack_from_indexer)
        with suppress(ConnectionError):  # another way to end: it had not heard all we said
            while data := await loop.sock_recv(channel, _READ_BYTES):
                for message in frames.feed(data):
                    async with self._hearing:
                        self._hear(message)
                    # Each is a few milliseconds of work: queries come between.
                    await asyncio.sleep(0)

    def _hear(self, message: ipc.FromIndexer | bytes) -> None:
        if isinstance(message, ipc.ParsingStarted):
            self._suspicion.parsing(message.notes)
        elif isinstance(message, ipc.Reply):
            _, answer = self._asked.get(message.ticket, (b"", None))
            if answer is not None and not answer.done():
                answer.set_result(message)
        else:
            if isinstance(message, ipc.RevisionPublished):
                self._deaths_in_a_row = 0
            self._hearer.hear(message)

    async def _end(self) -> None:
        """Let the indexer end, now that nobody hears it."""
        if self._sender is not None:
            self._sender.close()
        if self._running is not None:
            await _how_it_ended(self._running)


class _Sender:
    """What is said to an indexer, apart from hearing it: its last words count though it is deaf."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._frames: asyncio.Queue[bytes] = asyncio.Queue()  # one an answer that is waited for
        self._task = asyncio.ensure_future(self._send_all())

    def send(self, frame: bytes) -> None:
        """Send a frame, soon."""
        self._frames.put_nowait(frame)

    def close(self) -> None:
        """Say no more."""
        self._task.cancel()

    async def _send_all(self) -> None:
        loop = asyncio.get_running_loop()
        with suppress(OSError):
            while True:
                await loop.sock_sendall(self._channel, await self._frames.get())


async def _how_it_ended(spawned: Spawned) -> str:
    """Return how an indexer ended that nobody hears any more; end it if it does not by itself."""
    for _ in range(round(_END_SECONDS_MAX / _LOOK_AGAIN_S)):
        status = spawned.process.poll()
        if status is not None:
            return f"signal {-status}" if status < 0 else f"exit status {status}"
        await asyncio.sleep(_LOOK_AGAIN_S)
    spawned.process.kill()
    spawned.process.wait()
    return "did not end by itself"
