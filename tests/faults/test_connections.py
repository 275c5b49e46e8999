"""Whether clients are idle, send half a line or never read, a well-behaved client is still served.

The daemon runs with few descriptors, so that leaked ones are noticed.
"""

import functools
import json
import resource
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count

import pytest

from tests.daemons import Daemon, prepared
from tests.faults import LONG
from tests.faults.asker import Asked, asking
from tests.faults.processes import descriptors, rss_bytes
from tests.faults.vaults import knows, seconds_until, vault_of
from tests.pace import Stopwatch

IDLE = 1_000
SLOW = 100
GREEDY = 16
ASKED_AT_ONCE = 60  # requests of each greedy client, which never reads the replies
DESCRIPTORS = 256
ASKING_SECONDS = 25.0 if LONG else 3.0
ASKED_MIN = 5
P99_SECONDS_MAX = 0.25
FLOODED_P99_SECONDS_MAX = 1.0  # while greedy clients keep the daemon busy
LOCKED_OUT_SECONDS_MAX = 3.0
GROWTH_BYTES_MAX = 64 * 1024 * 1024
LOG_BYTES_MAX = 256 * 1024
BIG = "words and more words\n" * 15_000

pytestmark = pytest.mark.usefixtures("_many_descriptors")


@pytest.fixture
def _many_descriptors() -> Iterator[None]:
    """Let this process open as many files as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < IDLE + SLOW + 200:
        pytest.skip(f"only {hard} descriptors are allowed here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("d")
    notes = {f"n{n}.md": f"[[hub]] [[c{n}]]" for n in range(50)}
    vault = vault_of(home / "v", {**notes, "big.md": BIG})
    with prepared(home / "h", vault) as one:
        one.before = ("sh", "-c", f'ulimit -n {DESCRIPTORS}; exec "$@"', "sh")
        one.start()
        (one.vault / "late.md").write_text("[[late]]")
        assert knows(one, "late")  # Now the watch has opened its descriptors,
        one.ask("read", uri="memory://late.md")  # and so has the log of read dates.
        rss_at_first(one.pid)
        yield one
        assert one.stop() == 0


@pytest.fixture
def running(shared: Daemon) -> Iterator[Daemon]:
    """Return the daemon of all tests, as it was before the first: no client is connected."""
    alone = len(descriptors(shared.pid))
    yield shared
    took_s = seconds_until(lambda: len(descriptors(shared.pid)) <= alone, 15.0)
    assert took_s <= 15.0, f"{alone} descriptors before, now {descriptors(shared.pid)}"


@functools.cache
def rss_at_first(pid: int) -> int:
    """Return the memory of the daemon before the first test, so that no growth is overlooked."""
    return rss_bytes(pid)


def connected(running: Daemon, number: int) -> list[socket.socket]:
    """Return ``count`` connections, made as fast as the daemon accepts them."""
    peers = []
    for _ in range(number):
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(str(running.socket))
        peers.append(peer)
    return peers


@contextmanager
def unharmed(running: Daemon, p99_s: float = P99_SECONDS_MAX) -> Iterator[Asked]:
    """Run a well-behaved client within a block; afterwards assert that nothing is leaked."""
    open_before = len(descriptors(running.pid))
    log_before = len(running.log)
    with asking(running, "hub") as asked:
        yield asked
    grown = rss_bytes(running.pid) - rss_at_first(running.pid)
    assert grown < GROWTH_BYTES_MAX, f"{grown >> 20} MiB more than at first"
    took_s = seconds_until(lambda: len(descriptors(running.pid)) <= open_before, 15.0)
    assert took_s <= 15.0, f"{open_before} descriptors before, now {descriptors(running.pid)}"
    said = running.log[log_before:]
    size = len(said)
    assert size < LOG_BYTES_MAX, f"{size} bytes of log, the last: {said[-300:]}"
    faults = said.count("Traceback")
    assert faults == 0, f"{faults} faults in the log, the last: {said[-300:]}"
    asked.check(p99_s, at_least=ASKED_MIN)
    assert max(asked.times_s) <= LOCKED_OUT_SECONDS_MAX, f"{max(asked.times_s):.1f} s locked out"


def say(peers: list[socket.socket], line: bytes) -> None:
    """Send bytes on all connections that are still open."""
    for peer in peers:
        with suppress(BrokenPipeError, ConnectionResetError):
            peer.sendall(line)


def test_idle_clients_lock_no_one_out(running: Daemon) -> None:
    with unharmed(running), ExitStack() as stack:
        for peer in connected(running, IDLE):
            stack.enter_context(peer)
        Stopwatch().last(ASKING_SECONDS / 3)


def test_clients_with_half_a_line_lock_no_one_out(running: Daemon) -> None:
    with unharmed(running), ExitStack() as stack:
        for peer in connected(running, IDLE):
            stack.enter_context(peer)
        for _ in range(SLOW):
            (peer,) = connected(running, 1)
            stack.enter_context(peer)
            say([peer], b'{"jsonrpc":"2.0","id":1,')
        Stopwatch().last(ASKING_SECONDS)


def test_a_client_that_stays_connected_is_not_locked_out_either(running: Daemon) -> None:
    """A client that sends requests regularly is not evicted for new clients."""
    call = b'{"jsonrpc":"2.0","id":1,"method":"concept","params":{"conceptName":"hub"}}\n'
    with running.connect() as good, ExitStack() as stack:
        stream = good.makefile("rb")
        for turn in range(SLOW):
            line = b""
            with suppress(BrokenPipeError, ConnectionResetError):
                good.sendall(call)
                line = stream.readline()
            assert line, f"its connection was ended when {turn} others had come"
            assert "result" in json.loads(line)
            (peer,) = connected(running, 1)
            stack.enter_context(peer)
            say([peer], b'{"jsonrpc":"2.0",')


def test_a_client_that_sends_byte_by_byte_is_evicted(running: Daemon) -> None:
    """A client that sends a byte from time to time is evicted like one that sends nothing."""
    line = b'{"jsonrpc":"2.0","id":1,"method":"tags"}'
    with unharmed(running), ExitStack() as stack:
        peers = connected(running, SLOW)
        for peer in peers:
            stack.enter_context(peer)
        watch = Stopwatch()
        sent = 0
        while watch.seconds() < ASKING_SECONDS and sent < len(line):
            say(peers, line[sent : sent + 1])
            sent += 1
            time.sleep(0.25)


def test_clients_that_never_read_cost_bounded_memory(running: Daemon) -> None:
    call = b'{"jsonrpc":"2.0","id":1,"method":"read","params":{"uri":"big.md"}}\n'
    with unharmed(running), ExitStack() as stack:
        peers = connected(running, GREEDY)
        for peer in peers:
            stack.enter_context(peer)
        say(peers, call * ASKED_AT_ONCE)
        Stopwatch().last(ASKING_SECONDS / 2)
        grown = rss_bytes(running.pid)
        assert grown < 512 * 1024 * 1024, f"{grown >> 20} MiB"


def test_clients_that_disconnect_leave_nothing_open(running: Daemon) -> None:
    call = b'{"jsonrpc":"2.0","id":1,"method":"concept","params":{"conceptName":"hub"}}\n'
    with unharmed(running, FLOODED_P99_SECONDS_MAX):
        watch = Stopwatch()
        for turn in count():
            (peer,) = connected(running, 1)
            with peer, suppress(OSError):
                say([peer], (b"", call, call[:20], call * 20, b"\n")[turn % 5])
                if turn % 2:
                    peer.shutdown((socket.SHUT_RD, socket.SHUT_WR, socket.SHUT_RDWR)[turn % 3])
            time.sleep(0.001)
            if turn % 20 == 0 and watch.seconds() > ASKING_SECONDS:
                break


def test_a_refused_client_gets_an_error_line(running: Daemon) -> None:
    with ExitStack() as stack:
        for _ in range(SLOW):
            (peer,) = connected(running, 1)
            stack.enter_context(peer)
            say([peer], b"{")
            heard = late_words(peer)
            assert not heard or json.loads(heard)["error"]["data"]["code"] == "busy"


def late_words(peer: socket.socket) -> bytes:
    """Return the bytes that a client receives within a moment."""
    peer.settimeout(0.02)
    try:
        return peer.recv(65_536)
    except (TimeoutError, ConnectionResetError):
        return b""
