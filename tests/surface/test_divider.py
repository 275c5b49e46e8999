"""The process that finds communities works for the one that started it, and ends with it."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew.surface.indexer.background.partition_schedule import DIVIDER
from tests.faults.vaults import seconds_until
from tests.keepers import ENDS_SECONDS_MAX
from tests.processes import is_alive, started

_PARENT = """
import os, sys
from pathlib import Path
from tests.keepers import Rig
rig = Rig(Path(sys.argv[1]) / "memory")
rig.lets(sys.argv[2])
rig.settle()
rig.link.woken.wait(60)
"""
_STUCK = f"""
exec {sys.executable} -c '
import sys, time
from clew.engine.communities import run_partition
from clew.surface.indexer import partition
def stuck(job):
    import os
    with open("{{place}}.new", "w") as file:
        file.write(str(os.getpid()) + " " + str(os.getpriority(os.PRIO_PROCESS, 0)))
    os.rename("{{place}}.new", "{{place}}")
    time.sleep(60)
partition.run_job = stuck
partition.main(int(sys.argv[1]))
' "$1"
"""


def until(test: Callable[[], bool], seconds: float) -> None:
    assert seconds_until(test, seconds) <= seconds


@pytest.fixture
def stuck(tmp_path: Path) -> Iterator[tuple["subprocess.Popen[bytes]", int]]:
    """Return a process with a keeper whose divider does not come to an end, and that divider."""
    place = tmp_path / "pid"
    words = [sys.executable, "-c", _PARENT, str(tmp_path), _STUCK.format(place=place)]
    with started(words) as parent:
        until(place.exists, ENDS_SECONDS_MAX)
        pid, nice = place.read_text().split()
        assert nice == "19"
        yield parent, int(pid)


# Elsewhere a divider ends by its closed channel instead, which the other tests hold.
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the kernel does not see to it")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_no_process_outlives_the_one_that_started_it(
    stuck: tuple["subprocess.Popen[bytes]", int], number: signal.Signals
) -> None:
    parent, pid = stuck
    assert is_alive(pid)
    parent.send_signal(number)
    parent.wait()
    until(lambda: not is_alive(pid), 2.0)


def test_a_job_of_one_who_is_gone_is_not_done() -> None:
    stranger = str(os.getppid())
    done = subprocess.run([*DIVIDER, stranger], input=b"", capture_output=True, check=True)
    assert done.stdout == b""
