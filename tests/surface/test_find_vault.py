"""A command finds its vault from the folder that it runs in."""

import os
from pathlib import Path

import pytest

from clew.disk.durable import RealDisk, replace_file
from clew.surface.paths import RECORD_FILE, VAULT_FILE, default_state_folder
from clew.surface.private import take_lock
from clew.surface.record import encode, record_of_this_process
from clew.surface.vaults import NoVault, check_folder, find_vault


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Make every folder of the user a temporary one."""
    monkeypatch.delenv("CLEW_VAULT", raising=False)
    monkeypatch.setenv("CLEW_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


def _folder(home: Path, *names: str) -> Path:
    folder = home.joinpath(*names)
    folder.mkdir(parents=True)
    return folder


def _recorded(vault: Path) -> str:
    """Write a record of this process as the daemon of a vault; return its state folder."""
    state = default_state_folder(str(vault))
    os.makedirs(state, 0o700)
    record = encode(record_of_this_process("/run/x.sock"))
    replace_file(RealDisk(), os.path.join(state, RECORD_FILE), [record])
    return state


@pytest.mark.parametrize("marker", [".obsidian", ".clew"])
def test_the_nearest_marked_folder_is_the_vault(
    monkeypatch: pytest.MonkeyPatch, home: Path, marker: str
) -> None:
    _folder(home, "outer", marker)
    inner = _folder(home, "outer", "inner", marker).parent
    monkeypatch.chdir(_folder(home, "outer", "inner", "notes", "deep"))
    assert find_vault(None) == str(inner)
    assert find_vault("..") == str(inner / "notes")


def test_a_folder_that_a_daemon_serves_is_the_vault(
    monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    vault = _folder(home, "notes")
    monkeypatch.chdir(_folder(home, "notes", "a", "b"))
    lock = take_lock(_recorded(vault))
    try:
        assert find_vault(None) == str(vault)
        marked = _folder(home, "notes", "a", ".obsidian").parent
        assert find_vault(None) == str(marked)
    finally:
        lock.close()


def test_the_record_of_a_daemon_that_has_ended_is_not_used(
    monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    vault = _folder(home, "notes")
    monkeypatch.chdir(vault)
    _recorded(vault)  # nobody holds the lock
    with pytest.raises(NoVault, match="no vault here"):
        find_vault(None)


def _used(vault: Path) -> None:
    """Make the state folder that a daemon of the vault leaves behind."""
    state = Path(default_state_folder(str(vault)))
    state.mkdir(parents=True)
    (state / VAULT_FILE).write_bytes(os.fsencode(vault))


def test_a_folder_that_a_daemon_served_before_is_the_vault(
    monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    vault = _folder(home, "notes")
    monkeypatch.chdir(_folder(home, "notes", "a"))
    with pytest.raises(NoVault):
        find_vault(None)
    _used(vault)
    assert find_vault(None) == str(vault)


def test_the_vault_of_a_daemon_is_found_while_its_folder_is_missing(
    monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    vault = _folder(home, "notes")
    _used(vault)
    vault.rename(home / "unmounted")
    assert find_vault(str(vault)) == str(vault)
    monkeypatch.setenv("CLEW_VAULT", str(vault))
    assert find_vault(None) == str(vault)
    with pytest.raises(NoVault, match=r"no folder .*/notes") as refused:
        check_folder(str(vault))
    assert "mount it" in refused.value.hints[0]
    with pytest.raises(NoVault, match=r"no folder .*/mistyped") as mistyped:
        find_vault(str(home / "mistyped"))
    assert "check the path" in mistyped.value.hints[0]


def test_one_state_folder_in_the_config_does_not_hide_a_mistyped_path(home: Path) -> None:
    vault = _folder(home, "notes")
    _used(vault)
    state = default_state_folder(str(vault))
    (home / "config.toml").write_text(f"[server]\nstate = {state!r}\n")
    vault.rename(home / "unmounted")
    assert find_vault(str(vault)) == str(vault)
    with pytest.raises(NoVault):
        find_vault(str(home / "mistyped"))


def test_the_message_says_what_to_type_and_which_vaults_there_are(
    monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.chdir(_folder(home, "elsewhere"))
    with pytest.raises(NoVault) as without:
        find_vault(None)
    assert without.value.hints == ("to serve the notes in this folder: clew start --vault .",)
    for name in ("first", "second", "gone"):
        _used(_folder(home, name))
    (home / "gone").rmdir()
    with pytest.raises(NoVault) as with_some:
        find_vault(None)
    _, vaults = with_some.value.hints
    names = vaults.removeprefix("vaults used before: ").split(", ")
    assert set(names) == {str(home / "first"), str(home / "second")}


def test_one_state_folder_in_the_config_does_not_make_every_folder_a_vault(
    monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    served, elsewhere = _folder(home, "served"), _folder(home, "elsewhere")
    state = _recorded(served)
    (home / "config.toml").write_text(f"[server]\nstate = {state!r}\n")
    monkeypatch.chdir(elsewhere)
    lock = take_lock(state)
    try:
        with pytest.raises(NoVault):
            find_vault(None)
    finally:
        lock.close()


def test_the_variable_comes_before_the_working_folder_and_the_config_after_it(
    monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    marked = _folder(home, "marked", ".obsidian").parent
    configured, named = _folder(home, "configured"), _folder(home, "named")
    (home / "config.toml").write_text(f"[vault]\npath = {str(configured)!r}\n")
    monkeypatch.chdir(home)
    assert find_vault(None) == str(configured)
    monkeypatch.chdir(marked)
    assert find_vault(None) == str(marked)
    monkeypatch.setenv("CLEW_VAULT", str(named))
    assert find_vault(None) == str(named)
