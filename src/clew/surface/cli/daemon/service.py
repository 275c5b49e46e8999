"""``clew service``: let the user's service manager run the daemon of a vault."""

import os
import sys
from collections.abc import Callable

import click

from clew.surface.cli.daemon.launching import Launch, answers, running_at
from clew.surface.cli.daemon.launching import NotStarted as Unreachable
from clew.surface.cli.daemon.managers import Manager, NoManager, is_installed, manager_of
from clew.surface.cli.daemon.options import chosen_vault, config_option, use_config, vault_option
from clew.surface.cli.daemon.units import NoUnit
from clew.surface.cli.output import complain, print_document, print_line
from clew.surface.cli.run import REFUSED


@click.group()
def service() -> None:
    """Run the daemon as a service of systemd or launchd."""


@service.command()
@vault_option
@config_option
@click.option("--print", "prints", is_flag=True, help="Print the files and change nothing.")
def install(*, vault: str | None, config: str | None, prints: bool) -> None:
    """Start the daemon now and at each login.

    Example: clew service install --vault ~/notes
    """
    use_config(config)
    config = os.path.abspath(os.path.expanduser(config)) if config else None
    _guarded(
        lambda: _print(*_resolve(vault, config)) if prints else _install(*_resolve(vault, config))
    )


@service.command()
@vault_option
def uninstall(vault: str | None) -> None:
    """Stop the service and remove its files.

    Example: clew service uninstall --vault ~/notes
    """
    _guarded(lambda: _uninstall(*_resolve(vault, None)))


@service.command()
@vault_option
def status(vault: str | None) -> None:
    """Show whether the service is installed and runs.

    Example: clew service status
    """
    _guarded(lambda: _status(*_resolve(vault, None)))


def stopped_service(daemon: Launch) -> bool:
    """Stop the service of a vault if one is installed; return whether it was stopped."""
    try:
        manager = manager_of(daemon)
        if not is_installed(manager):
            return False
        manager.stop()
    except (NoManager, NoUnit):
        return False
    return True


def _resolve(vault: str | None, config: str | None) -> tuple[Launch, Manager]:
    daemon = Launch(chosen_vault(vault), config=config)
    return daemon, manager_of(daemon)


def _print(_: Launch, manager: Manager) -> None:
    for path, data in manager.files().items():
        print_document(f"# {path}\n{data.decode()}\n")


def _install(daemon: Launch, manager: Manager) -> None:
    files = manager.files()
    manager.check()
    if is_installed(manager):
        manager.disable()
    elif running_at(daemon) is not None:
        raise NoManager("a daemon already serves this vault", "end it first with: clew stop")
    for path, data in files.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        print_line(f"wrote {path}")
    manager.enable()
    print_line(f"the daemon starts at each login; its log: {manager.log_command()}")


def _uninstall(_: Launch, manager: Manager) -> None:
    if not is_installed(manager):
        raise NoManager("no service is installed for this vault")
    try:
        manager.disable()
    except NoManager as error:
        complain(f"the service could not be stopped: {error}")
    for path in filter(os.path.exists, manager.files()):
        os.unlink(path)
        print_line(f"removed {path}")


def _status(daemon: Launch, manager: Manager) -> None:
    if not is_installed(manager):
        print_line("not installed: clew service install")
        return
    print_line(f"installed, {manager.state()}")
    print_line(f"{'answers' if answers(daemon.socket) else 'does not answer'} at {daemon.socket}")
    print_line(f"log: {manager.log_command()}")


def _guarded(act: Callable[[], None]) -> None:
    """Run a command; exit with a message if it fails."""
    try:
        act()
    except NoManager as error:
        complain(str(error), error.hint)
        sys.exit(REFUSED)
    except Unreachable as error:
        complain(str(error), *error.details)
        sys.exit(REFUSED)
    except (NoUnit, OSError) as error:
        complain(str(error))
        sys.exit(REFUSED)
