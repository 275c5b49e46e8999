"""One connection with a fake transport: the order of replies, and when it stops reading."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from clew.surface.server import connection as connection_module
from clew.surface.server.answers import dispatch
from clew.surface.server.connection import (
    HALF_LINE_S,
    WAITING_LINES_MAX,
    Connection,
    Connections,
)
from clew.values import wire
from clew.values.errors import ClewError


class FakeTransport(asyncio.Transport):
    """Records what is written, and whether the connection reads."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.reads = True
        self.closed = False

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def write(self, data: Any) -> None:
        self.written += data

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    abort = close

    @property
    def ids(self) -> list[int | None]:
        return [json.loads(line)["id"] for line in self.written.splitlines()]


class Peer:
    """A connection whose requests are answered when ``gate`` is open."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.gate = asyncio.Event()
        self.asked = 0
        monkeypatch.setattr(dispatch, "answer", self._answer)
        monkeypatch.setattr(connection_module, "_is_own_user", lambda _: True)
        self.transport = FakeTransport()
        self.connection = Connection(Connections(None, 4))  # type: ignore[arg-type]
        self.connection.connection_made(self.transport)

    async def _answer(self, _: object, frame: wire.Frame, __: object) -> bytes:
        self.asked += 1
        await self.gate.wait()
        (call,) = frame.parts
        assert isinstance(call, wire.Call)
        return wire.encode_error(call.id, ClewError("answered")) + b"\n"

    async def turns(self, count: int = 5) -> None:
        for _ in range(count):
            await asyncio.sleep(0)


def lines(first: int, count: int) -> bytes:
    return b"".join(
        b'{"jsonrpc":"2.0","method":"m","id":%d}\n' % number
        for number in range(first, first + count)
    )


def run(
    monkeypatch: pytest.MonkeyPatch, steps: Callable[[Peer], Coroutine[Any, Any, None]]
) -> None:
    async def all_steps() -> None:
        await steps(Peer(monkeypatch))

    asyncio.run(all_steps())


def test_it_reads_no_more_while_many_requests_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    async def steps(peer: Peer) -> None:
        peer.connection.data_received(lines(0, 3 * WAITING_LINES_MAX))
        await peer.turns()
        assert (peer.asked, peer.transport.reads) == (1, False)
        peer.gate.set()
        await peer.turns(10 * WAITING_LINES_MAX)
        assert peer.transport.ids == list(range(3 * WAITING_LINES_MAX))
        assert peer.transport.reads

    run(monkeypatch, steps)


def test_it_reads_on_while_few_requests_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    async def steps(peer: Peer) -> None:
        peer.connection.data_received(lines(0, 3))
        await peer.turns()
        assert peer.transport.reads
        peer.connection.data_received(lines(3, 2))
        peer.gate.set()
        await peer.turns(30)
        assert peer.transport.ids == [0, 1, 2, 3, 4]

    run(monkeypatch, steps)


def test_large_requests_wait_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    padded = b'{"jsonrpc":"2.0","method":"m","id":1' + b" " * 900_000 + b"}\n"

    async def steps(peer: Peer) -> None:
        for _ in range(4):
            if peer.transport.reads:
                peer.connection.data_received(padded)
        await peer.turns()
        assert not peer.transport.reads
        assert sum(map(len, peer.connection._lines)) < 2 * len(padded)  # noqa: SLF001 - the bound
        peer.gate.set()
        await peer.turns(30)
        assert peer.transport.reads

    run(monkeypatch, steps)


@pytest.mark.parametrize("filler", [b"x", b" "])
def test_what_comes_before_a_long_line_is_answered_first(
    filler: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = filler * (wire.REQUEST_BYTES_MAX + 1)

    async def steps(peer: Peer) -> None:
        peer.gate.set()
        peer.connection.data_received(lines(0, 2) + long + b"\n" + lines(3, 1))
        await peer.turns(30)
        assert peer.transport.ids == [0, 1, None]
        assert b"tooLarge" in peer.transport.written
        assert peer.transport.closed

    run(monkeypatch, steps)


def test_a_client_that_does_not_read_is_answered_later(monkeypatch: pytest.MonkeyPatch) -> None:
    async def steps(peer: Peer) -> None:
        peer.gate.set()
        peer.connection.pause_writing()
        peer.connection.data_received(lines(0, 3))
        await peer.turns(30)
        assert (peer.asked, peer.transport.reads) == (0, False)
        peer.connection.resume_writing()
        await peer.turns(30)
        assert peer.transport.ids == [0, 1, 2]

    run(monkeypatch, steps)


def test_a_client_that_leaves_is_not_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    async def steps(peer: Peer) -> None:
        peer.connection.data_received(lines(0, 3))
        await peer.turns()
        peer.connection.connection_lost(None)
        peer.gate.set()
        await peer.turns(30)
        assert (peer.asked, peer.transport.written) == (1, b"")

    run(monkeypatch, steps)


class FakeFeed:
    """A feed with a new notification each time it is asked."""

    is_on = True

    def begin(self) -> None:
        pass

    def notification(self) -> bytes:
        return b'{"id":null}\n'


class Clock:
    """Timers of the loop: what is called later, and whether it was cancelled."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.timers: list[asyncio.TimerHandle] = []
        loop = asyncio.get_running_loop()
        call_later = loop.call_later

        def record(*arguments: Any) -> asyncio.TimerHandle:
            self.timers.append(call_later(*arguments))
            return self.timers[-1]

        monkeypatch.setattr(loop, "call_later", record)

    @property
    def is_set(self) -> bool:
        return any(not timer.cancelled() for timer in self.timers)


