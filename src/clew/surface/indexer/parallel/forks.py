"""The processes of a group: one loads what all of them need, then forks them.

So they share the memory of what was loaded. That process does nothing else, so each of them can end
alone: it waits for them, logs how they ended, and ends after the last. SIGTERM ends all of them.
"""

import gc
import logging
import os
import signal
import socket
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress

from clew.surface.allocator import give_back_memory
from clew.surface.indexer.limits import give_way, restrict
from clew.surface.indexer.parallel.results import send_result
from clew.surface.logs import log_to_stderr
from clew.values.ipc import FrameReader
from clew.values.packing import Unpacker

logger = logging.getLogger(__name__)

_READ_BYTES = 64 * 1024

# Yields the packed result of each request, in their order.
Work = Callable[[Iterator[object]], Iterator[bytes]]


def run_forks(
    parent_pid: int,
    descriptors: Sequence[int],
    load: Callable[[], None],
    unpack: Unpacker[object],
    work: Work,
) -> int:
    """Load, then run ``work`` in a process for each descriptor of a channel; return 0.

    All processes end if the process ``parent_pid`` does, or when their channels are closed.
    """
    log_to_stderr(0)
    restrict(parent_pid)
    give_way()
    load()
    give_back_memory()
    gc.collect()
    gc.freeze()  # A collection would write to the objects, and so copy their pages.
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
        # A pid is free for another process once it was waited for: none such may be killed.
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
        assert ended is not None
        pid = ended.si_pid
        running.discard(pid)
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        if code not in (0, -signal.SIGKILL):  # SIGKILL is how a group ends
            logger.warning("process ended by itself pid=%d status=%d", pid, code)
    return 0


def _kill(pids: Collection[int]) -> None:
    """Kill processes that are not waited for yet; one that is forked later ends by itself."""
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
