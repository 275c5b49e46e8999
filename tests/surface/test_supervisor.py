"""A server whose indexer dies, sends invalid messages or never starts."""

import asyncio
import signal
from collections.abc import Sequence

import pytest

from clew.surface.server.child import supervisor as supervisor_module
from clew.surface.server.child.supervisor import DEATHS_BEFORE_IGNORING_STATE, Supervisor
from clew.values import ipc
from clew.values.ipc import message_frame
from tests.stages import (
    DIE,
    HEAR,
    LOOKED,
    STAY,
    Action,
    Stage,
    kept,
    look,
    play,
    say,
    say_bytes,
    say_chunk,
)
from tests.tables import for_each_row


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (("exit", 0), "exit status 0"),
        (("exit", 3), "exit status 3"),
        (("kill", signal.SIGKILL), "signal 9"),
        (("kill", signal.SIGSEGV), "signal 11"),
    ],
)
def test_an_indexer_that_dies_is_restarted(end: Action, reason: str) -> None:
    async def scene() -> None:
        async with kept([end], [say(ipc.RevisionStarted(None)), STAY]) as stage:
            await stage.until(lambda: bool(stage.heard))
            assert stage.losses == [reason]
            assert stage.supervisor.deaths == 1
            assert stage.supervisor.pid == stage.spawned[1].process.pid

    play(scene())


def test_starting_an_indexer_is_retried(delays_s: list[float]) -> None:
    async def scene() -> None:
        failure = OSError(12, "no memory")
        async with kept(failure, failure, [say(ipc.RevisionStarted(None)), STAY]) as stage:
            await stage.until(lambda: bool(stage.heard))
            assert stage.losses == ["cannot be started: [Errno 12] no memory"] * 2
            assert delays_s == [0.1, 0.2]

    play(scene())


@pytest.mark.usefixtures("delays_s")
@for_each_row(
    ("life", "ignores"),
    [(OSError(24, "too many open files"), False), ([DIE], True)],
)
def test_only_indexers_that_ran_make_the_next_one_ignore_the_state(
    life: OSError | Sequence[Action], ignores: bool
) -> None:
    async def scene() -> None:
        lives = [life] * DEATHS_BEFORE_IGNORING_STATE
        async with kept(*lives, [say(ipc.RevisionStarted(None)), STAY]) as stage:
            await stage.until(lambda: bool(stage.heard))
            assert stage.ignored_state[-1] == ignores

    play(scene())


@for_each_row(("steady_s", "expected_s"), [(10.0, [0.1, 0.2, 0.4]), (0.0, [0.1, 0.1, 0.1])])
def test_an_indexer_that_ran_for_long_is_restarted_without_a_longer_delay(
    delays_s: list[float],
    monkeypatch: pytest.MonkeyPatch,
    steady_s: float,
    expected_s: list[float],
) -> None:
    monkeypatch.setattr(supervisor_module, "STEADY_SECONDS", steady_s)
    delays_s.clear()

    async def scene() -> None:
        async with kept([DIE], [DIE], [DIE], [say(ipc.RevisionStarted(None)), STAY]) as stage:
            await stage.until(lambda: bool(stage.heard))
            assert delays_s == expected_s

    play(scene())


def test_an_indexer_that_was_spawned_early_is_used_first() -> None:
    async def scene() -> None:
        stage = Stage([[say(ipc.RevisionStarted(None)), STAY]])
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


def test_messages_and_chunks_are_received_in_the_order_they_were_sent() -> None:
    async def scene() -> None:
        async with kept(
            [
                say(ipc.RevisionStarted(None)),
                say_chunk(3_000),
                say(ipc.RevisionPublished(is_new=True)),
                STAY,
            ]
        ) as stage:
            await stage.until(lambda: len(stage.heard) == 3_002)
            assert stage.heard == [
                ipc.RevisionStarted(None),
                *[b"c" * 1_000] * 3_000,
                ipc.RevisionPublished(is_new=True),
            ]

    play(scene())


# -- invalid messages ---------------------------------------------------------------------------


@pytest.mark.slow
@for_each_row(
    "nonsense",
    [
        b"Traceback (most recent call last):\n",
        b"\xff\xff\xff\xffm",
        b"\x00\x00\x00\x00m",
        b"\x00\x00\x00\x01m\x07",
        message_frame(ipc.Start(b"", (), ())),
        message_frame({"not": "ours"}),
        message_frame(["Progress", "a", "b"]),
        b"\x00\x00\x00\x05m\x01[[[[",
        b"\x00\x00\x75\x31m\x01" + b"[" * 30_000,
    ],
)
def test_an_indexer_that_sends_invalid_bytes_is_ended_and_replaced(nonsense: bytes) -> None:
    async def scene() -> None:
        async with kept(
            [say_bytes(nonsense), STAY], [say(ipc.RevisionStarted(None)), STAY]
        ) as stage:
            await stage.until(lambda: bool(stage.heard))
            assert stage.losses == ["signal 9"]

    play(scene())


@pytest.mark.parametrize("refusal", [ValueError("no"), LookupError("no"), KeyError("no")])
def test_an_indexer_that_sends_messages_out_of_order_is_ended_and_replaced(
    refusal: Exception,
) -> None:
    async def scene() -> None:
        async with kept([HEAR, say(ipc.RevisionPublished(is_new=True)), STAY], [STAY]) as stage:
            stage.refusals.append(refusal)
            await stage.lose(1)
            assert stage.losses == ["signal 9"]

    play(scene())


def test_an_indexer_that_closes_its_channel_and_does_not_exit_is_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervisor_module, "_EXIT_SECONDS_MAX", 0.05)

    async def scene() -> None:
        async with kept([HEAR, ("hang",)]) as stage:
            await stage.lose(1)
            assert stage.losses == ["did not end by itself"]

    play(scene())


# -- pausing and ending -------------------------------------------------------------------------


def test_no_message_is_applied_while_paused() -> None:
    async def scene() -> None:
        async with kept([HEAR, HEAR, say(ipc.RevisionStarted(None), LOOKED[1]), STAY]) as stage:
            async with stage.supervisor.hold_messages():
                asking = asyncio.create_task(stage.supervisor.ask(look))
                await asyncio.wait([asking], timeout=0.15)
                assert not asking.done()
                assert not stage.heard
            await asking
            assert stage.heard == [ipc.RevisionStarted(None)]

    play(scene())


@pytest.mark.parametrize("life", [[STAY], [HEAR, HEAR, STAY], [DIE]])
def test_an_indexer_ends_with_its_supervisor(life: Sequence[Action]) -> None:
    async def scene() -> None:
        async with kept(life) as stage:
            await stage.until(lambda: True)
            await asyncio.sleep(0.02)

    play(scene())


def test_others_run_between_the_steps_that_a_message_leaves_to_do() -> None:
    async def scene() -> None:
        messages = [say(ipc.RevisionStarted(None)), say(ipc.RevisionPublished(True)), STAY]
        async with kept(messages) as stage:
            stage.steps = 5
            seen = list[tuple[int, int]]()
            while len(stage.heard) < 2:
                seen.append((len(stage.heard), stage.steps))
                await asyncio.sleep(0)
            assert {(1, left) for left in (1, 2, 3, 4)} <= set(seen)

    play(scene())
