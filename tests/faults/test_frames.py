"""Hostile frames: each gets one documented reply, and other clients are not affected."""

import json
import random
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest

from tests.daemons import ANSWER_SECONDS_MAX, Daemon, daemon
from tests.faults import LONG, data
from tests.faults.asker import asking
from tests.faults.odd_frames import Frames, expected, ids_missing
from tests.faults.processes import descriptors, indexer_pid, rss_bytes
from tests.faults.vaults import seconds_until, vault_of

SEED = 20_260
FRAMES = 100_000 if LONG else 3_000
TOGETHER = 40  # frames on one connection
WARM_UP = 400
P99_SECONDS_MAX = 0.25
GROWTH_BYTES_MAX = 64 * 1024 * 1024
REQUEST_BYTES_MAX = 1024 * 1024
OWN_CODES = {"notFound", "notReady", "tooLarge", "busy", "timeout", "vaultUnavailable", "readOnly"}
CODES = {
    -32700: {"parse"},
    -32600: {"request"},
    -32601: {"methodNotFound"},
    -32602: {"invalidParams"},
    -32000: OWN_CODES | {"conflict"},  # never ``internal``, which is a fault of the daemon
}

pytestmark = pytest.mark.timeout(1_200)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("d")
    notes = {f"n{n}.md": f"[[hub]] [[c{n % 9}]] #t{n % 3}\n" for n in range(30)}
    with daemon(home / "h", vault_of(home / "v", {**notes, "a.md": "[[b]]", "b.md": ""})) as one:
        yield one


def spoken(running: Daemon, pieces: list[bytes]) -> list[bytes]:
    """Send bytes piece by piece while reading; return all lines received until the end."""
    with running.connect() as peer, ThreadPoolExecutor(1) as pool:
        heard = pool.submit(lambda: b"".join(iter(lambda: peer.recv(1 << 16), b"")))
        for piece in pieces:
            peer.sendall(piece)
        peer.shutdown(socket.SHUT_WR)
        return heard.result(timeout=ANSWER_SECONDS_MAX).splitlines()


def cut(rng: random.Random, text: bytes) -> list[bytes]:
    """Split bytes at random places."""
    count = min(len(text), rng.choice([0, 1, 5, 50]))
    places = [0, *sorted(rng.sample(range(len(text)), count)), len(text)]
    return [text[a:b] for a, b in pairwise(places)]


def check_reply(reply: Any) -> None:
    """Assert that a reply has the documented form."""
    assert isinstance(reply, dict), reply
    assert reply["jsonrpc"] == "2.0", reply
    assert reply.keys() in ({"jsonrpc", "id", "result"}, {"jsonrpc", "id", "error"}), reply
    if "error" in reply:
        error = reply["error"]
        assert error["data"]["code"] in CODES[error["code"]], reply
        assert isinstance(error["message"], str), reply
        assert isinstance(error["data"]["hint"], str), reply
        assert ("field" in error["data"]) == (error["code"] == -32602), reply


def no_constants(word: str) -> Any:
    raise AssertionError(f"{word} is no JSON")


def check_answered(frames: list[bytes], lines: list[bytes]) -> None:
    """Assert that these lines are the replies to these frames, in any order."""
    wanted = [expected(frame) for frame in frames]
    least, most = sum(w.least for w in wanted), sum(w.most for w in wanted)
    assert least <= len(lines) <= most, f"{len(lines)} lines instead of {least} to {most}"
    replies: list[Any] = []
    for line in lines:
        reply = json.loads(line.decode(), parse_constant=no_constants)
        json.dumps(reply, ensure_ascii=False).encode()  # fails on half a surrogate pair
        replies += reply if isinstance(reply, list) else [reply]
    for reply in replies:
        check_reply(reply)
    missing = ids_missing((i for w in wanted for i in w.ids), (r["id"] for r in replies))
    assert not missing, f"not answered: {missing}"


