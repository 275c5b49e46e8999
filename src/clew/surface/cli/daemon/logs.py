"""``clew logs``: print the end of the daemon's log, and follow it."""

import os
import sys
import time
from collections import deque
from collections.abc import Iterator
from typing import TextIO

import click

from clew.surface.cli.daemon.options import chosen_vault, state_option, vault_option
from clew.surface.cli.output import complain, print_lines
from clew.surface.cli.run import REFUSED
from clew.surface.paths import log_path, state_folder

LINES = 50
LINES_MAX = 100_000
_LINE_CHARACTERS_MAX = 65_536
_POLL_S = 0.2


@click.command()
@vault_option
@state_option
@click.option(
    "-n",
    "--lines",
    type=click.IntRange(0, LINES_MAX),
    default=LINES,
    show_default=True,
    help="Print this many of the last lines.",
)
@click.option("-f", "--follow", "follows", is_flag=True, help="Print new lines until interrupted.")
def logs(*, vault: str | None, state: str | None, lines: int, follows: bool) -> None:
    """Print the end of the log of a daemon that was started in the background.

    Example: clew logs -f
    """
    path = log_path(state_folder(chosen_vault(vault), state))
    try:
        with open(path, encoding="utf-8", errors="replace", newline="\n") as file:
            print_lines(deque(_lines(file), lines))
            while follows:
                print_lines(_lines(file))
                _rewind_if_shortened(file)
                time.sleep(_POLL_S)
    except OSError as error:
        complain(
            f"no log to read: {path}: {error.strerror}",
            "clew start writes one; under systemd see: clew service status",
        )
        sys.exit(REFUSED)


def _lines(file: TextIO) -> Iterator[str]:
    """Yield the lines that the file has from here on; a long line comes in parts."""
    while line := file.readline(_LINE_CHARACTERS_MAX):
        yield line.rstrip("\n")


def _rewind_if_shortened(file: TextIO) -> None:
    """Go back to the start if the log was truncated, as a start of a daemon may do."""
    if os.fstat(file.fileno()).st_size < file.tell():
        file.seek(0)