@pytest.mark.parametrize("is_told", [True, False])
def test_only_a_client_that_does_not_read_replies_is_dropped(
    monkeypatch: pytest.MonkeyPatch, is_told: bool
) -> None:
    async def steps(peer: Peer) -> None:
        clock, connection = Clock(monkeypatch), peer.connection
        monkeypatch.setattr(connection, "_feed", FakeFeed())
        if is_told:
            monkeypatch.setattr(peer.transport, "write", lambda _: connection.pause_writing())
            connection.notify()
        else:
            connection.pause_writing()
        assert clock.is_set != is_told
        monkeypatch.undo()
        before = peer.transport.written
        connection.notify()
        assert peer.transport.written == before  # nothing more until it has read
        monkeypatch.setattr(connection, "_feed", FakeFeed())
        connection.resume_writing()
        assert peer.transport.written == before + FakeFeed().notification()
        assert not clock.is_set

    run(monkeypatch, steps)


def test_a_subscriber_is_evicted_after_other_silent_clients(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def steps(peer: Peer) -> None:
        connection, later_s = peer.connection, asyncio.get_running_loop().time() + 60.0
        connection._has_reply = True  # noqa: SLF001 - as after a request
        silent = connection.eviction_priority(later_s)
        monkeypatch.setattr(connection, "_feed", FakeFeed())
        subscribed = connection.eviction_priority(later_s)
        monkeypatch.setattr(peer.transport, "write", lambda _: connection.pause_writing())
        connection.notify()
        behind = connection.eviction_priority(later_s)
        peer.connection.data_received(lines(0, 1)[:5])
        busy = connection.eviction_priority(connection._received_s)  # noqa: SLF001 - the moment
        assert silent < subscribed == behind < busy

    run(monkeypatch, steps)


def test_a_client_that_has_just_come_is_evicted_after_silent_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def steps(peer: Peer) -> None:
        came_s = peer.connection._received_s  # noqa: SLF001 - the moment
        new = peer.connection.eviction_priority(came_s + HALF_LINE_S / 2)
        old = peer.connection.eviction_priority(came_s + HALF_LINE_S * 2)
        peer.connection._has_reply = True  # noqa: SLF001 - as after a request
        silent = peer.connection.eviction_priority(came_s + 60.0)
        peer.connection.data_received(lines(0, 1))
        busy = peer.connection.eviction_priority(came_s)
        assert old < silent < new < busy

    run(monkeypatch, steps)


def test_the_age_of_an_unfinished_line_counts_from_its_first_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def steps(peer: Peer) -> None:
        loop, connection = asyncio.get_running_loop(), peer.connection
        began_s = loop.time()
        whole = lines(0, 1)
        for second, data in enumerate([whole[:5], whole[5:] + whole[:5], whole[5:9]]):
            monkeypatch.setattr(loop, "time", lambda second=second: began_s + second)
            connection.data_received(data)
        peer.gate.set()
        await peer.turns()
        of_half_a_line = connection.eviction_priority(began_s + 1 + HALF_LINE_S * 2)
        assert of_half_a_line[1] == pytest.approx(-HALF_LINE_S * 2)
        before = connection.eviction_priority(began_s + 1 + HALF_LINE_S / 2)
        assert of_half_a_line < before, "a client that has just begun a line is busy"

    run(monkeypatch, steps)


def test_the_running_request_is_answered_when_the_daemon_stops_and_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def steps(peer: Peer) -> None:
        peer.connection.data_received(lines(0, 3))
        await peer.turns()
        peer.connection.end()
        peer.connection.data_received(lines(3, 1))
        assert peer.connection.is_answering
        assert not peer.transport.closed
        peer.gate.set()
        await peer.turns(30)
        assert peer.transport.ids == [0]
        assert peer.transport.closed

    run(monkeypatch, steps)


def test_a_client_without_a_running_request_is_closed_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def steps(peer: Peer) -> None:
        peer.connection.data_received(lines(0, 1)[:9])
        peer.connection.end()
        assert peer.transport.closed

    run(monkeypatch, steps)


def test_a_request_that_takes_too_long_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "LAST_REQUESTS_S", 0.05)
    monkeypatch.setattr(connection_module, "LAST_REPLIES_S", 0.05)

    async def steps(peer: Peer) -> None:
        peer.connection.data_received(lines(0, 1))
        await peer.turns()
        await peer.connection._connections.close_all()  # noqa: SLF001 - all there is
        assert peer.transport.closed
        assert peer.transport.written == b""

    run(monkeypatch, steps)
