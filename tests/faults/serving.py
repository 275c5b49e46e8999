"""A daemon whose indexers, the first or all of them, are started by another command.

Run as ``python -m tests.faults.serving VAULT SOCKET STATE first|every WORDS...``.
"""

import sys
from collections.abc import Iterator
from itertools import chain, repeat

from clew.surface.children import Spawned, spawn
from clew.surface.config import Config
from clew.surface.logs import log_to_stderr
from clew.surface.server.child.spawning import INDEXER
from clew.surface.server.daemon import serve
from clew.surface.server.paths import DaemonPaths


def _commands(which: str, words: list[str]) -> Iterator[list[str]]:
    given = [sys.executable, *words]
    return chain([given], repeat(list(INDEXER))) if which == "first" else repeat(given)


def main() -> None:
    """Serve until stopped."""
    vault, socket, state, which, *words = sys.argv[1:]
    commands = _commands(which, words)

    def spawn_next() -> Spawned:
        return spawn(next(commands))

    log_to_stderr(0)
    serve(DaemonPaths(vault, state, socket), Config(), spawn=spawn_next)


if __name__ == "__main__":
    main()
