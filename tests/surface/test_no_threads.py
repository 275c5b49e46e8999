"""Where the system starts no threads, everything is answered, ``status`` tells, and it recovers."""

import gc
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from weakref import ref

import pytest

from clew.surface.indexer.background.child_process import ChildProcess
from clew.surface.indexer.link import Link
from clew.surface.indexer.watching import watch as watch_module
from clew.surface.indexer.watching.change_hints import Hints
from clew.surface.server.shared_work import Threads
from clew.values import ipc
from tests.daemons import broken_parts, prepared
from tests.faults.vaults import knows, vault_of

NOTES = {"a.md": "[[x]] gauge\n", "b.md": "[[x]]\n"}
FOLDERS = {"": (1, 0)}
# Python loads this module at its start; while the file exists, no thread can be started.
SITECUSTOMIZE = """
import os, threading

def refusing(start):
    def start_or_refuse(*args, **kwargs):
        if os.path.exists(os.environ["NO_THREADS"]):
            raise RuntimeError("can't start new thread")
        return start(*args, **kwargs)
    return start_or_refuse

for name in ("_start_new_thread", "_start_joinable_thread"):
    if hasattr(threading, name):
        setattr(threading, name, refusing(getattr(threading, name)))
"""
# Requests that use a thread where there is one.
ASKED: dict[str, dict[str, Any]] = {
    "search": {"query": "gauge"},
    "context": {"query": "gauge"},
    "assemble": {"task": {"text": "gauge"}},
    "rank": {"query": "gauge"},
    "graph": {"format": "html"},
    "session.append": {"sessionId": "s", "role": "user", "content": "hello"},
    "sync": {},
}


def refuse(_: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


@pytest.fixture
def no_threads() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        yield patched
    Threads.are_refused()  # it sees that threads can be started again


def test_work_is_done_once_whether_or_not_a_thread_can_be_started(
    no_threads: pytest.MonkeyPatch,
) -> None:
    threads, ran = Threads(max_workers=1, thread_name_prefix="test"), list[int]()
    assert threads.submit(lambda: ran.append(1)).result() is None
    with pytest.raises(ValueError, match="bad"):
        threads.submit(int, "bad").result()
    assert threads.are_refused()
    no_threads.undo()
    assert not threads.are_refused()
    assert threads.submit(threading.get_ident).result() != threading.get_ident()
    assert ran == [1]


@pytest.mark.usefixtures("no_threads")
def test_results_are_not_kept_while_no_thread_can_be_started() -> None:
    class Result:
        pass

    threads = Threads(max_workers=1, thread_name_prefix="test")
    result = ref(threads.submit(Result).result())
    gc.collect()
    assert result() is None


def test_cancelled_work_is_not_done() -> None:
    threads = Threads(max_workers=1, thread_name_prefix="test")
    release, ran = threading.Event(), list[int]()
    first = threads.submit(release.wait)
    assert threads.submit(lambda: ran.append(1)).cancel()
    release.set()
    first.result()
    threads.submit(int).result()
    assert ran == []


@pytest.mark.usefixtures("no_threads")
def test_messages_for_a_thread_are_sent_without_one() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        link = Link(ours)
        link.send_on_thread([ipc.ReadingProgress(1, 2)])
        link.send(ipc.ReadingProgress(2, 2))
        reader = ipc.FrameReader(ipc.unpack_from_indexer)
        heard = list(reader.feed(theirs.recv(65_536)))
    assert heard == [ipc.ReadingProgress(1, 2), ipc.ReadingProgress(2, 2)]


@pytest.mark.usefixtures("no_threads")
def test_a_job_without_a_thread_has_failed() -> None:
    woken = threading.Event()
    process = ChildProcess(["false"], 1.0, bytes, woken.set, "its")
    process.start(b"")
    assert process.take() == "can't start new thread"
    assert woken.is_set()


def test_a_watch_without_a_thread_is_tried_again(
    tmp_path: Path, no_threads: pytest.MonkeyPatch
) -> None:
    hints = Hints(str(tmp_path), 10, lambda: None)
    hints.watch(FOLDERS)
    assert hints.failure is not None
    no_threads.undo()
    hints.revive_at_s = 0.0
    hints.watch(FOLDERS)
    assert hints.failure is None
    while not hints.take()[0]:  # the watch is armed
        pass
    hints.watch({})


def test_a_watch_that_panics_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A panic of watchfiles, which starts a thread itself, is no ``Exception``."""

    class Panic(BaseException):
        pass

    def panic(*_: object, **__: object) -> Iterator[None]:
        raise Panic

    woken = threading.Event()
    monkeypatch.setattr(watch_module, "watch", panic)
    hints = Hints(str(tmp_path), 10, woken.set)
    hints.watch(FOLDERS)
    assert woken.wait(10.0)
    assert hints.failure is not None


def test_watchfiles_is_not_asked_if_it_could_start_no_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would abort the process."""
    start, asked, woken = threading.Thread.start, list[object](), threading.Event()

    def start_watch_alone(thread: threading.Thread) -> None:
        (start if thread.name == "clew-watch" else refuse)(thread)

    def watch(*paths: object, **_: object) -> Iterator[None]:
        asked.extend(paths)
        return iter(())

    monkeypatch.setattr(threading.Thread, "start", start_watch_alone)
    monkeypatch.setattr(watch_module, "watch", watch)
    hints = Hints(str(tmp_path), 10, woken.set)
    hints.watch(FOLDERS)
    assert woken.wait(10.0)
    assert "can't start new thread" in (hints.failure or "")
    assert asked == []


@pytest.mark.slow
def test_a_daemon_without_threads_answers_and_recovers(tmp_path: Path) -> None:
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / "sitecustomize.py").write_text(SITECUSTOMIZE)
    refusing = tmp_path / "refusing"
    variables = {"PYTHONPATH": str(tmp_path / "python"), "NO_THREADS": str(refusing)}
    with prepared(tmp_path / "h", vault_of(tmp_path / "v", NOTES)) as running:
        for _ in range(2):  # a first index, then a restart, which reads a log
            refusing.touch()
            running.spawn(**variables)
            running.until_answered("concepts")
            for method, params in ASKED.items():
                running.ask(method, **params)
            assert "cannot be started" in running.refusal("doctor", deep=True)["message"]
            status = running.ask("status")
            assert {"threads", "watch"} <= broken_parts(status).keys()
            assert status["restarts"] == 0
            refusing.unlink()
            running.until("status", lambda said: "watch" not in broken_parts(said), 30.0)
            assert "threads" not in broken_parts(running.ask("status"))
            (running.vault / "new.md").write_text("[[new]]\n")
            assert knows(running, "new")
            (running.vault / "new.md").unlink()
            running.ask("sync")
            assert running.stop() == 0
