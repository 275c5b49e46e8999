"""An indexer that dies, talks nonsense or never starts, and a server that lives on with it."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from clew.surface.server import supervisor as supervisor_module
from clew.surface.server.spawning import Spawned, spawn
from clew.surface.server.supervisor import Supervisor
from clew.values import feed
from clew.values.feed import chunk_frame, message_frame

WAIT_S = 5.0

# Plays a list of actions with the channel as its standard input, as an indexer has it. Knows just
# enough of the protocol to read a frame and to find the ticket of a question.
INDEXER = """
import json, os, socket, sys, time
channel = socket.socket(fileno=os.dup(0))

def read(count):
    data = b""
    while len(data) < count:
        more = channel.recv(count - len(data))
        if not more:
            sys.exit(0)
        data += more
    return data

def hear():
    head = read(5)
    return read(int.from_bytes(head[:4], "big"))

def play(action, word=None, times=1):
    if action == "say":
        channel.sendall(bytes.fromhex(word) * times)
    elif action == "hear":
        hear()
    elif action == "tell what is heard":
        data = hear()
        channel.sendall(len(data).to_bytes(4, "big") + b"c" + data)
    elif action == "answer":
        ticket = hear()[7]
        channel.sendall(bytes.fromhex(word[ticket]))
    elif action == "exit":
        os._exit(word)
    elif action == "kill":
        os.kill(os.getpid(), word)
    elif action == "hang":
        os.close(0)
        channel.close()
        time.sleep(60)
    while action == "stay" and channel.recv(1 << 16):
        pass

for action in json.loads(sys.argv[1]):
    play(*action)
"""

Action = tuple[Any, ...]
STAY: Action = ("stay",)
HEAR: Action = ("hear",)
TELL: Action = ("tell what is heard",)
DIE: Action = ("exit", 3)
LOOKED = [feed.Looked(ticket, ticket, 0, 0, 0.0, None) for ticket in range(10)]
ANSWER: Action = ("answer", [message_frame(looked).hex() for looked in LOOKED])


def say(*messages: object) -> Action:
    return ("say", b"".join(map(message_frame, messages)).hex())


def say_bytes(data: bytes) -> Action:
    return ("say", data.hex())


def say_chunk(count: int) -> Action:
    """Say ``count`` chunks of a thousand bytes."""
    return (*say_bytes(chunk_frame(b"c" * 1_000)), count)


def look(ticket: int) -> feed.Look:
    return feed.Look(ticket, full=False)


class Stage:
    """Indexers that play their parts one after the other, and who hears them."""

    def __init__(self, lives: Iterable[Sequence[Action] | OSError]) -> None:
        self.lives = iter(lives)
        self.spawned: list[Spawned] = []
        self.heard: list[feed.FromIndexer | bytes] = []
        self.losses: list[str] = []
        self.ignored_state: list[bool] = []
        self.refusals: list[Exception] = []  # raised by the next messages heard
        self.supervisor = Supervisor(self, self.brief, None, self.spawn)
        self._news = asyncio.Event()

    def spawn(self) -> Spawned:
        life = next(self.lives, (STAY,))
        if isinstance(life, OSError):
            raise life
        words = [sys.executable, "-I", "-S", "-c", INDEXER, json.dumps(life)]
        self.spawned.append(spawn(words))
        return self.spawned[-1]

    def brief(self, ignores_state: bool) -> bytes:
        self.ignored_state.append(ignores_state)
        self._news.set()
        return b"settings"

    def hear(self, message: feed.FromIndexer | bytes) -> None:
        self.heard.append(message)
        self._news.set()
        if self.refusals:
            raise self.refusals.pop()

    def lost(self, reason: str) -> None:
        self.losses.append(reason)
        self._news.set()

    async def until(self, test: Callable[[], bool]) -> None:
        """Wait until ``test`` is true of what was heard and lost."""
        async with asyncio.timeout(WAIT_S):
            while not test():
                self._news.clear()
                await self._news.wait()

    async def lose(self, count: int) -> None:
        await self.until(lambda: len(self.losses) >= count)


@asynccontextmanager
async def kept(*lives: Sequence[Action] | OSError) -> AsyncIterator[Stage]:
    """Keep indexers running that play these parts; those that follow do nothing."""
    stage = Stage(lives)
    keeping = asyncio.create_task(stage.supervisor.keep())
    try:
        yield stage
        assert not keeping.done()
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping
    assert all(spawned.process.poll() is not None for spawned in stage.spawned)


def play(scene: Coroutine[Any, Any, None]) -> None:
    asyncio.run(scene)


@pytest.fixture
def delays_s(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Wait for nothing between two lives; return how long it would have been."""
    found: list[float] = []
    sleep = asyncio.sleep

    async def _sleep(delay_s: float) -> None:
        is_between_lives = delay_s >= supervisor_module.RESTART_SECONDS_MIN
        if is_between_lives:
            found.append(delay_s)
        await sleep(0 if is_between_lives else delay_s)

    monkeypatch.setattr(asyncio, "sleep", _sleep)
    return found


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (("exit", 0), "exit status 0"),
        (("exit", 3), "exit status 3"),
        (("kill", signal.SIGKILL), "signal 9"),
        (("kill", signal.SIGSEGV), "signal 11"),
    ],
)
def test_an_indexer_that_dies_is_started_again(end: Action, reason: str) -> None:
    async def scene() -> None:
        async with kept([end], [say(feed.Opening()), STAY]) as stage:
            await stage.until(lambda: bool(stage.heard))
            assert stage.losses == [reason]
            assert stage.supervisor.deaths == 1
            assert stage.supervisor.pid == stage.spawned[1].process.pid

    play(scene())


