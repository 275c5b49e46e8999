"""The last line of a client that closes its sending side needs no line end."""

import json
import socket
import time
from collections.abc import Iterator

import pytest

from tests.daemons import Daemon, daemon
from tests.faults.vaults import vault_of

pytestmark = pytest.mark.slow  # starts daemons of its own

CALL = b'{"jsonrpc":"2.0","method":"%b","id":7}'


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("last")
    notes = {"a.md": "[[b]] #t", "big.md": "words and more words\n" * 15_000}
    with daemon(home, vault_of(home / "v", notes)) as started:
        yield started


@pytest.mark.parametrize("method", [b"tags", b"status", b"sync", b"nonsense"])
@pytest.mark.parametrize("before", [b"", b"\n", CALL % b"tags" + b"\n"])
def test_a_last_line_without_line_end_is_answered(
    running: Daemon, before: bytes, method: bytes
) -> None:
    answers = running.say(before + CALL % method)
    assert [answer["id"] for answer in answers] == [7] * (1 + before.count(b"{"))


@pytest.mark.parametrize("pieces", [1, 2, 40])
def test_a_last_line_may_come_in_pieces(running: Daemon, pieces: int) -> None:
    line = CALL % b"tags"
    with running.connect() as peer:
        for at in range(pieces):
            peer.sendall(line[len(line) * at // pieces : len(line) * (at + 1) // pieces])
            time.sleep(0.001)
        peer.shutdown(socket.SHUT_WR)
        assert json.loads(peer.makefile("rb").read())["id"] == 7


def test_a_last_line_is_answered_after_all_before_it(running: Daemon) -> None:
    """The client reads late, so the daemon stops reading between two of its lines."""
    read = b'{"jsonrpc":"2.0","method":"read","params":{"uri":"big"},"id":1}\n'
    with running.connect() as peer:
        peer.sendall(read * 12 + CALL % b"tags")
        peer.shutdown(socket.SHUT_WR)
        time.sleep(0.2)
        answers = [json.loads(line)["id"] for line in peer.makefile("rb")]
    assert answers == [1] * 12 + [7]


@pytest.mark.parametrize(
    ("last", "codes"),
    [
        (b'{"jsonrpc":"2.0","id":1,', ["parse"]),
        (b"[", ["parse"]),
        (b" \t\r", []),
        (b"x" * (1024 * 1024 + 1), ["tooLarge"]),
    ],
)
def test_a_last_line_that_is_no_request_gets_an_error(
    running: Daemon, last: bytes, codes: list[str]
) -> None:
    answers = running.say(CALL % b"tags" + b"\n" + last)
    assert [answer["error"]["data"]["code"] for answer in answers[1:]] == codes
    assert "result" in answers[0]
