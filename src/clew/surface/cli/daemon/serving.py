"""``clew serve``: run a daemon in the foreground. No other command loads the server."""

import sys

import click

from clew.engine.reading.gc_pause import collector_paused
from clew.surface.cli.daemon.options import (
    chosen_vault,
    config_option,
    socket_option,
    state_option,
    use_config,
    vault_option,
)
from clew.surface.cli.output import complain
from clew.surface.cli.run import REFUSED, USAGE
from clew.surface.paths import config_path, socket_path, state_folder
from clew.surface.server.child.spawning import EarlyStart


@click.command()
@vault_option
@config_option
@socket_option
@state_option
@click.option("-v", "--verbose", count=True, help="Log more; twice for everything.")
@click.pass_obj
def serve(
    early: EarlyStart | None,
    *,
    vault: str | None,
    config: str | None,
    socket_: str | None,
    state: str | None,
    verbose: int,
) -> None:
    """Serve a vault in the foreground until stopped.

    Example: clew serve --vault ~/notes
    """
    with collector_paused():
        from clew.surface import config as configuration  # noqa: PLC0415 - loads the whole server
        from clew.surface.logs import log_to_stderr  # noqa: PLC0415
        from clew.surface.server import daemon  # noqa: PLC0415
        from clew.surface.server.paths import DaemonPaths  # noqa: PLC0415
        from clew.values.errors import AlreadyRunning, ConfigError  # noqa: PLC0415

    log_to_stderr(verbose)
    try:
        use_config(config)
        settings = configuration.load(config_path(), must_exist=config is not None)
        folder = chosen_vault(vault, needs_folder=True)
        paths = DaemonPaths(
            vault=folder, state=state_folder(folder, state), socket=socket_path(folder, socket_)
        )
        daemon.serve(paths, settings, early, verbosity=verbose)
    except AlreadyRunning as error:
        complain(str(error), error.hint)
        sys.exit(REFUSED)
    except ConfigError as error:
        complain(str(error))
        sys.exit(USAGE)