def test_an_indexer_that_cannot_be_started_is_tried_again(delays_s: list[float]) -> None:
    async def scene() -> None:
        failure = OSError(12, "no memory")
        async with kept(failure, failure, [say(feed.Opening()), STAY]) as stage:
            await stage.until(lambda: bool(stage.heard))
            assert stage.losses == ["cannot be started: [Errno 12] no memory"] * 2
            assert delays_s == [0.1, 0.2]

    play(scene())


def test_one_that_was_started_before_is_the_first() -> None:
    async def scene() -> None:
        stage = Stage([[say(feed.Opening()), STAY]])
        spawned = stage.spawn()
        stage.supervisor = Supervisor(stage, stage.brief, spawned, stage.spawn)
        keeping = asyncio.create_task(stage.supervisor.keep())
        await stage.until(lambda: bool(stage.heard))
        assert stage.spawned == [spawned]
        keeping.cancel()
        await asyncio.wait([keeping])
        assert spawned.process.poll() == 0
        assert stage.supervisor.pid is None

    play(scene())


def test_messages_and_chunks_are_heard_in_the_order_they_were_sent() -> None:
    async def scene() -> None:
        async with kept(
            [say(feed.Opening()), say_chunk(3_000), say(feed.Published()), STAY]
        ) as stage:
            await stage.until(lambda: len(stage.heard) == 3_002)
            assert stage.heard == [feed.Opening(), *[b"c" * 1_000] * 3_000, feed.Published()]

    play(scene())


# -- questions ----------------------------------------------------------------------------------


def test_each_question_gets_its_own_answer() -> None:
    async def scene() -> None:
        async with kept([HEAR, ANSWER, ANSWER, ANSWER, STAY]) as stage:
            answers = await asyncio.gather(*(stage.supervisor.ask(look) for _ in range(3)))
            assert answers == LOOKED[1:4]

    play(scene())


@pytest.mark.parametrize("end", [DIE, ("kill", signal.SIGKILL), say_bytes(b"\xff" * 9)])
def test_what_was_not_answered_is_asked_of_the_next(end: Action) -> None:
    async def scene() -> None:
        lives = [[HEAR, HEAR, end], [HEAR, DIE], [HEAR, ANSWER, ANSWER, STAY]]
        async with kept(*lives) as stage:
            answers = await asyncio.gather(*(stage.supervisor.ask(look) for _ in range(2)))
            assert answers == LOOKED[1:3]
            assert stage.supervisor.deaths == 2

    play(scene())


