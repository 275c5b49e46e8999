"""Daemons that check more than once a minute whether commands can find them.

Run as ``python -m tests.faults.checked VAULT SOCKET STATE SECONDS``.
"""

import sys
from pathlib import Path

from clew.surface.config import Config
from clew.surface.logs import log_to_stderr
from clew.surface.server.daemon import serve
from clew.surface.server.paths import DaemonPaths
from clew.values.errors import AlreadyRunning, ConfigError
from tests.daemons import Daemon

OFTEN_S = 0.2
NEVER_S = 3600.0


class CheckedDaemon(Daemon):
    """A daemon that does these checks at short intervals; a test may set its socket and state."""

    def __init__(self, home: Path, vault: Path, seconds: float = OFTEN_S) -> None:
        home.mkdir(exist_ok=True)
        super().__init__(home, vault)
        self.state = home / "state"
        self.seconds = seconds

    @property
    def command(self) -> list[str]:
        """The words that start the daemon."""
        words = [str(self.vault), str(self.socket), str(self.state), str(self.seconds)]
        return [sys.executable, "-m", "tests.faults.checked", *words]


def main() -> int:
    """Serve until stopped; return the exit status."""
    vault, socket, state, seconds = sys.argv[1:]
    log_to_stderr(0)
    try:
        serve(DaemonPaths(vault, state, socket), Config(), check_seconds=float(seconds))
    except (AlreadyRunning, ConfigError) as error:
        sys.stderr.write(f"ended: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
