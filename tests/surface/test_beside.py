"""Work on another thread beside a query: begun early, never waited for in vain, never lost."""

import gc
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any
from weakref import ref

import pytest

from clew.surface.server import beside as module
from clew.surface.server.beside import Beside

SECONDS_MAX = 120.0  # only what hangs takes longer, on any machine


@pytest.fixture(autouse=True)
def two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})


class Piece:
    """A piece of work that waits until it is released, and knows who ran it."""

    def __init__(self, *, is_held: bool = False) -> None:
        self.begun, self.release = threading.Event(), threading.Event()
        self.runs: list[int] = []  # the threads that ran it
        if not is_held:
            self.release.set()

    def __call__(self) -> None:
        """Run it."""
        self.begun.set()
        assert self.release.wait(SECONDS_MAX)
        self.runs.append(threading.get_ident())


def here(*pieces: Piece) -> list[bool]:
    """Return for each piece, which ran once, whether this thread ran it."""
    assert [len(piece.runs) for piece in pieces] == [1] * len(pieces)
    return [piece.runs == [threading.get_ident()] for piece in pieces]


def is_on_thread(beside: Beside) -> bool:
    """Return whether work runs on another thread, which may be late on a busy machine."""
    piece = Piece(is_held=True)
    finish = beside.begin([piece])
    assert piece.begun.wait(SECONDS_MAX)
    piece.release.set()
    finish()
    return not any(here(piece))


def test_work_runs_on_another_thread_before_its_result_is_needed() -> None:
    assert is_on_thread(Beside())


def test_pieces_that_the_thread_has_not_begun_run_where_their_results_are_needed() -> None:
    first, second, third = Piece(is_held=True), Piece(), Piece()

    def release() -> None:
        assert second.begun.wait(SECONDS_MAX)
        first.release.set()

    finish = Beside().begin([first, second, third])
    assert first.begun.wait(SECONDS_MAX)
    releasing = threading.Thread(target=release)
    releasing.start()
    finish()
    releasing.join()
    assert here(first, second, third) == [False, True, True]


def test_the_thread_runs_all_pieces_if_nobody_waits() -> None:
    first, second = Piece(), Piece()
    finish = Beside().begin([first, second])
    began_s = time.monotonic()
    while not second.runs:
        assert time.monotonic() - began_s < SECONDS_MAX
        time.sleep(0.001)
    finish()
    assert here(first, second) == [False, False]


def test_while_the_thread_is_busy_other_work_runs_where_its_result_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    beside, busy, other = Beside(), Piece(is_held=True), Piece()
    finish = beside.begin([busy])
    assert busy.begun.wait(SECONDS_MAX)
    with monkeypatch.context() as patched:
        patched.setattr(ThreadPoolExecutor, "submit", None)  # to queue it would make it late
        beside.begin([other])()
    busy.release.set()
    finish()
    assert here(busy, other) == [False, True]
    assert is_on_thread(beside)


def test_one_processor_does_all_work_where_its_result_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    first, second = Piece(), Piece()
    Beside().begin([first, second])()
    assert here(first, second) == [True, True]


def test_work_that_the_thread_has_not_begun_runs_where_its_result_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As on a machine whose processors are all busy."""
    monkeypatch.setattr(module, "HANDOVER_S", 0.0)
    monkeypatch.setattr(ThreadPoolExecutor, "submit", lambda *_: Future[Any]())
    piece = Piece()
    Beside().begin([piece])()
    assert here(piece) == [True]


@pytest.mark.parametrize("error", [ValueError("bad"), IndexError("bad")])
def test_errors_of_the_work_are_passed_on(error: Exception) -> None:
    def fail() -> None:
        raise error

    beside, piece = Beside(), Piece()
    with pytest.raises(type(error), match="bad"):
        beside.begin([fail])()
    beside.begin([piece])()
    assert piece.runs


def test_an_error_does_not_keep_the_work() -> None:
    class Failing(Piece):
        """A piece with megabytes."""

        def __call__(self) -> None:
            """Fail."""
            raise ValueError("bad")

    beside = Beside()

    def failed() -> "ref[Piece]":
        piece = Failing()
        finish = beside.begin([piece])
        with pytest.raises(ValueError, match="bad"):
            finish()
        return ref(piece)

    kept = failed()
    began_s = time.monotonic()
    while kept() is not None:
        assert time.monotonic() - began_s < SECONDS_MAX
        gc.collect()
        time.sleep(0.001)


def test_where_processors_cannot_be_counted_there_is_one_at_least(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As on macOS, which does not tell what a process may use."""
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    piece = Piece()
    Beside().begin([piece])()
    assert here(piece) == [True]


def test_where_no_thread_can_be_started_work_runs_where_its_result_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    beside, piece = Beside(), Piece()

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        beside.begin([piece])()
    assert is_on_thread(beside)
    assert here(piece) == [True]  # not once more, by the thread that was started later


def test_a_result_is_kept_no_longer_than_its_query() -> None:
    beside = Beside()

    def begun() -> tuple["ref[Piece]", Callable[[], None]]:
        piece = Piece()
        return ref(piece), beside.begin([piece])

    kept, finish = begun()
    finish()
    del finish
    began_s = time.monotonic()
    while kept() is not None:  # the thread lets go of it a moment after the result is there
        assert time.monotonic() - began_s < SECONDS_MAX
        time.sleep(0.001)
