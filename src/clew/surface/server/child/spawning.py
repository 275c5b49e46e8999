"""Start the indexer process.

This module imports little, so that a daemon can start the indexer before it loads the rest.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from clew.surface.children import Spawned, module_command, spawn
from clew.surface.signals import EndSignals

INDEXER = module_command("clew.surface.indexer")


@dataclass(frozen=True, slots=True)
class EarlyStart:
    """What a daemon starts before it loads its own modules."""

    signals: EndSignals
    indexer: Spawned | None  # None: it could not be started; the supervisor tries again


@contextmanager
def start_early(signals: EndSignals) -> Iterator[EarlyStart]:
    """Start an indexer, so that it loads while this process does; kill it at exit if necessary."""
    indexer = None
    with suppress(OSError):
        indexer = spawn_indexer()
    try:
        yield EarlyStart(signals, indexer)
    finally:
        if indexer is not None:
            _kill(indexer)


def spawn_indexer() -> Spawned:
    """Start an indexer.

    Raises:
        OSError: it cannot be started.
    """
    return spawn(INDEXER)


def _kill(spawned: Spawned) -> None:
    spawned.channel.close()
    if spawned.process.poll() is None:
        spawned.process.kill()
        spawned.process.wait()
