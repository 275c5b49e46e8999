"""Scripted indexers, run one after the other by a supervisor."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

from clew.surface.children import Spawned, spawn
from clew.surface.server.child.supervisor import Supervisor
from clew.values import ipc
from clew.values.ipc import chunk_frame, message_frame
from tests.processes import end

WAIT_S = 60.0  # only a process that hangs takes longer

# A scripted indexer: runs a list of actions, with the channel as its standard input. It knows only
# enough of the protocol to read a frame and to find the ticket of a request.
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
        request = hear()
        ticket = request[3 + (request[2] & 31)]  # after the message's name
        channel.sendall(bytes.fromhex(word[ticket]))
    elif action == "exit":
        os._exit(word)
    elif action == "kill":
        os.kill(os.getpid(), word)
    elif action == "hang":
        os.close(0)
        channel.close()
        time.sleep(600)
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
LOOKED = [ipc.WalkReply(ticket, ticket, 0, 0, 0.0, None) for ticket in range(10)]
ANSWER: Action = ("answer", [message_frame(looked).hex() for looked in LOOKED])


def say(*messages: object) -> Action:
    return ("say", b"".join(map(message_frame, messages)).hex())


def say_bytes(data: bytes) -> Action:
    return ("say", data.hex())


def say_chunk(count: int) -> Action:
    """Send ``count`` chunks of a thousand bytes."""
    return (*say_bytes(chunk_frame(b"c" * 1_000)), count)


def look(ticket: int) -> ipc.WalkRequest:
    return ipc.WalkRequest(ticket, full=False)


class Stage:
    """A supervisor of scripted indexers, and the messages it received."""

    def __init__(self, lives: Iterable[Sequence[Action] | OSError]) -> None:
        self.lives = iter(lives)
        self.spawned: list[Spawned] = []
        self.heard: list[ipc.FromIndexer | bytes] = []
        self.losses: list[str] = []
        self.ignored_state: list[bool] = []
        self.refusals: list[Exception] = []  # raised when the next messages are received
        self.followed_generation: int | None = None
        self.steps = 0  # of what the last message left to do
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

    def receive(self, message: ipc.FromIndexer | bytes) -> None:
        self.heard.append(message)
        self._news.set()
        if self.refusals:
            raise self.refusals.pop()

    def steps_left(self) -> Iterator[None]:
        while self.steps:
            self.steps -= 1
            yield

    def indexer_ended(self, reason: str) -> None:
        self.losses.append(reason)
        self._news.set()

    async def until(self, test: Callable[[], bool]) -> None:
        """Wait until ``test`` is true of the received messages and of the lost indexers."""
        async with asyncio.timeout(WAIT_S):
            while not test():
                self._news.clear()
                await self._news.wait()

    async def lose(self, count: int) -> None:
        await self.until(lambda: len(self.losses) >= count)


@asynccontextmanager
async def kept(*lives: Sequence[Action] | OSError) -> AsyncIterator[Stage]:
    """Run indexers with these scripts; later indexers do nothing."""
    stage = Stage(lives)
    keeping = asyncio.create_task(stage.supervisor.keep())
    try:
        yield stage
        assert not keeping.done()
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping
        leftover = [one.process for one in stage.spawned if one.process.poll() is None]
        for process in leftover:
            end(process)
    assert not leftover, "the supervisor left indexers running"


def play(scene: Coroutine[Any, Any, None]) -> None:
    asyncio.run(scene)
