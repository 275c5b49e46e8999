"""References of a pack, checked by the command line while the vault changes."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.daemons import Daemon, copy_sample, daemon

NOTE = "new/Cold clocks.md"


def verified(running: Daemon, text: str, *words: str) -> tuple[int, str]:
    """Return the exit status and the output of ``clew verify`` for a text on standard input."""
    command = [sys.executable, "-m", "clew", "verify", "--socket", str(running.socket), *words]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_a_pack_is_verified_before_and_after_its_notes_change(running: Daemon) -> None:
    file = running.vault / NOTE
    file.parent.mkdir()
    file.write_text("# Cold\n\na zephyr cools the clocks\n")
    query = {"query": "zephyr clocks", "tokenBudget": 400, "includeGraphRAG": False}
    pack = running.ask("context", waitFresh=True, **query)["context"]
    assert "zephyr" in pack
    status, output = verified(running, pack)
    assert (status, output.count("stands")) == (0, output.count("memory://")), output
    file.rename(running.vault / "Warm clocks.md")
    running.ask("sync")
    status, output = verified(running, pack)
    assert status == 1
    assert "-> memory://Warm%20clocks.md#L3-L3~" in " ".join(output.split())
    assert '"state":"moved"' in verified(running, pack, "--json")[1]
    (running.vault / "Warm clocks.md").write_text("# Cold\n\na zephyr warms the clocks\n")
    running.ask("sync")
    output = " ".join(verified(running, pack, "--wait-fresh")[1].split())
    assert "changed memory://new/Cold%20clocks.md" in output


def test_a_text_without_references_stands_and_a_missing_file_is_wrong_usage(
    running: Daemon,
) -> None:
    assert verified(running, "nothing is cited here") == (0, "")
    assert verified(running, "nothing is cited here", "-") == (0, "")
    command = [
        sys.executable,
        "-m",
        "clew",
        "verify",
        "nowhere.md",
        "--socket",
        str(running.socket),
    ]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 2


@pytest.mark.slow
def test_a_rename_while_no_daemon_runs_is_found_at_the_start(tmp_path: Path) -> None:
    vault = copy_sample(tmp_path / "vault")
    file = vault / "zephyr.md"
    file.write_text("# Z\n\na zephyr\n")
    query = {"query": "zephyr", "tokenBudget": 100, "includeGraphRAG": False}
    with daemon(tmp_path, vault) as running:
        pack = running.ask("context", waitFresh=True, **query)["context"]
    file.rename(vault / "other name.md")
    with daemon(tmp_path, vault) as running:
        running.ask("sync")
        (row, *_) = running.ask("verify", text=pack)["citations"]
    assert row["now"] == "memory://other%20name.md#L3-L3~" + row["ref"][-8:]
