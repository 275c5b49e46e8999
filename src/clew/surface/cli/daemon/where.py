"""``clew where``: print the paths of a vault's daemon, whether or not it runs."""

import json
import os

import click

from clew.surface.cli.daemon.launching import answers
from clew.surface.cli.daemon.options import (
    chosen_vault,
    config_option,
    socket_option,
    state_option,
    use_config,
    vault_option,
)
from clew.surface.cli.lines import table
from clew.surface.cli.output import columns, print_json, print_lines
from clew.surface.paths import config_path, log_path, socket_path, state_folder
from clew.surface.record import live_record


@click.command()
@vault_option
@config_option
@socket_option
@state_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def where(
    *,
    vault: str | None,
    config: str | None,
    socket_: str | None,
    state: str | None,
    as_json: bool,
) -> None:
    """Show where the vault, its daemon, state, log and config are.

    Example: clew where
    """
    use_config(config)
    rows = paths_of(chosen_vault(vault), socket_, state)
    if as_json:
        print_json(json.dumps(rows).encode())
        return
    print_lines(table(_lines_of(rows), columns()))


def paths_of(
    vault: str, socket_: str | None = None, state: str | None = None
) -> dict[str, str | int | bool | None]:
    """Return the paths of a vault's daemon, its process id, and whether it answers.

    ``pid`` is ``None`` if no daemon of this user serves the vault with this state folder.
    """
    folder = state_folder(vault, state)
    record = live_record(folder)
    path = record.socket if record and not socket_ else socket_path(vault, socket_)
    return {
        "vault": vault,
        "socket": path,
        "state": folder,
        "log": log_path(folder),
        "config": config_path(),
        "pid": record.pid if record else None,
        "answers": answers(path),
    }


def _lines_of(rows: dict[str, str | int | bool | None]) -> list[tuple[str, str]]:
    lines = [(name, str(value)) for name, value in rows.items() if isinstance(value, str)]
    shown = [
        (
            name,
            path if name == "state" or os.path.exists(path) else f"{path} (not there)",
        )
        for name, path in lines
    ]
    return [*shown, ("daemon", _daemon(rows))]


def _daemon(rows: dict[str, str | int | bool | None]) -> str:
    if rows["pid"] is None:
        return "answers" if rows["answers"] else "none"
    state = "answers" if rows["answers"] else "does not answer"
    return f"process {rows['pid']}, {state}"
