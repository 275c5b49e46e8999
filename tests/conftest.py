"""Rules for all tests: no test leaves a process, and properties use the configured examples."""

import gc
import os
import signal
import time
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from tests import examples, processes
from tests.pace import Stopwatch

GRACE_SECONDS = 3.0  # for a process that ends by itself when its parent does
POLL_S = 0.005
SLOW_FOLDERS = {"browser", "conformance", "faults"}

examples.load_profile()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of the slow folders as slow."""
    for item in items:
        if SLOW_FOLDERS.intersection(item.nodeid.partition("::")[0].split("/")):
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """Let the garbage collector leave out what was collected: thousands of tests, which stay."""
    gc.collect()
    gc.freeze()


def pytest_configure() -> None:
    """Let processes write bytecode, so that later ones start as fast as an installed clew.

    They fold no line to the width of the terminal in which the tests run. They heed SIGINT: a job
    in the background of a shell ignores it, and so would all processes that it starts. SIGTERM ends
    a run as SIGINT does, so that its fixtures stop their daemons.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    for name in ("PYTHONDONTWRITEBYTECODE", "COLUMNS"):
        os.environ.pop(name, None)


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a new folder with a short path, since the path of a socket has at most 107 bytes."""
    return tmp_path_factory.mktemp("t")


@pytest.fixture(scope="session", autouse=True)
def _no_process_outlives_the_session() -> Iterator[None]:
    """Fail the run if a process outlives it, such as one that a fixture of a module left."""
    processes.adopt_orphans()
    yield
    _check_none_left(())


@pytest.fixture(autouse=True)
def _no_process_outlives_its_test(_no_process_outlives_the_session: None) -> Iterator[None]:
    """Fail a test that leaves a process; those of longer fixtures are allowed."""
    before = processes.living_children()
    yield
    _check_none_left(before)


def _check_none_left(before: Collection[int]) -> None:
    left = processes.left_since(before, seconds=0.0)
    if left:
        watch = Stopwatch()
        while left and not watch.is_over(GRACE_SECONDS):
            time.sleep(POLL_S)
            left = processes.left_since(before, seconds=0.0)
    messages = [processes.described(pid) for pid in left]
    processes.kill(left)  # so that the next tests do not fail because of it
    if left:
        pytest.fail("processes were left:\n" + "\n".join(messages), pytrace=False)
