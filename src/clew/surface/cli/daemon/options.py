"""Options that several commands share, and the effects of ``--config`` and ``--vault``."""

import os
import sys

import click

from clew.surface.cli.output import complain
from clew.surface.cli.run import USAGE
from clew.surface.cli.shell.completing import complete_value
from clew.surface.vaults import NoVault, check_folder, find_vault

vault_option = click.option("--vault", help="The vault's folder.", shell_complete=complete_value)
socket_option = click.option(
    "--socket", "socket_", help="The daemon's socket.", shell_complete=complete_value
)
state_option = click.option(
    "--state", help="Where the daemon keeps its state.", shell_complete=complete_value
)
config_option = click.option("--config", help="The config file.", shell_complete=complete_value)


def use_config(config: str | None) -> None:
    """Make every module read the config file that the command line names."""
    if config is not None:
        os.environ["CLEW_CONFIG"] = config


def chosen_vault(vault: str | None, *, needs_folder: bool = False) -> str:
    """Return the vault that the command line names, or else is found; exit if there is none.

    Its folder may be missing while a daemon serves it, unless the command ``needs_folder``.
    """
    try:
        folder = find_vault(vault)
        if needs_folder:
            check_folder(folder)
    except NoVault as error:
        complain(str(error), *error.hints)
        sys.exit(USAGE)
    return folder
