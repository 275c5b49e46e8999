"""Work on another thread beside a query: begun early, never waited for in vain, never lost."""

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


def held(begun: threading.Event, release: threading.Event) -> Callable[[], int]:
    def work() -> int:
        begun.set()
        assert release.wait(SECONDS_MAX)
        return threading.get_ident()

    return work


def runs_on_thread(beside: Beside) -> bool:
    """Return whether work runs on another thread, which may be late on a busy machine."""
    begun, release = threading.Event(), threading.Event()
    result = beside.begin(held(begun, release))
    assert begun.wait(SECONDS_MAX)
    release.set()
    return result() != threading.get_ident()


def test_work_runs_on_another_thread_before_its_result_is_needed() -> None:
    assert runs_on_thread(Beside())


def test_while_the_thread_is_busy_other_work_runs_where_its_result_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    beside, begun, release = Beside(), threading.Event(), threading.Event()
    first = beside.begin(held(begun, release))
    assert begun.wait(SECONDS_MAX)
    with monkeypatch.context() as patched:
        patched.setattr(ThreadPoolExecutor, "submit", None)  # to queue it would make it late
        assert beside.begin(threading.get_ident)() == threading.get_ident()
    release.set()
    first()
    assert runs_on_thread(beside)


def test_work_that_the_thread_has_not_begun_runs_where_its_result_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As on a machine whose processors are all busy."""
    monkeypatch.setattr(module, "HANDOVER_S", 0.0)
    monkeypatch.setattr(ThreadPoolExecutor, "submit", lambda *_: Future[Any]())
    assert Beside().begin(threading.get_ident)() == threading.get_ident()


def test_errors_of_the_work_are_passed_on() -> None:
    def fail() -> int:
        raise ValueError("bad")

    beside = Beside()
    with pytest.raises(ValueError, match="bad"):
        beside.begin(fail)()
    assert beside.begin(lambda: 1)() == 1


def test_where_no_thread_can_be_started_work_runs_where_its_result_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    beside, ran = Beside(), []

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        assert beside.begin(lambda: ran.append(1))() is None
    assert runs_on_thread(beside)
    assert ran == [1]  # not once more, by the thread that was started later


def test_a_result_is_kept_no_longer_than_its_query() -> None:
    class Result:
        """Megabytes."""

    beside = Beside()
    result = beside.begin(Result)
    kept = ref(result())
    del result
    began_s = time.monotonic()
    while kept() is not None:  # the thread lets go of it a moment after the result is there
        assert time.monotonic() - began_s < SECONDS_MAX
        time.sleep(0.001)
