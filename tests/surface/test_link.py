"""Messages of an indexer arrive in the order in which they were sent, from any thread."""

import socket
import threading
from collections.abc import Iterator

import pytest

from clew.surface.indexer.link import Link, ServerGone
from clew.values import ipc

LARGE = ipc.ParsingStarted((("c" * 100_000, "hash"),))
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
    link.send(ipc.RevisionStarted(None))
    link.send_on_thread([LARGE] * COUNT)
    # None of it has been received yet, so a plain send would still wait.
    later = threading.Thread(target=link.send, args=(ipc.RevisionPublished(is_new=True),))
    later.start()
    expected = [
        ipc.RevisionStarted(None),
        *[LARGE] * COUNT,
        ipc.RevisionPublished(is_new=True),
    ]
    assert heard(server, COUNT + 2) == expected
    later.join()


def test_a_second_background_send_waits_for_the_first(ends: tuple[Link, socket.socket]) -> None:
    link, server = ends
    link.send_on_thread([LARGE] * COUNT)
    both = threading.Thread(target=link.send_on_thread, args=([ipc.ReadingProgress(2, 2)],))
    both.start()
    expected = [*[LARGE] * COUNT, ipc.ReadingProgress(2, 2)]
    assert heard(server, COUNT + 1) == expected
    both.join()


def test_the_next_send_fails_if_the_server_ended_during_a_background_send(
    ends: tuple[Link, socket.socket],
) -> None:
    link, server = ends
    link.send_on_thread([LARGE] * COUNT)
    server.close()
    with pytest.raises(ServerGone):
        link.send(ipc.RevisionPublished(is_new=True))


def test_a_mapped_generation_is_waited_for_and_other_messages_are_kept(
    ends: tuple[Link, socket.socket],
) -> None:
    link, server = ends
    for message in (ipc.GenerationMapped(3), ipc.SaveAgain(), ipc.GenerationMapped(5)):
        server.sendall(ipc.message_frame(message))
    link.wait_until_mapped(4)
    link.wait_until_mapped(5)
    assert list(link.messages()) == [ipc.SaveAgain()]
    server.sendall(ipc.message_frame(ipc.GenerationMapped(6)))
    link.wait(10.0)
    assert list(link.messages()) == []
    link.wait_until_mapped(6)
    server.close()
    with pytest.raises(ServerGone):
        link.wait_until_mapped(7)
