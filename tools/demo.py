"""The demo of ``make demo``: commands on the sample vault, answered by a real daemon.

Starts a daemon in a temporary folder, runs some ``clew`` commands, and stops it again. Run it from
the root of the checkout as ``python -m tools.demo``.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from tests.processes import adopt_orphans, contained

ROOT = Path(__file__).resolve().parent.parent

# Questions that a reader may have, each with the command that answers it.
QUESTIONS = (
    ("What does the vault hold?", "clew status"),
    ("What is it about? (groups of concepts that stand together)", "clew communities"),
    ("Ask in your own words.", "clew search why do the clocks run slow in the cold -n 3"),
    (
        "What would an agent read before it answers that?",
        "clew context why do the clocks run slow in the cold --budget 500",
    ),
    ("A gauge's clock runs wrong: what goes with that?", 'clew concept "clock drift" -n 6'),
    (
        "What do the notes say where GPS time meets it? (GPS_time, as a link may write it)",
        "clew concept GPS_time --depth 1 -n 2 --content",
    ),
    (
        "No note speaks of both: how does a seiche lead to clock drift?",
        'clew path seiche "clock drift"',
    ),
    ("HA is an alias: what note is that, and how does it begin?", "clew read HA --lines 11-15"),
    ("What do people keep mentioning without a note for it?", "clew unresolved -n 5"),
    ("A typing mistake is no dead end.", "clew concept 'clok drift'"),
    ("Is anything wrong with the notes?", "clew doctor"),
    ("And agents read the same as JSON.", "clew links 'Spring tide' -n 1 --json"),
)


def main() -> int:
    """Run the demo; return 1 if any command failed."""
    adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="clew-demo-") as home, contained():
        environment = _environment(home)
        commands = ["clew start", "clew sync", *(command for _, command in QUESTIONS)]
        titles = dict(zip(commands[2:], (title for title, _ in QUESTIONS), strict=True))
        try:
            failed = [c for c in commands[:2] if not _show(c, None, environment)]
            if failed:
                return 1
            _wait_for_communities(environment)
            failed += [c for c in commands[2:] if not _show(c, titles.get(c), environment)]
        finally:
            _show("clew stop", None, environment)
    return 1 if failed else 0


def _environment(home: str) -> Mapping[str, str]:
    """Return an environment in which no files of the user are changed."""
    folders = dict.fromkeys(("XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"), home)
    vault = {"CLEW_VAULT": str(ROOT / "sample-vault")}
    return {**os.environ, **folders, **vault, "CLEW_CONFIG": os.path.join(home, "none.toml")}


def _wait_for_communities(environment: Mapping[str, str]) -> None:
    """Wait until communities are computed; other commands would not need to wait."""
    words = [sys.executable, "-m", "clew", "status", "--json"]
    for _ in range(200):
        said = subprocess.run(words, env=environment, check=True, capture_output=True).stdout
        if json.loads(said)["stages"]["communities"]["ready"]:
            return
        time.sleep(0.1)


def _show(command: str, title: str | None, environment: Mapping[str, str]) -> bool:
    """Print a command and its output; return whether it succeeded."""
    if title:
        print(f"\n# {title}")
    print(f"$ {command}", flush=True)
    words = [sys.executable, "-m", "clew", *shlex.split(command)[1:]]
    return subprocess.run(words, env=environment, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
