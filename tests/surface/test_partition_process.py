"""The partition process works only for its parent process, and ends with it."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew.surface.indexer.background.partition_scheduler import PARTITION_COMMAND
from tests.faults.vaults import seconds_until
from tests.processes import is_alive, started
from tests.schedulers import ENDS_SECONDS_MAX

_PARENT = """
import os, sys
from pathlib import Path
from tests.schedulers import Rig
rig = Rig(Path(sys.argv[1]) / "memory")
rig.use_script(sys.argv[2])
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
    """Yield a process that waits for a hanging partition process, and the id of the latter."""
    place = tmp_path / "pid"
    words = [sys.executable, "-c", _PARENT, str(tmp_path), _STUCK.format(place=place)]
    with started(words) as parent:
        until(place.exists, ENDS_SECONDS_MAX)
        pid, nice = place.read_text().split()
        assert nice == "19"
        yield parent, int(pid)


# On other systems a partition process ends when its channel is closed, as other tests check.
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_partition_process_ends_with_its_parent(
    stuck: tuple["subprocess.Popen[bytes]", int], number: signal.Signals
) -> None:
    parent, pid = stuck
    assert is_alive(pid)
    parent.send_signal(number)
    parent.wait()
    until(lambda: not is_alive(pid), 2.0)


def test_a_job_of_a_parent_that_has_ended_is_not_run() -> None:
    other_parent = str(os.getppid())
    words = [*PARTITION_COMMAND, other_parent]
    done = subprocess.run(words, input=b"", capture_output=True, check=True)
    assert done.stdout == b""


@pytest.mark.parametrize("sent", [b"", b"\x94"])  # nothing, and the begin of a packed tuple
def test_a_job_that_was_cut_short_is_logged_and_not_a_crash(sent: bytes) -> None:
    """Its sender may end at any moment."""
    words = [*PARTITION_COMMAND, str(os.getpid())]
    done = subprocess.run(words, input=sent, capture_output=True, check=False)
    assert done.returncode == 1
    assert b"its sender ended" in done.stderr
    assert b"Traceback" not in done.stderr