def check_frames(running: Daemon, frames: list[bytes], pieces: list[bytes]) -> None:
    """Assert that frames sent together are answered; on failure find a single frame that fails."""
    try:
        check_answered(frames, spoken(running, pieces))
    except (AssertionError, OSError, ValueError, KeyError):
        for frame in frames:
            try:
                check_answered([frame], spoken(running, [frame + b"\n"]))
            except Exception as error:
                raise AssertionError(f"{frame[:300]!r} of {len(frame)} bytes: {error}") from error
        raise


@dataclass(slots=True)
class Sender:
    """Sends hostile frames, one connection after the other."""

    running: Daemon
    frames: Frames
    rng: random.Random

    def send(self, count: int) -> None:
        """Send ``count`` frames and check the replies."""
        for _ in range(count // TOGETHER):
            frames = [self.frames.one() for _ in range(TOGETHER)]
            pieces = cut(self.rng, b"\n".join(frames) + b"\n")
            check_frames(self.running, frames, pieces)


def test_every_frame_gets_its_reply_and_other_clients_are_not_affected(running: Daemon) -> None:
    methods = running.ask("hello", protocol=1)["capabilities"]
    sender = Sender(running, Frames(SEED, methods, data.frames()), random.Random(SEED))
    sender.send(WARM_UP)
    note = running.ask("recent", limit=1)["notes"][0]
    running.ask("read", uri=note["uri"])  # the first one opens the log of read dates
    pid, indexer = running.pid, indexer_pid(running)
    open_before, rss_before = len(descriptors(pid)), rss_bytes(pid)
    with asking(running, "hub") as asked:
        sender.send(FRAMES)
    asked.check(P99_SECONDS_MAX)
    assert rss_bytes(pid) - rss_before < GROWTH_BYTES_MAX
    took_s = seconds_until(lambda: len(descriptors(pid)) <= open_before, 5.0)
    assert took_s <= 5.0, f"{open_before} descriptors before, now {descriptors(pid)}"
    assert running.child is not None
    assert running.child.poll() is None
    assert indexer_pid(running) == indexer, "the indexer was lost on the way"
    assert "Traceback" not in running.log, running.log[-3_000:]


@pytest.mark.parametrize("extra", [-1, 0, 1, 100_000, 5_000_000])
def test_a_line_at_the_bound(running: Daemon, extra: int) -> None:
    """A line of up to the bound is answered; a longer one is refused and the connection closed."""
    call = b'{"jsonrpc":"2.0","id":7,"method":"tags"}'
    line = call + b" " * (REQUEST_BYTES_MAX + extra - len(call))
    answers = []
    with running.connect() as peer, ThreadPoolExecutor(1) as pool:
        heard = pool.submit(lambda: peer.makefile("rb").readline())
        try:
            peer.sendall(line + b"\n")
        except (BrokenPipeError, ConnectionResetError):
            assert extra > 0
        answers.append(json.loads(heard.result(timeout=ANSWER_SECONDS_MAX)))
    (answer,) = answers
    check_reply(answer)
    if extra <= 0:
        assert answer["id"] == 7
        assert "result" in answer
    else:
        assert answer["error"]["data"]["code"] == "tooLarge"


def test_a_frame_may_come_byte_by_byte(running: Daemon) -> None:
    frames = [b'{"jsonrpc":"2.0","id":%d,"method":"concept","params":{"conceptName":"hub"}}' % n
              for n in range(20)]  # fmt: skip
    text = b"\n".join(frames) + b"\n"
    check_frames(running, frames, [bytes([byte]) for byte in text])


def test_a_last_line_without_its_end_is_no_frame(running: Daemon) -> None:
    """It gets no reply or a parse error, and then the connection is closed."""
    call = b'{"jsonrpc":"2.0","id":1,"method":"tags"}'
    lines = spoken(running, [call + b"\n" + call[:-5]])
    assert json.loads(lines[0])["id"] == 1
    assert all("error" in json.loads(line) for line in lines[1:])
