"""Indexers that die repeatedly: the delay before the next one, and its start message."""

import asyncio

import pytest

from clew.surface.server.child import supervisor as supervisor_module
from clew.values import ipc
from tests.stages import DIE, HEAR, STAY, TELL, kept, look, play, say, say_chunk


def test_the_delay_between_restarts_grows_to_half_a_minute(delays_s: list[float]) -> None:
    async def scene() -> None:
        async with kept(*([OSError()] * 12)) as stage:
            await stage.lose(12)

    play(scene())
    assert delays_s[:4] == [0.1, 0.2, 0.4, 0.8]
    assert delays_s[8:11] == [25.6, 30.0, 30.0]


def test_starting_an_indexer_is_retried_for_ever(delays_s: list[float]) -> None:
    """After half a day of attempts every half minute, the server still runs."""

    async def scene() -> None:
        async with kept(*([OSError()] * 1_500)) as stage:
            await stage.lose(1_400)

    play(scene())
    assert delays_s[-1] == 30.0


@pytest.mark.parametrize(("steady_s", "second_s"), [(10.0, 0.2), (-1.0, 0.1)])
def test_an_indexer_that_ran_long_is_restarted_at_once(
    delays_s: list[float], monkeypatch: pytest.MonkeyPatch, steady_s: float, second_s: float
) -> None:
    monkeypatch.setattr(supervisor_module, "STEADY_SECONDS", steady_s)

    async def scene() -> None:
        async with kept([DIE], [DIE]) as stage:
            await stage.lose(2)
            await asyncio.sleep(0)

    play(scene())
    assert delays_s[:2] == [0.1, second_s]


def test_the_saved_state_is_ignored_after_four_deaths_without_publishing(
    delays_s: list[float],
) -> None:
    async def scene() -> None:
        publishing = [HEAR, say(ipc.RevisionPublished(is_new=True)), DIE]
        async with kept(*([[DIE]] * 5), publishing) as stage:
            await stage.lose(6)
            await stage.until(lambda: len(stage.ignored_state) >= 6)
            await stage.until(lambda: len(stage.ignored_state) >= 7)
            assert stage.ignored_state == [False] * 4 + [True] * 2 + [False]
            assert delays_s[5] == 0.1

    play(scene())


def test_the_start_message_names_suspects_and_quarantined_notes(
    delays_s: list[float],
) -> None:
    async def scene() -> None:
        slice_of_two = ipc.ParsingStarted((("a.md", "x"), ("b.md", "y")))
        alone = ipc.ParsingStarted((("b.md", "y"),))
        done = ipc.ParsingStarted(())
        lives = [
            [TELL, say(slice_of_two), DIE],
            [TELL, say(slice_of_two, alone), DIE],
            [TELL, say(alone, done), DIE],
            [TELL, STAY],
        ]
        async with kept(*lives) as stage:
            stage.followed_generation = 7
            await stage.until(lambda: len(stage.heard) == 1)
            stage.followed_generation = None
            await stage.until(lambda: len(stage.heard) == 4)
            told = [ipc.unpack_to_indexer(data) for data in stage.heard if isinstance(data, bytes)]
        suspects, quarantined = ("a.md", "b.md"), ("y",)
        assert told == [
            ipc.Start(b"settings", (), (), may_renew=True, followed_generation=7),
            ipc.Start(b"settings", suspects, (), may_renew=True),
            ipc.Start(b"settings", suspects, quarantined, may_renew=True),
            ipc.Start(b"settings", suspects, quarantined, may_renew=True),
        ]
        assert len(delays_s) == 3

    play(scene())


@pytest.mark.parametrize("count", [0, 1, 3_000])
def test_the_last_messages_of_an_indexer_are_received_though_it_read_no_request(
    delays_s: list[float], count: int
) -> None:
    """Otherwise the notes that it was parsing would be unknown."""

    async def scene() -> None:
        parsing = say(ipc.ParsingStarted((("a.md", "x"),)))
        async with kept([HEAR, say_chunk(count), parsing, DIE], [TELL, STAY]) as stage:
            asking = asyncio.create_task(stage.supervisor.ask(look))
            await stage.until(lambda: len(stage.heard) == count + 1)
            told = stage.heard[-1]
            asking.cancel()
        assert isinstance(told, bytes)
        assert ipc.unpack_to_indexer(told) == ipc.Start(b"settings", ("a.md",), (), may_renew=True)
        assert len(delays_s) == 1

    play(scene())