def test_what_is_asked_while_none_runs_is_asked_of_the_next() -> None:
    async def scene() -> None:
        async with kept(OSError(), [HEAR, ANSWER, STAY]) as stage:
            await stage.lose(1)
            assert await stage.supervisor.ask(look) == LOOKED[1]

    play(scene())


def test_what_nobody_waits_for_any_more_is_not_asked_again() -> None:
    async def scene() -> None:
        async with kept([HEAR, HEAR, DIE], [HEAR, ANSWER, STAY]) as stage:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0):
                    await stage.supervisor.ask(look)
            assert await stage.supervisor.ask(look) == LOOKED[2]

    play(scene())


def test_an_answer_that_nobody_waits_for_is_nothing() -> None:
    async def scene() -> None:
        stray = say(LOOKED[7], feed.Told(9), LOOKED[1], LOOKED[1])
        async with kept([HEAR, HEAR, stray, say(feed.Opening()), STAY]) as stage:
            assert await stage.supervisor.ask(look) == LOOKED[1]
            await stage.until(lambda: bool(stage.heard))
            assert stage.heard == [feed.Opening()]
            assert not stage.losses

    play(scene())


# -- nonsense -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "nonsense",
    [
        b"Traceback (most recent call last):\n",
        b"\xff\xff\xff\xffm",
        b"\x00\x00\x00\x00m",
        b"\x00\x00\x00\x01m\x07",
        message_frame(feed.Start(b"", (), ())),
        message_frame({"not": "ours"}),
        message_frame(["Progress", "a", "b"]),
        b"\x00\x00\x00\x05m\x01[[[[",
        b"\x00\x00\x75\x31m\x01" + b"[" * 30_000,
    ],
    ids=["text", "large", "empty", "packing", "ours", "object", "types", "json", "deep"],
)
def test_an_indexer_that_talks_nonsense_is_ended_and_replaced(nonsense: bytes) -> None:
    async def scene() -> None:
        async with kept([say_bytes(nonsense), STAY], [say(feed.Opening()), STAY]) as stage:
            await stage.until(lambda: bool(stage.heard))
            assert stage.losses == ["signal 9"]

    play(scene())


@pytest.mark.parametrize("refusal", [ValueError("no"), LookupError("no"), KeyError("no")])
def test_an_indexer_whose_messages_make_no_sense_is_ended_and_replaced(refusal: Exception) -> None:
    async def scene() -> None:
        async with kept([HEAR, say(feed.Published()), STAY], [STAY]) as stage:
            stage.refusals.append(refusal)
            await stage.lose(1)
            assert stage.losses == ["signal 9"]

    play(scene())


def test_an_indexer_that_hangs_up_and_stays_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor_module, "_END_SECONDS_MAX", 0.05)

    async def scene() -> None:
        async with kept([HEAR, ("hang",)]) as stage:
            await stage.lose(1)
            assert stage.losses == ["did not end by itself"]

    play(scene())


# -- again and again ----------------------------------------------------------------------------


def test_the_wait_between_lives_grows_to_half_a_minute(delays_s: list[float]) -> None:
    async def scene() -> None:
        async with kept(*([OSError()] * 12)) as stage:
            await stage.lose(12)

    play(scene())
    assert delays_s[:4] == [0.1, 0.2, 0.4, 0.8]
    assert delays_s[8:11] == [25.6, 30.0, 30.0]


def test_an_indexer_that_never_starts_is_tried_for_ever(delays_s: list[float]) -> None:
    """After half a day of trying every half a minute, the server is still there."""

    async def scene() -> None:
        async with kept(*([OSError()] * 1_500)) as stage:
            await stage.lose(1_400)

    play(scene())
    assert delays_s[-1] == 30.0


