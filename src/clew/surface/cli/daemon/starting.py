"""``clew start``: start a daemon in the background."""

import sys

import click

from clew.surface.cli.daemon.launching import Launch, NotStarted, Unusable, launch, running_at
from clew.surface.cli.daemon.options import (
    chosen_vault,
    config_option,
    socket_option,
    state_option,
    use_config,
    vault_option,
)
from clew.surface.cli.daemon.progress import MOMENT_S, shown_duration, wait_until_ready
from clew.surface.cli.output import complain, print_line
from clew.surface.cli.run import NO_NOTES, REFUSED, USAGE


@click.command()
@vault_option
@config_option
@socket_option
@state_option
@click.option("--wait", "waits", is_flag=True, help="Return when all notes are indexed.")
def start(
    *,
    vault: str | None,
    config: str | None,
    socket_: str | None,
    state: str | None,
    waits: bool,
) -> None:
    """Start a daemon in the background; return when it answers.

    Example: clew start --vault ~/notes --wait
    """
    use_config(config)
    try:
        daemon = Launch(
            chosen_vault(vault, needs_folder=True), config=config, socket=socket_, state=state
        )
        path = running_at(daemon)
        outcome = "started" if path is None else "already running"
        if path is None:
            launch(daemon)
            path = daemon.socket
    except NotStarted as error:
        complain(str(error), *error.details)
        sys.exit(USAGE if isinstance(error, Unusable) else REFUSED)
    if waits:
        _wait(path, outcome)
    else:
        print_line(f"{outcome}: {path}{_first_index(path) if outcome == 'started' else ''}")


def _wait(path: str, outcome: str) -> None:
    """Wait for the first index, and print what it holds; exit if the daemon ends first."""
    status = wait_until_ready(path)
    if status is None:
        complain(f"the daemon at {path} does not answer any more", "clew logs says why")
        sys.exit(REFUSED)
    took = f", after {shown_duration(status['uptimeS'])}" if outcome == "started" else ""
    print_line(f"{outcome}: {path}, {status['notes']:,} notes indexed{took}")
    if not status["notes"]:
        complain(NO_NOTES.format(status["vault"]))


def _first_index(path: str) -> str:
    """Wait a moment for the first index; return the text to print if it takes longer."""
    if wait_until_ready(path, MOMENT_S, shows=False) is not None:
        return ""
    return ", reading the vault: clew status tells how far it is, clew start --wait waits for it"
