"""The ``clew`` command: the fast path for well-formed requests, click for everything else."""

import os
import sys

from clew.surface.cli.fast_path import parse
from clew.surface.cli.output import flush_errors


def main() -> int:
    """Run the command line; return the exit status."""
    try:
        return _main(sys.argv[1:])
    except KeyboardInterrupt:
        from clew.surface.cli.run import INTERRUPTED  # noqa: PLC0415 - loaded only when needed

        return INTERRUPTED


def _main(words: list[str]) -> int:
    parsed = parse(words)
    if parsed is not None:
        from clew.surface.cli.run import run  # noqa: PLC0415 - loaded only when needed

        status = run(*parsed)
        flush_errors()
        # Shutting down the interpreter would cost a tenth of the whole command, for nothing.
        os._exit(status)
    spawned = None
    if words[:1] == ["serve"] and "--help" not in words:
        from clew.surface.server.child.spawning import spawn_early  # noqa: PLC0415

        # Starting numpy's threads, which nothing here uses, takes half of the start-up.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        spawned = spawn_early()  # it starts up in parallel with this process
    from clew.surface.cli.commands import commands  # noqa: PLC0415 - click costs more than a query

    return commands(words, spawned)
