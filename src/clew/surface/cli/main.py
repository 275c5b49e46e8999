"""The ``clew`` command: the short way where it serves, click for all the rest."""

import os
import sys

from clew.surface.cli.fast_path import parse
from clew.surface.cli.output import flush_errors


def main() -> int:
    """Run the command line; return the exit status."""
    try:
        return _main(sys.argv[1:])
    except KeyboardInterrupt:
        from clew.surface.cli.run import INTERRUPTED  # noqa: PLC0415 - with the other statuses

        return INTERRUPTED


def _main(words: list[str]) -> int:
    parsed = parse(words)
    if parsed is not None:
        from clew.surface.cli.run import run  # noqa: PLC0415 - the long way has its own

        status = run(*parsed)
        flush_errors()
        # Taking the interpreter apart would cost a tenth of the whole command, for nothing.
        os._exit(status)
    spawned = None
    if words[:1] == ["serve"] and "--help" not in words:
        from clew.surface.server.child.spawning import spawn_early  # noqa: PLC0415

        # numpy's threads would take half of a small machine's start-up, and nothing here uses them.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        spawned = spawn_early()  # it loads while this process does
    from clew.surface.cli.commands import commands  # noqa: PLC0415 - click costs more than a query

    return commands(words, spawned)
