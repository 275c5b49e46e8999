"""The ``clew`` command: the fast path for well-formed requests, click for everything else."""

import os
import sys


def main() -> int:
    """Run the command line; return the exit status."""
    words = sys.argv[1:]
    if words and words[0].startswith("--"):
        from clew.surface.cli.fast_path import command_first  # noqa: PLC0415 - rarely needed

        words = command_first(words)
    try:
        return _serve(words) if words[:1] == ["serve"] else _main(words)
    except KeyboardInterrupt:
        from clew.surface.cli.run import INTERRUPTED  # noqa: PLC0415 - loaded only when needed

        return INTERRUPTED


def _main(words: list[str]) -> int:
    if os.environ.get("_CLEW_COMPLETE") in ("bash", "zsh", "fish"):
        return _complete(os.environ["_CLEW_COMPLETE"], words)
    if words[:1] == ["mcp"] and _bridge(words[1:]):
        return 0
    # The import is here because a daemon must set its signal handlers first.
    from clew.surface.cli.fast_path import parse  # noqa: PLC0415

    parsed = parse(words)
    if parsed is None:
        from clew.surface.cli.commands import commands  # noqa: PLC0415 - click is slower than a query

        return commands(words)
    from clew.surface.cli.output import flush_errors  # noqa: PLC0415
    from clew.surface.cli.run import run  # noqa: PLC0415

    status = run(*parsed)
    flush_errors()
    # A normal shutdown of the interpreter would take a tenth of the time of the command.
    os._exit(status)


def _complete(shell: str, words: list[str]) -> int:
    """Print the completions of a command line; errors are hidden, since the user is typing."""
    from clew.surface.cli.commands import cli  # noqa: PLC0415 - not for other commands
    from clew.surface.cli.shell.completing import complete  # noqa: PLC0415

    complete(shell, words, cli)
    return 0


def _bridge(words: list[str]) -> bool:
    """Run the bridge for an agent; return false if the command line is left to click."""
    from clew.surface.mcp.command import options, serve  # noqa: PLC0415 - not for other commands

    arguments = options(words)
    if arguments is None:
        return False
    serve(**arguments)
    return True


def _serve(words: list[str]) -> int:
    """Run a daemon; from the start, SIGTERM and SIGINT shut it down cleanly."""
    from clew.surface.signals import EndSignals  # noqa: PLC0415 - only a daemon needs it

    signals = EndSignals()
    signals.listen()
    # Starting numpy's threads, which nothing here uses, takes half of the start-up.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if "--help" in words:
        return _main(words)
    from clew.surface.server.child.spawning import start_early  # noqa: PLC0415

    with start_early(signals) as early:
        from clew.surface.cli.commands import commands  # noqa: PLC0415 - loads beside the indexer

        status = commands(words, early)
    signals.ignore()
    return status
