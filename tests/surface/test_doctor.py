"""The checks of the system: limits of inotify, and a state folder that two vaults use."""

import os
from pathlib import Path

import pytest

from clew.disk.durable import DISK
from clew.surface.server.answers.watch_limits import check_watch
from clew.surface.server.vault_file import enter_vault
from tests.daemons import prepared


@pytest.mark.parametrize(
    ("watched", "failure", "is_ok"),
    [(10, None, True), (81, None, False), (10, "no space left", False)],
)
def test_the_watch_is_checked_against_the_limits(
    tmp_path: Path, watched: int, failure: str | None, is_ok: bool
) -> None:
    (tmp_path / "max_user_watches").write_text("100\n")
    (tmp_path / "max_user_instances").write_text("12\n")
    check = check_watch(watched, failure, str(tmp_path))
    assert check.ok == is_ok
    assert (check.fix is None) == is_ok
    assert is_ok or "sysctl fs.inotify.max_user_watches=" in str(check.fix)


def test_a_system_without_such_limits_has_no_check_of_them(tmp_path: Path) -> None:
    assert check_watch(10**6, None, str(tmp_path)).ok
    assert "sysctl" not in str(check_watch(0, "it ended", str(tmp_path)).fix)


def test_a_state_folder_tells_of_the_other_vault_it_was_used_for(tmp_path: Path) -> None:
    state, one, two = (str(tmp_path / name) for name in ("state", "one", "two"))
    for folder in (state, one, two):
        os.mkdir(folder)
    assert [enter_vault(DISK, state, vault) for vault in (one, one, two, two)] == [
        *(None, None, one, None)
    ]
    os.rename(two, str(tmp_path / "moved"))
    assert enter_vault(DISK, state, str(tmp_path / "moved")) is None


@pytest.mark.slow
def test_doctor_tells_of_a_state_folder_that_two_vaults_use(tmp_path: Path) -> None:
    ends = []
    for name in ("one", "two"):
        vault = tmp_path / name
        vault.mkdir()
        (vault / "a.md").write_text("[[b]]")
        with prepared(tmp_path / "home", vault) as running:
            running.start()
            checks = {check["name"]: check for check in running.ask("doctor")["checks"]}
            ends.append(checks["state"])
            assert checks["watch"]["ok"]
    assert [check["ok"] for check in ends] == [True, False]
    assert str(tmp_path / "one") in ends[1]["message"]