@pytest.mark.parametrize(("steady_s", "second_s"), [(10.0, 0.2), (-1.0, 0.1)])
def test_one_that_lived_long_is_started_again_at_once(
    delays_s: list[float], monkeypatch: pytest.MonkeyPatch, steady_s: float, second_s: float
) -> None:
    monkeypatch.setattr(supervisor_module, "STEADY_SECONDS", steady_s)

    async def scene() -> None:
        async with kept([DIE], [DIE]) as stage:
            await stage.lose(2)
            await asyncio.sleep(0)

    play(scene())
    assert delays_s[:2] == [0.1, second_s]


def test_what_was_saved_is_ignored_after_four_deaths_without_publishing(
    delays_s: list[float],
) -> None:
    async def scene() -> None:
        publishing = [HEAR, say(feed.Published()), DIE]
        async with kept(*([[DIE]] * 5), publishing) as stage:
            await stage.lose(6)
            await stage.until(lambda: len(stage.ignored_state) >= 6)
            await stage.until(lambda: len(stage.ignored_state) >= 7)
            assert stage.ignored_state == [False] * 4 + [True] * 2 + [False]
            assert delays_s[5] == 0.1

    play(scene())


def test_the_next_is_told_which_notes_to_suspect_and_which_not_to_parse(
    delays_s: list[float],
) -> None:
    async def scene() -> None:
        slice_of_two = feed.Parsing((("a.md", "x"), ("b.md", "y")))
        alone = feed.Parsing((("b.md", "y"),))
        done = feed.Parsing(())
        lives = [
            [TELL, say(slice_of_two), DIE],
            [TELL, say(slice_of_two, alone), DIE],
            [TELL, say(alone, done), DIE],
            [TELL, STAY],
        ]
        async with kept(*lives) as stage:
            await stage.until(lambda: len(stage.heard) == 4)
            told = [feed.unpack_to_indexer(data) for data in stage.heard if isinstance(data, bytes)]
        suspects, quarantined = ("a.md", "b.md"), ("y",)
        assert told == [
            feed.Start(b"settings", (), ()),
            feed.Start(b"settings", suspects, ()),
            feed.Start(b"settings", suspects, quarantined),
            feed.Start(b"settings", suspects, quarantined),
        ]
        assert len(delays_s) == 3

    play(scene())


@pytest.mark.parametrize("count", [0, 1, 3_000])
def test_what_was_said_before_the_end_is_heard_though_a_question_was_not(
    delays_s: list[float], count: int
) -> None:
    """Otherwise nobody would know what was parsed when it died."""

    async def scene() -> None:
        parsing = say(feed.Parsing((("a.md", "x"),)))
        async with kept([HEAR, say_chunk(count), parsing, DIE], [TELL, STAY]) as stage:
            asking = asyncio.create_task(stage.supervisor.ask(look))
            await stage.until(lambda: len(stage.heard) == count + 1)
            told = stage.heard[-1]
            asking.cancel()
        assert isinstance(told, bytes)
        assert feed.unpack_to_indexer(told) == feed.Start(b"settings", ("a.md",), ())
        assert len(delays_s) == 1

    play(scene())


# -- holding and ending -------------------------------------------------------------------------


def test_nothing_is_heard_while_it_is_held() -> None:
    async def scene() -> None:
        async with kept([HEAR, HEAR, say(feed.Opening(), LOOKED[1]), STAY]) as stage:
            async with stage.supervisor.held():
                asking = asyncio.create_task(stage.supervisor.ask(look))
                await asyncio.wait([asking], timeout=0.15)
                assert not asking.done()
                assert not stage.heard
            await asking
            assert stage.heard == [feed.Opening()]

    play(scene())


@pytest.mark.parametrize("life", [[STAY], [HEAR, HEAR, STAY], [DIE]])
def test_an_indexer_ends_with_whoever_kept_it(life: Sequence[Action]) -> None:
    async def scene() -> None:
        async with kept(life) as stage:
            await stage.until(lambda: True)
            await asyncio.sleep(0.02)

    play(scene())
