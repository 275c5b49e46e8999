"""Run the indexer; the standard input of its process is the channel to the server."""

import logging
import os
import signal
import socket
import time
from typing import TYPE_CHECKING

from clew import __version__
from clew.engine.persist.store import Store
from clew.engine.reading.indexer import Indexer
from clew.surface.indexer.background.approximate_scheduler import ApproximateScheduler
from clew.surface.indexer.background.code_scheduler import CodeScheduler
from clew.surface.indexer.background.git_scheduler import GitScheduler
from clew.surface.indexer.background.partition_scheduler import PartitionScheduler
from clew.surface.indexer.background.vector_backlog import VectorBacklog
from clew.surface.indexer.briefing import Briefing, unpack_briefing
from clew.surface.indexer.embedding.pool import EmbeddingPool
from clew.surface.indexer.limits import restrict
from clew.surface.indexer.link import Link, ServerGone
from clew.surface.indexer.parallel.group import process_count
from clew.surface.indexer.parsing.pool import ParserPool
from clew.surface.indexer.publishing import fingerprint
from clew.surface.indexer.saving import Saving
from clew.surface.indexer.watching.change_hints import Hints
from clew.surface.indexer.watching.walk_requests import WalkRequests
from clew.surface.indexer.worker import Renewal, Worker
from clew.surface.locked import LockedDisk
from clew.surface.logs import log_to_stderr
from clew.surface.private import FolderLock, take_lock
from clew.values.errors import AlreadyRunning
from clew.values.ipc import Start

if TYPE_CHECKING:
    from clew.embed.encoder import Encoder

LOCK_SECONDS_MAX = 10.0

logger = logging.getLogger(__name__)


def main() -> int:
    """Run the indexer until the server at the other end of standard input is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C
    channel = socket.socket(fileno=os.dup(0))
    link = Link(channel)
    try:
        start = link.wait_for_message()
        assert isinstance(start, Start)
        briefing = unpack_briefing(start.settings)
        log_to_stderr(briefing.verbosity)
        restrict(briefing.server_pid)
        lock = _lock_index(briefing.state)
        _worker(link, start, briefing, lock).run()
    except ServerGone:
        logger.info("indexer ends with its server")
    except Renewal:
        logger.info("indexer ends, and another one takes over")
    return 0


def _lock_index(state: str) -> FolderLock:
    """Lock the index; wait for the indexer of an earlier daemon to end.

    Raises:
        AlreadyRunning: another indexer keeps the lock.
    """
    deadline_s = time.monotonic() + LOCK_SECONDS_MAX
    while True:
        try:
            return take_lock(os.path.join(state, "index"))  # released when this process ends
        except AlreadyRunning:
            if time.monotonic() > deadline_s:
                raise
            time.sleep(0.02)


def _open_model(name: str) -> "Encoder":
    """Load the embedding model; called after the first revision is published."""
    from clew.embed.models import open_model  # noqa: PLC0415 - 0.1 s

    return open_model(name)


def _worker(link: Link, start: Start, briefing: Briefing, lock: FolderLock) -> Worker:
    settings = briefing.indexer
    disk = LockedDisk(lock)
    requests = WalkRequests()
    pool = ParserPool(process_count(), lambda: requests.is_anyone_waiting)
    index_folder = os.path.join(briefing.state, "index")
    return Worker(
        link=link,
        requests=requests,
        walk_seconds=briefing.walk_seconds,
        hints=Hints(settings.root, briefing.debounce_ms, link.wake),
        saving=Saving(Store(index_folder, fingerprint(settings, __version__), disk)),
        communities=PartitionScheduler(
            link, briefing.communities, os.path.join(briefing.state, "memory"), disk=disk
        ),
        vectors=VectorBacklog(
            lambda: _open_model(briefing.model),
            EmbeddingPool(process_count(), briefing.model),
        ),
        approximate=ApproximateScheduler(link, briefing.approximate_from, index_folder, disk=disk),
        git=GitScheduler(settings, index_folder, link.wake),
        code=CodeScheduler(settings, briefing.debounce_ms, link, start.quarantined),
        new_indexer=lambda: Indexer(
            settings, start.quarantined, start.suspects, briefing.root_identity, pool.read_ahead
        ),
        lock=lock,
        ignores_state=briefing.ignores_state,
        may_renew=start.may_renew,
        followed_generation=start.followed_generation,
    )
