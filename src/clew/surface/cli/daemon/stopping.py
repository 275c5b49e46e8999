"""``clew stop``: end the daemon of a vault by its socket, or by a signal if no daemon answers."""

import os
import select
import signal
import sys
import time
from collections.abc import Callable

import click

from clew.surface.cli.daemon.launching import Launch
from clew.surface.cli.daemon.options import socket_option, state_option, vault_option
from clew.surface.cli.daemon.service import stopped_service
from clew.surface.cli.output import complain, print_line
from clew.surface.cli.run import DONE, NO_DAEMON, REFUSED, USAGE
from clew.surface.client import NoDaemon, Refused, call, listener_pid
from clew.surface.paths import socket_path, state_folder
from clew.surface.record import Record, is_live, live_record
from clew.surface.vaults import NoVault, find_vault

STOP_SECONDS_MAX = 30.0
ANSWER_SECONDS_MAX = 10.0
REAP_SECONDS_MAX = 2.0


@click.command()
@vault_option
@socket_option
@state_option
def stop(vault: str | None, socket_: str | None, state: str | None) -> None:
    """Stop the daemon; return when it is gone.

    Example: clew stop --vault ~/notes
    """
    try:
        folder = find_vault(vault)
    except NoVault as error:
        if socket_ is None:
            complain(str(error), *error.hints)
            sys.exit(USAGE)
        folder = None  # the socket alone identifies the daemon
    try:
        sys.exit(_stop_named(folder, socket_, state))
    except Refused as error:
        complain(str(error), error.hint)
        sys.exit(REFUSED)


def _stop_named(folder: str | None, socket_: str | None, state: str | None) -> int:
    """End the daemon of a vault, or the one at a socket; return the exit status."""
    if folder is None:
        assert socket_ is not None
        return _stop(os.path.abspath(os.path.expanduser(socket_)), None, "")
    if not socket_ and not state and stopped_service(Launch(folder)):
        print_line("stopped; the service starts again at the next login")
        return DONE
    path, state_path = socket_path(folder, socket_), state_folder(folder, state)
    record = live_record(state_path)
    if record is not None and socket_ and record.socket != path:
        record = None  # the named socket belongs to another daemon
    return _stop(path, record, state_path)


def _stop(path: str, record: Record | None, state: str) -> int:
    """End the daemon at the socket ``path``, or else the one on record; return the exit status."""
    for socket_to_try in dict.fromkeys([path, record.socket] if record else [path]):
        pid = _listener(socket_to_try)
        if pid is None:
            continue
        try:
            return _stop_by_socket(socket_to_try, pid)
        except NoDaemon as error:
            if record is None:
                complain(str(error))
                return NO_DAEMON
    if record is not None:
        return _stop_by_signal(record, state)
    complain("no daemon was running")
    return NO_DAEMON


def _listener(path: str) -> int | None:
    try:
        return listener_pid(path)
    except NoDaemon:
        return None


def _stop_by_socket(path: str, pid: int) -> int:
    """Ask the daemon at a socket to end, and wait until it has ended.

    Raises:
        NoDaemon: the daemon does not answer.
        Refused: the daemon refuses to end.
    """
    process = _open_process(pid)
    call(path, "shutdown", {}, ANSWER_SECONDS_MAX)
    if process is not None:
        return _wait(process, pid)
    # Its process cannot be seen from here. The daemon removes its socket last, so wait for that.
    _wait_while(lambda: os.path.exists(path), STOP_SECONDS_MAX)
    print_line("stopped")
    return DONE


def _stop_by_signal(record: Record, state: str) -> int:
    """Send SIGTERM to the process on record, and wait until it has ended."""
    process = _open_process(record.pid)
    # The descriptor always refers to the same process. The check comes after opening it, so that no
    # other process that gets the same id later can receive the signal.
    if not is_live(record, state):
        print_line("stopped")
        return DONE
    if process is None:
        complain(f"process {record.pid} cannot be told to end from here: kill {record.pid} does it")
        return REFUSED
    signal.pidfd_send_signal(process, signal.SIGTERM)
    return _wait(process, record.pid)


def _open_process(pid: int) -> int | None:
    """Return a descriptor of a process.

    ``None`` if it is gone or cannot be seen from here, or if this system has no such descriptors.
    """
    try:
        return os.pidfd_open(pid)
    except (OSError, AttributeError):
        return None


def _wait(process: int, pid: int) -> int:
    """Wait until a process has ended; return the exit status."""
    ended, _, _ = select.select([process], [], [], STOP_SECONDS_MAX)
    if not ended:
        complain(f"process {pid} was told to end, and still runs: kill -9 {pid} would end it")
        return REFUSED
    # A script still sees the id of an ended process until its parent, usually init, has reaped it.
    _wait_while(lambda: os.path.exists(f"/proc/{pid}"), REAP_SECONDS_MAX)
    print_line("stopped")
    return DONE


def _wait_while(is_there: Callable[[], bool], seconds: float) -> None:
    deadline_s = time.monotonic() + seconds
    while is_there() and time.monotonic() < deadline_s:
        time.sleep(0.02)
