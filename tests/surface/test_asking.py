"""Requests to an indexer are answered; if it dies first, by the next indexer."""

import asyncio
import signal

import pytest

from clew.values import ipc
from tests.stages import ANSWER, DIE, HEAR, LOOKED, STAY, Action, kept, look, play, say, say_bytes


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
