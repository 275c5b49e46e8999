"""What commands say where no daemon answers."""

import os
import subprocess
import sys
from pathlib import Path


def test_the_command_that_starts_a_daemon_can_be_pasted(tmp_path: Path) -> None:
    vault = tmp_path / "my\n'old' vault"
    vault.mkdir()
    options = ["--vault", str(vault), "--socket", str(tmp_path / "a socket")]
    said = _stderr_of(tmp_path, "status", *options)
    command = said.split("start one with: ")[1].splitlines()[0]
    words = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {command}"], check=True, capture_output=True, text=True
    ).stdout.split("\0")
    assert words[:-1] == ["clew", "start", *options]


def _stderr_of(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "clew", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "XDG_STATE_HOME": str(folder)},
    )
    assert done.returncode == 3, done.stderr
    return done.stderr
