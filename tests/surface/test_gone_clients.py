"""A client that has closed its socket is told from one that only sends no more."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from clew.surface.server import connection as connection_module
from clew.surface.server.answers import dispatch
from clew.surface.server.connection import Connections
from clew.values import wire

QUESTION = b'{"jsonrpc":"2.0","method":"m","id":1}\n'
NOTIFICATION = b'{"jsonrpc":"2.0","method":"m"}\n'
CHECK_S = 0.01
CHECKS = 10


class LongCalls:
    """Calls that end when ``gate`` is open."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.began = asyncio.Event()
        self.given_up = self.answered = 0

    async def answer(self, _: object, frame: wire.Frame, __: object) -> bytes:
        self.began.set()
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        self.answered += 1
        (call,) = frame.parts
        assert isinstance(call, wire.Call)
        return b"reply\n" if call.expects_reply else b""


@asynccontextmanager
async def asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch, lines: bytes
) -> AsyncIterator[tuple[LongCalls, socket.socket]]:
    """Serve at a real socket; yield the calls, and the client that has sent ``lines``."""
    calls = LongCalls()
    monkeypatch.setattr(dispatch, "answer", calls.answer)
    monkeypatch.setattr(connection_module, "GONE_CHECK_S", CHECK_S, raising=False)
    path = str(folder / "s")
    connections = Connections(None, 4)  # type: ignore[arg-type]
    server = await asyncio.get_running_loop().create_unix_server(connections.new, path)
    async with server:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
            client.sendall(lines)
            await calls.began.wait()
            yield calls, client


def test_what_a_client_asked_that_closed_its_socket_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def steps() -> None:
        async with asked(tmp_path, monkeypatch, QUESTION * 3) as (calls, client):
            client.close()
            await asyncio.sleep(CHECKS * CHECK_S)
            assert (calls.given_up, calls.answered) == (1, 0)

    asyncio.run(steps())


def test_a_client_that_sends_no_more_gets_all_replies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def steps() -> None:
        async with asked(tmp_path, monkeypatch, QUESTION * 3) as (calls, client):
            client.shutdown(socket.SHUT_WR)
            await asyncio.sleep(CHECKS * CHECK_S)
            calls.gate.set()
            reader, writer = await asyncio.open_unix_connection(sock=client)
            assert await reader.read() == b"reply\n" * 3
            writer.close()
            assert calls.given_up == 0

    asyncio.run(steps())


def test_notifications_are_carried_out_though_their_client_has_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def steps() -> None:
        async with asked(tmp_path, monkeypatch, NOTIFICATION * 3) as (calls, client):
            client.close()
            await asyncio.sleep(CHECKS * CHECK_S)
            assert calls.given_up == 0
            calls.gate.set()
            await asyncio.sleep(CHECKS * CHECK_S)
            assert calls.answered == 3

    asyncio.run(steps())
