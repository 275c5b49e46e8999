"""Vaults on disk, and waiting until a daemon notices a change by itself."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from clew.surface.client import Refused
from clew.text.uri import to_uri
from tests.daemons import Daemon, daemon
from tests.pace import Stopwatch

POLL_S = 0.02  # a request each 5 ms would take a quarter of a processor
QUIET_SECONDS = 0.8  # after this time a daemon makes no more checks because of its start


def vault_of(folder: Path, notes: Mapping[str, str]) -> Path:
    """Write ``notes`` into ``folder``; return it."""
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in notes.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def write_at_once(place: Path, text: str) -> None:
    """Write a note under a hidden name and rename it, so that it is never seen empty."""
    hidden = place.with_name(f".{place.name}")
    hidden.write_text(text)
    hidden.rename(place)


@contextmanager
def settled_daemon(home: Path, vault: Path) -> Iterator[Daemon]:
    """Run a daemon until it has nothing more to do."""
    with daemon(home, vault) as running:
        time.sleep(QUIET_SECONDS)
        yield running


def note_count(running: Daemon, concept: str) -> int:
    """Return the number of indexed notes that mention a concept, without ``waitFresh``."""
    return int(running.ask("concept", conceptName=concept)["noteCount"])


def targets(running: Daemon, path: str, **params: Any) -> tuple[str, ...] | None:
    """Return what the note at ``path`` links to, ``None`` when there is no such note."""
    try:
        links = running.ask("links", uri=to_uri(path), **params)["links"]
    except Refused as refused:
        if refused.error["data"]["code"] != "notFound":
            raise
        return None
    return tuple(link["target"] for link in links)


def seconds_until(test: Callable[[], bool], seconds: float) -> float:
    """Return the seconds until ``test`` was true, infinity if that took more than ``seconds``.

    Time that processes wait for a processor is not counted in full.
    """
    watch = Stopwatch()
    while not test():
        if watch.is_over(seconds):
            return float("inf")
        time.sleep(POLL_S)
    return watch.seconds()


def seconds_known(running: Daemon, concept: str, seconds: float) -> float:
    """Return the seconds until the daemon noticed a new concept by itself."""
    return seconds_until(lambda: note_count(running, concept) > 0, seconds)


def knows(running: Daemon, concept: str, seconds: float = 3.0) -> bool:
    """Return whether the daemon notices a new concept by itself within a few seconds."""
    return seconds_known(running, concept, seconds) <= seconds
