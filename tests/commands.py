"""The ``clew`` command in an environment of its own, and the daemon that it starts."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clew.surface.paths import vault_id
from clew.surface.record import Record, live_record


class Commands:
    """Runs ``clew`` for one vault, with runtime folder, state and config below a folder."""

    def __init__(self, home: Path, vault: Path) -> None:
        self.home = home
        self.vault = vault
        self.runtime = home / "rt"
        self.state = home / "xs" / "clew" / vault_id(str(vault))
        self.runtime.mkdir(mode=0o700, parents=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("CLEW")}
        folders = {"XDG_STATE_HOME": home / "xs", "XDG_CONFIG_HOME": home / "xc"}
        self.environment = {
            **kept,
            **{name: str(folder) for name, folder in folders.items()},
            "XDG_RUNTIME_DIR": str(self.runtime),
        }

    @property
    def runtime_socket(self) -> Path:
        """The socket in the runtime folder."""
        return self.runtime / "clew" / f"{vault_id(str(self.vault))}.sock"

    @property
    def state_socket(self) -> Path:
        """The socket that is used if there is no runtime folder."""
        return self.state / "run" / "clew.sock"

    @property
    def record(self) -> Record | None:
        """The record of the running daemon, if any."""
        return live_record(str(self.state))

    def done(self, *words: str, **changes: str) -> str:
        """Return the output of a command, which must succeed."""
        status, text = self.run(*words, **changes)
        assert status == 0, text
        return text

    def run(self, *words: str, **changes: str) -> tuple[int, str]:
        """Return the exit status of a command and all that it printed."""
        done = subprocess.run(
            [sys.executable, "-m", "clew", *words, "--vault", str(self.vault)],
            capture_output=True,
            text=True,
            env={**self.environment, **changes},
            check=False,
            timeout=100,
        )
        return done.returncode, done.stdout + done.stderr


@contextmanager
def commands(home: Path, vault: Path) -> Iterator[Commands]:
    """Yield a runner of commands; end the daemon that they leave running."""
    runner = Commands(home, vault)
    try:
        yield runner
    finally:
        runner.run("stop")
