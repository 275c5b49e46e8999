"""Messages of an indexer arrive in the order in which they were sent, from any thread."""

import socket
import threading
from collections.abc import Iterator

import pytest

from clew.surface.indexer.link import Link, ServerGone
from clew.values import ipc

CHUNK = b"c" * 100_000
COUNT = 30  # more than fits into the channel's buffer


@pytest.fixture
def ends() -> Iterator[tuple[Link, socket.socket]]:
    ours, theirs = socket.socketpair()
    theirs.settimeout(120.0)
    with ours, theirs:
        yield Link(ours), theirs


def heard(server: socket.socket, count: int) -> list[object]:
    """Return the next ``count`` messages and chunks that the server receives."""
    reader = ipc.FrameReader(ipc.unpack_from_indexer)
    found: list[object] = []
    while len(found) < count:
        found += reader.feed(server.recv(65_536))
    return found


def test_messages_sent_in_the_background_arrive_before_later_ones(
    ends: tuple[Link, socket.socket],
) -> None:
    link, server = ends
    link.send(ipc.RevisionStarted())
    link.send_behind([memoryview(CHUNK)] * COUNT, [ipc.ReadingProgress(1, 2)])
    # None of it has been received yet, so a plain send would still wait.
    later = threading.Thread(target=link.send, args=(ipc.RevisionPublished(),))
    later.start()
    expected = [
        ipc.RevisionStarted(),
        *[CHUNK] * COUNT,
        ipc.ReadingProgress(1, 2),
        ipc.RevisionPublished(),
    ]
    assert heard(server, COUNT + 3) == expected
    later.join()


def test_a_second_background_send_waits_for_the_first(ends: tuple[Link, socket.socket]) -> None:
    link, server = ends
    link.send_behind([memoryview(CHUNK)] * COUNT, [])
    both = threading.Thread(target=link.send_behind, args=([memoryview(b"last")], []))
    both.start()
    assert heard(server, COUNT + 1) == [*[CHUNK] * COUNT, b"last"]
    both.join()


def test_the_next_send_fails_if_the_server_ended_during_a_background_send(
    ends: tuple[Link, socket.socket],
) -> None:
    link, server = ends
    link.send_behind([memoryview(CHUNK)] * COUNT, [])
    server.close()
    with pytest.raises(ServerGone):
        link.send(ipc.RevisionPublished())
