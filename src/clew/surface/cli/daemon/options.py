"""Options that several commands share, and the effect of ``--config``."""

import os

import click

from clew.surface.cli.shell.completing import complete_value

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
