"""Service managers of one user: systemd on Linux, launchd on macOS.

Each installs, removes and stops the daemon of one vault, through the manager's own command.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from clew.surface.cli.daemon.launching import Launch
from clew.surface.cli.daemon.units import launch_agent, service_unit, socket_unit
from clew.surface.paths import base_folder, log_path, vault_id

_COMMAND_SECONDS_MAX = 60.0


class NoManager(Exception):
    """The service manager cannot be used; ``hint`` says what to do instead."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class Manager(Protocol):
    """A service manager, for the daemon of one vault."""

    def files(self) -> dict[str, bytes]:
        """Return the bytes of each file to install, by path."""
        ...

    def check(self) -> None:
        """Check that the manager runs.

        Raises:
            NoManager: it does not run.
        """
        ...

    def enable(self) -> None:
        """Start the daemon now and at each login; the files are already installed."""
        ...

    def disable(self) -> None:
        """Stop the daemon and never start it again; the files are not removed yet."""
        ...

    def stop(self) -> None:
        """Stop the daemon until the next login."""
        ...

    def state(self) -> str:
        """Return the daemon's state as the manager prints it: a word or a line."""
        ...

    def log_command(self) -> str:
        """Return the command that shows the log."""
        ...


def manager_of(daemon: Launch, platform: str = sys.platform) -> Manager:
    """Return the service manager of this system.

    Raises:
        NoManager: clew supports none on this system.
    """
    if platform == "darwin":
        return Launchd(daemon)
    if platform == "linux":
        return Systemd(daemon)
    raise NoManager(f"no service manager is known for {platform}", "clew start works without one")


def is_installed(manager: Manager) -> bool:
    """Return whether any file of the service exists."""
    return any(map(os.path.exists, manager.files()))


@dataclass(frozen=True, slots=True)
class Systemd:
    """The user's systemd: a service, and a socket that starts it at the first request."""

    daemon: Launch

    @property
    def _units(self) -> tuple[str, str]:
        name = f"clew-{vault_id(self.daemon.vault)}"
        return f"{name}.service", f"{name}.socket"

    def files(self) -> dict[str, bytes]:
        """Return the two units, by path."""
        home = base_folder("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
        vault = self.daemon.vault
        texts = (
            service_unit(self.daemon.command(), vault),
            socket_unit(self.daemon.socket, vault),
        )
        folder = os.path.join(home, "systemd", "user")
        return {
            os.path.join(folder, unit): text.encode()
            for unit, text in zip(self._units, texts, strict=True)
        }

    def check(self) -> None:
        """Check that a systemd of this user runs."""
        try:
            _run("systemctl", "--user", "show-environment")
        except NoManager as error:
            hint = "clew start works without it"
            raise NoManager(f"no systemd runs for this user: {error}", hint) from error

    def enable(self) -> None:
        """Start the socket and the service, now and at each login."""
        _run("systemctl", "--user", "daemon-reload")
        _run("systemctl", "--user", "enable", "--now", *reversed(self._units))

    def disable(self) -> None:
        """Stop the socket and the service, and never start them again."""
        _run("systemctl", "--user", "disable", "--now", *self._units)

    def stop(self) -> None:
        """Stop the service and its socket, which would otherwise start the service again."""
        _run("systemctl", "--user", "stop", *self._units)

    def state(self) -> str:
        """Return the states of the service and of the socket."""
        service, socket = (
            _output_of("systemctl", "--user", "is-active", unit) for unit in self._units
        )
        return f"service {service}, socket {socket}"

    def log_command(self) -> str:
        """Return the command that shows the journal of the service."""
        return f"journalctl --user -u {self._units[0]} -f"


@dataclass(frozen=True, slots=True)
class Launchd:
    """The user's launchd: an agent that keeps the daemon running."""

    daemon: Launch

    @property
    def _label(self) -> str:
        return f"clew.{vault_id(self.daemon.vault)}"

    @property
    def _domain(self) -> str:
        return f"gui/{os.getuid()}"

    @property
    def _path(self) -> str:
        return os.path.expanduser(f"~/Library/LaunchAgents/{self._label}.plist")

    def files(self) -> dict[str, bytes]:
        """Return the property list, by path."""
        log = log_path(self.daemon.state)
        return {self._path: launch_agent(self.daemon.command(), self._label, log)}

    def check(self) -> None:
        """Check that launchd has a session of this user."""
        _run("launchctl", "print", self._domain)

    def enable(self) -> None:
        """Load the agent, which starts the daemon now and at each login."""
        _run("launchctl", "bootstrap", self._domain, self._path)

    def disable(self) -> None:
        """Unload the agent."""
        _run("launchctl", "bootout", f"{self._domain}/{self._label}")

    def stop(self) -> None:
        """Stop the daemon; launchd does not restart it after a clean exit."""
        _run("launchctl", "kill", "SIGTERM", f"{self._domain}/{self._label}")

    def state(self) -> str:
        """Return whether the agent is loaded."""
        try:
            self._print()
        except NoManager:
            return "not loaded"
        return "loaded"

    def _print(self) -> None:
        _run("launchctl", "print", f"{self._domain}/{self._label}")

    def log_command(self) -> str:
        """Return the command that follows the log."""
        return "clew logs -f"


def _run(*words: str) -> None:
    """Run a command of the service manager.

    Raises:
        NoManager: the command is not installed, or it failed.
    """
    status, text = _run_for_output(words)
    if status:
        lines = text.splitlines()
        raise NoManager(lines[-1] if lines else f"{' '.join(words)} ended with {status}")


def _output_of(*words: str) -> str:
    """Return the output of a command, whatever its exit status; ``unknown`` if it is empty."""
    try:
        return _run_for_output(words)[1] or "unknown"
    except NoManager:
        return "unknown"


def _run_for_output(command: Sequence[str]) -> tuple[int, str]:
    """Run a command; return its exit status and its output."""
    pipe, merged = subprocess.PIPE, subprocess.STDOUT
    try:
        with subprocess.Popen(
            list(command), stdin=subprocess.DEVNULL, stdout=pipe, stderr=merged
        ) as process:
            try:
                data, _ = process.communicate(timeout=_COMMAND_SECONDS_MAX)
            except subprocess.TimeoutExpired as error:
                process.kill()
                raise NoManager(f"{command[0]} did not end in {error.timeout:.0f} s") from error
    except FileNotFoundError as error:
        raise NoManager(f"{command[0]} is not installed") from error
    except OSError as error:
        raise NoManager(f"{command[0]} cannot be run: {error}") from error
    return process.returncode, data.decode("utf-8", "replace").strip()
