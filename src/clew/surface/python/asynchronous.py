"""Asyncio conversations: other tasks run while a step waits."""

import asyncio
import socket
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import suppress
from typing import TypeVar

from clew.surface.client import Refused
from clew.surface.python.address import Address, check_user, has_ended, new_socket
from clew.surface.python.conversation import (
    LAST_REFUSALS,
    RECEIVED_BYTES_MAX,
    Conversation,
    Open,
    Pause,
    Receive,
    Send,
    Step,
    Steps,
    lost,
)

T = TypeVar("T")
E = TypeVar("E")


class Connection:
    """A connection that is opened when a step needs it, for one event loop."""

    def __init__(self, address: Address) -> None:
        self.conversation = Conversation(time.monotonic)
        self._address = address
        self._path = ""
        self._peer: socket.socket | None = None

    async def result(self, steps: Steps[T]) -> T:
        """Carry out all steps and return their result."""
        results: list[T] = []

        def keep_result() -> Generator[Step, bytes, None]:
            results.append((yield from steps))

        async for _ in self.events(keep_result()):
            raise AssertionError("a step is no event")
        return results[0]

    async def events(self, steps: Generator[Step | E, bytes, None]) -> AsyncGenerator[E, None]:
        """Carry out the steps, and yield all other values of the generator."""
        try:
            step = next(steps)
            while True:
                if not isinstance(step, Step):
                    yield step
                    step = next(steps)
                    continue
                try:
                    data = await self._carry_out(step)
                except OSError as error:
                    self.close()
                    step = steps.throw(lost(error, self._path))
                else:
                    step = steps.send(data)
        except StopIteration:
            return
        except Refused as refused:
            if refused.code in LAST_REFUSALS:
                self.close()
            raise  # after any other refusal the connection stays usable
        except BaseException:
            self.close()
            raise

    async def _carry_out(self, step: Step) -> bytes:
        loop = asyncio.get_running_loop()
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
        elif isinstance(step, Open):
            await self._open(loop)
        elif isinstance(step, Send):
            with suppress(BrokenPipeError, ConnectionResetError):  # a reply may give the reason
                async with _until(step.until_s):
                    await loop.sock_sendall(self._ready(), step.data)
        else:
            return await self._received(loop, step)
        return b""

    async def _open(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._peer is not None and has_ended(self._peer):
            self.close()
        paths = [] if self._peer else list(self._address.paths())
        for path in paths:
            self._path, peer = path, new_socket()
            peer.setblocking(False)
            try:
                await loop.sock_connect(peer, path)
                check_user(peer, path)
            except BaseException as error:
                peer.close()
                if path == paths[-1] or not isinstance(error, OSError):
                    raise
            else:
                self._peer = peer
                return

    async def _received(self, loop: asyncio.AbstractEventLoop, step: Receive) -> bytes:
        async with _until(step.until_s):
            data = await loop.sock_recv(self._ready(), RECEIVED_BYTES_MAX)
        if not data:
            raise ConnectionResetError("the daemon closed the connection")
        return data

    def _ready(self) -> socket.socket:
        if self._peer is None:
            raise ConnectionResetError("the connection is closed")
        return self._peer

    def close(self) -> None:
        """Close the connection; the next step opens another."""
        if self._peer is not None:
            self._peer.close()
        self._peer = None
        self.conversation.forget()


def _until(until_s: float | None) -> asyncio.Timeout:
    """Return a time limit that ends at ``until_s`` on the monotonic clock."""
    return asyncio.timeout(None if until_s is None else until_s - time.monotonic())
