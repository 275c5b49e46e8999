"""The entry points of the Python API, ``clew.connect`` and ``clew.aconnect``, and their results."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Literal, Self, TypeVar

from clew.surface.client import PROTOCOL
from clew.surface.python import asynchronous, blocking
from clew.surface.python.address import Address
from clew.surface.python.methods import Methods
from clew.values.daemon_replies import Changed
from clew.values.requests import Request, Since, Subscribe

R = TypeVar("R")

TIMEOUT_S = 30.0

Private = bool | Literal["ifAllowed"]


class Vault(Methods):
    """A vault whose daemon answers blocking calls; several threads may take turns."""

    def __init__(self, address: Address, timeout_s: float = TIMEOUT_S) -> None:
        self.timeout_s = timeout_s  # of one request
        self._address = address
        self._connection = blocking.Connection(address)
        self._turn = threading.Lock()

    def ask(self, method: str, request: Request, reply: type[R]) -> R:
        """Return the reply to a request.

        Raises:
            NoDaemon: no daemon answers.
            Refused: the daemon answered with an error.
            TimeoutError: it did not answer in time.
        """
        with self._turn:
            steps = self._connection.conversation.ask(method, request, reply, self.timeout_s)
            return self._connection.result(steps)

    @contextmanager
    def subscribe(
        self, *, since: Since | None = None, include_private: Private = False
    ) -> Iterator[Iterator[Changed]]:
        """Within the block, iterate over the changes of the vault, waiting for each.

        It has a connection of its own. After a lost connection or a restart of the daemon it
        resumes where it was; ``overflow`` tells when this is not possible.
        """
        request = Subscribe(since=since, include_private=include_private)
        connection = blocking.Connection(self._address)
        events = connection.events(connection.conversation.follow(request, self.timeout_s))
        try:
            next(events)  # from here on nothing is missed
            yield (event for event in events if isinstance(event, Changed))
        finally:
            events.close()
            connection.close()

    def close(self) -> None:
        """Close the connection; the next request opens it again."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncVault(Methods):
    """A vault whose daemon answers asyncio calls; several tasks may take turns."""

    def __init__(self, address: Address, timeout_s: float = TIMEOUT_S) -> None:
        self.timeout_s = timeout_s  # of one request
        self._address = address
        self._connection = asynchronous.Connection(address)
        self._turn = asyncio.Lock()

    async def ask(self, method: str, request: Request, reply: type[R]) -> R:
        """Return the reply to a request; raises what ``Vault.ask`` raises."""
        async with self._turn:
            steps = self._connection.conversation.ask(method, request, reply, self.timeout_s)
            return await self._connection.result(steps)

    @asynccontextmanager
    async def subscribe(
        self, *, since: Since | None = None, include_private: Private = False
    ) -> AsyncIterator[AsyncIterator[Changed]]:
        """Within the block, iterate over changes, as ``Vault.subscribe`` does."""
        request = Subscribe(since=since, include_private=include_private)
        connection = asynchronous.Connection(self._address)
        events = connection.events(connection.conversation.follow(request, self.timeout_s))
        try:
            await anext(events)  # from here on nothing is missed
            yield (event async for event in events if isinstance(event, Changed))
        finally:
            await events.aclose()
            connection.close()

    def close(self) -> None:
        """Close the connection; the next request opens it again."""
        self._connection.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()


def connect(
    vault: str | None = None, *, socket: str | None = None, timeout_s: float = TIMEOUT_S
) -> Vault:
    """Connect to the daemon of ``vault``; by default, of the vault that the commands would find.

    ``socket`` is the path of the daemon's socket, if it is not where it usually is.

    Raises:
        NoDaemon: no daemon answers.
        NoVault: no vault is named, and none is found.
    """
    connected = Vault(Address(vault, socket), timeout_s)
    connected.hello(protocol=PROTOCOL)
    return connected


async def aconnect(
    vault: str | None = None, *, socket: str | None = None, timeout_s: float = TIMEOUT_S
) -> AsyncVault:
    """Connect to the daemon of ``vault``, as ``connect`` does, for asyncio."""
    connected = AsyncVault(Address(vault, socket), timeout_s)
    await connected.hello(protocol=PROTOCOL)
    return connected
