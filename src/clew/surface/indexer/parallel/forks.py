"""The processes of a group: the parent loads the code and data for all, then forks the workers.

So the workers share that memory. The parent does no other work: it reaps the workers, logs how each
ended, and ends after the last. SIGTERM ends all of them.
"""

import gc
import logging
import os
import signal
import socket
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress

from clew.surface.allocator import give_back_memory
from clew.surface.indexer.limits import restrict
from clew.surface.indexer.parallel.results import send_result
from clew.surface.logs import log_to_stderr
from clew.values.ipc import FrameReader
from clew.values.packing import Unpacker

logger = logging.getLogger(__name__)

_READ_BYTES = 64 * 1024

# Yields the packed result of each request, in the order of the requests.
Work = Callable[[Iterator[object]], Iterator[bytes]]


def run_forks(
    parent_pid: int,
    descriptors: Sequence[int],
    load: Callable[[], None],
    unpack: Unpacker[object],
    work: Work,
) -> int:
    """Call ``load``, then run ``work`` in a forked process for each channel; return 0.

    All processes end with the process ``parent_pid``, or when their channels are closed.
    """
    log_to_stderr(0)
    restrict(parent_pid)
    load()
    give_back_memory()
    gc.collect()
    gc.freeze()  # a collection would write to shared objects, and so copy their pages
    own_pid = os.getpid()
    channels = [socket.socket(fileno=descriptor) for descriptor in descriptors]
    running: set[int] = set()
    signal.signal(signal.SIGTERM, lambda *_: _kill(running))
    for channel in channels:
        pid = os.fork()
        if pid == 0:
            _serve(channel, channels, own_pid, unpack, work)
        running.add(pid)
    for channel in channels:
        channel.close()
    while running:
        # The system may reuse a pid once it is reaped, so it leaves ``running`` before that.
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
        assert ended is not None
        pid = ended.si_pid
        running.discard(pid)
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        if code not in (0, -signal.SIGKILL):  # the end of a group kills its members by SIGKILL
            logger.warning("process ended by itself pid=%d status=%d", pid, code)
    return 0


def _kill(pids: Collection[int]) -> None:
    """Kill processes that are not reaped yet; a process that is forked later ends by itself."""
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def _serve(
    channel: socket.socket,
    channels: Sequence[socket.socket],
    parent_pid: int,
    unpack: Unpacker[object],
    work: Work,
) -> None:
    """Run ``work`` on the requests of one channel; do not return."""
    status = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        restrict(parent_pid)
        for other in channels:
            if other is not channel:
                other.close()
        with suppress(ConnectionError):  # the indexer has ended
            for result in work(_requests(channel, unpack)):
                send_result(channel, result)
        status = 0
    except BaseException:
        logger.exception("process failed")
    finally:
        os._exit(status)


def _requests(channel: socket.socket, unpack: Unpacker[object]) -> Iterator[object]:
    reader = FrameReader(unpack)
    while data := channel.recv(_READ_BYTES):
        yield from reader.feed(data)
