"""The commands that run a daemon: ``serve`` and ``start``. No other command loads the server."""

import os
import subprocess
import sys
import time

import click

from clew.surface.children import words_for
from clew.surface.cli.output import complain, print_line
from clew.surface.cli.run import DONE, REFUSED, UNREACHABLE, USAGE
from clew.surface.client import NoDaemon, Refused, call
from clew.surface.places import NoVault, config_path, find_vault, socket_path, state_folder
from clew.surface.record import live_record
from clew.surface.server.child.spawning import EarlyStart

START_SECONDS_MAX = 30.0
READY_SECONDS_MAX = 2.0  # long enough to read a small vault
_STOP = "clew stop"
_LOG_BYTES_MAX = 8 * 1024 * 1024

vault_option = click.option("--vault", help="The vault's folder.")
socket_option = click.option("--socket", "socket_", help="The daemon's socket.")
state_option = click.option("--state", help="Where the daemon keeps its state.")
_config = click.option("--config", help="The config file.")


@click.command()
@vault_option
@_config
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
    from clew.surface import config as configuration  # noqa: PLC0415 - loads the whole server
    from clew.surface.logs import log_to_stderr  # noqa: PLC0415
    from clew.surface.server import daemon  # noqa: PLC0415
    from clew.surface.server.paths import Places  # noqa: PLC0415
    from clew.values.errors import AlreadyRunning, ConfigError  # noqa: PLC0415

    log_to_stderr(verbose)
    try:
        _use(config)
        settings = configuration.load(config_path(), must_exist=config is not None)
        folder = find_vault(vault)
        places = Places(
            vault=folder, state=state_folder(folder, state), socket=socket_path(folder, socket_)
        )
        daemon.serve(places, settings, early, verbosity=verbose)
    except AlreadyRunning as error:
        complain(str(error), error.hint)
        sys.exit(REFUSED)
    except (ConfigError, NoVault) as error:
        complain(str(error))
        sys.exit(USAGE)


@click.command()
@vault_option
@_config
@socket_option
@state_option
def start(vault: str | None, config: str | None, socket_: str | None, state: str | None) -> None:
    """Start a daemon in the background; return when it answers.

    Example: clew start --vault ~/notes
    """
    _use(config)
    try:
        folder = find_vault(vault)
    except NoVault as error:
        complain(str(error))
        sys.exit(USAGE)
    path, kept = socket_path(folder, socket_), state_folder(folder, state)
    _end_if_running(path, kept, socket_)
    given = {"--config": config, "--socket": socket_, "--state": state}
    options = [word for name, value in given.items() if value for word in (name, value)]
    log = os.path.join(_private(kept), "daemon.log")
    child = _spawn([*words_for("clew"), "serve", "--vault", folder, *options], log)
    deadline_s = time.monotonic() + START_SECONDS_MAX
    while time.monotonic() < deadline_s:
        if _answers(path):
            print_line(f"started: {path}{_first_index(path)}")
            return
        if child.poll() is not None:
            _end_if_running(path, kept, socket_)  # another ``clew start`` may have been faster
            complain(f"the daemon ended at once; {log} says why:", *_tail(log))
            sys.exit(REFUSED)
        time.sleep(0.02)
    complain(f"the daemon does not answer; see {log}")
    sys.exit(REFUSED)


def _end_if_running(path: str, state: str, named: str | None) -> None:
    """Exit if a daemon answers at the socket ``path`` or holds the state folder."""
    if _answers(path):
        print_line(f"already running: {path}")
        sys.exit(DONE)
    record = live_record(state)
    if record is None:
        return
    what = f"a daemon (process {record.pid}) already serves this vault"
    if not _answers(record.socket):
        complain(f"{what} and does not answer at {record.socket}", UNREACHABLE.format(stop=_STOP))
        sys.exit(REFUSED)
    if named and record.socket != path:
        complain(f"{what} at {record.socket}", f"end it first with: {_STOP}")
        sys.exit(REFUSED)
    print_line(f"already running: {record.socket}")
    sys.exit(DONE)


def _use(config: str | None) -> None:
    """Let every module read the config file that the command line names."""
    if config is not None:
        os.environ["CLEW_CONFIG"] = config


def _private(folder: str) -> str:
    """Create a folder that only this user can enter, or exit; return its path."""
    from clew.surface.private import make_private_folder  # noqa: PLC0415
    from clew.values.errors import ConfigError  # noqa: PLC0415

    try:
        make_private_folder(folder)
    except ConfigError as error:
        complain(str(error))
        sys.exit(USAGE)
    return folder


def _spawn(words: list[str], log: str) -> "subprocess.Popen[bytes]":
    mode = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
    if os.path.exists(log) and os.path.getsize(log) > _LOG_BYTES_MAX:
        mode |= os.O_TRUNC
    descriptor = os.open(log, mode, 0o600)
    try:
        return subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
            start_new_session=True,
        )
    finally:
        os.close(descriptor)


def _answers(path: str) -> bool:
    try:
        call(path, "hello", {"protocol": 1}, timeout_s=5.0)
    except (NoDaemon, Refused, OSError):
        return False
    return True


def _first_index(path: str) -> str:
    """Wait a moment for the first index; return the text to print if it takes longer."""
    deadline_s = time.monotonic() + READY_SECONDS_MAX
    while time.monotonic() < deadline_s:
        try:
            status = call(path, "status", {}, timeout_s=5.0)
        except (NoDaemon, Refused, OSError):
            return ""
        if status["ready"]:
            return ""
        time.sleep(0.02)
    return ", reading the vault: clew status tells how far it is"


def _tail(log: str) -> list[str]:
    """Return the last lines of the log."""
    with open(log, encoding="utf-8", errors="replace", newline="\n") as file:
        return [line.rstrip("\n") for line in file.readlines()[-5:]]
