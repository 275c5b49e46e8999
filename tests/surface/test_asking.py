"""Requests to an indexer are answered; if it dies first, by the next indexer."""

import asyncio
import os
import signal

import pytest

from clew.values import ipc
from clew.values.ipc import message_frame
from tests.stages import (
    ANSWER,
    DIE,
    HEAR,
    LOOKED,
    STAY,
    TELL,
    Action,
    kept,
    look,
    play,
    say,
    say_bytes,
)

PATH_BYTES = 100_000
GIVEN_UP = 50  # requests
HEARD_MAX = 20  # frames, of which the system's buffers hold some before the indexer is stopped
HEAD_BYTES = 5  # of a frame


def test_each_request_gets_its_own_reply() -> None:
    async def scene() -> None:
        async with kept([HEAR, ANSWER, ANSWER, ANSWER, STAY]) as stage:
            answers = await asyncio.gather(*(stage.supervisor.ask(look) for _ in range(3)))
            assert answers == LOOKED[1:4]

    play(scene())


@pytest.mark.slow
@pytest.mark.parametrize("end", [DIE, ("kill", signal.SIGKILL), say_bytes(b"\xff" * 9)])
def test_pending_requests_are_sent_to_the_next_indexer(end: Action) -> None:
    async def scene() -> None:
        lives = [[HEAR, HEAR, end], [HEAR, DIE], [HEAR, ANSWER, ANSWER, STAY]]
        async with kept(*lives) as stage:
            answers = await asyncio.gather(*(stage.supervisor.ask(look) for _ in range(2)))
            assert answers == LOOKED[1:3]
            assert stage.supervisor.deaths == 2

    play(scene())


def test_a_request_made_while_no_indexer_runs_is_sent_to_the_next() -> None:
    async def scene() -> None:
        async with kept(OSError(), [HEAR, ANSWER, STAY]) as stage:
            await stage.lose(1)
            assert await stage.supervisor.ask(look) == LOOKED[1]

    play(scene())


def test_a_cancelled_request_is_not_sent_again() -> None:
    async def scene() -> None:
        async with kept([HEAR, HEAR, DIE], [HEAR, ANSWER, STAY]) as stage:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0):
                    await stage.supervisor.ask(look)
            assert await stage.supervisor.ask(look) == LOOKED[2]

    play(scene())


def test_a_reply_to_a_cancelled_request_is_ignored() -> None:
    async def scene() -> None:
        stray = say(LOOKED[7], ipc.EdgeCountReply(9, 0), LOOKED[1], LOOKED[1])
        async with kept([HEAR, HEAR, stray, say(ipc.RevisionStarted(None)), STAY]) as stage:
            assert await stage.supervisor.ask(look) == LOOKED[1]
            await stage.until(lambda: bool(stage.heard))
            assert stage.heard == [ipc.RevisionStarted(None)]
            assert not stage.losses

    play(scene())


def test_requests_that_were_given_up_are_not_kept_for_an_indexer_that_reads_nothing() -> None:
    def long(ticket: int) -> ipc.WalkRequest:
        return ipc.WalkRequest(ticket, full=False, paths=("x" * PATH_BYTES,))

    async def scene() -> None:
        async with kept([HEAR, say(ipc.RevisionStarted(None)), *[TELL] * HEARD_MAX]) as stage:
            await stage.until(lambda: bool(stage.heard))
            stopped = stage.spawned[0].process.pid
            os.kill(stopped, signal.SIGSTOP)
            for _ in range(GIVEN_UP):
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(0.001):
                        await stage.supervisor.ask(long)
                stage.supervisor.tell(ipc.SaveAgain())
            last = asyncio.create_task(stage.supervisor.ask(look))
            await asyncio.sleep(0)
            os.kill(stopped, signal.SIGCONT)
            wanted = message_frame(look(GIVEN_UP + 1))[HEAD_BYTES:]
            await stage.until(lambda: wanted in stage.heard or len(stage.heard) > HEARD_MAX)
            assert wanted in stage.heard
            last.cancel()

    play(scene())
