"""The processes that a daemon starts load no modules from the current folder."""

import subprocess
from pathlib import Path

import pytest

from clew.surface.children import module_command
from tests.daemons import prepared, succeed
from tests.processes import contained

SHADOWING = ("click", "igraph", "json", "leidenalg", "msgspec", "numpy", "watchfiles", "yaml")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Return a vault with files that have the names of modules a daemon loads."""
    folder = tmp_path / "vault"
    folder.mkdir()
    for name in SHADOWING:
        (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    (folder / "a.md").write_text("[[b]] [[c]]\n")
    return folder


@pytest.mark.slow
def test_a_daemon_started_in_its_vault_runs_no_file_of_it(vault: Path, tmp_path: Path) -> None:
    with contained(), prepared(tmp_path / "home", vault) as daemon:
        words = [*module_command("clew"), "start", *daemon.command[4:]]

        def start() -> tuple[int, str]:
            done = subprocess.run(
                words,
                cwd=vault,
                env=daemon.environment,
                capture_output=True,
                text=True,
                check=False,
            )
            return done.returncode, done.stdout + done.stderr

        succeed(start)
        daemon.until_partitioned()
        checks = daemon.ask("doctor", deep=True)["checks"]
        assert {"rebuild"} <= {check["name"] for check in checks if check["ok"]}
        daemon.ask("shutdown")
    assert not (tmp_path / "ran").exists()
