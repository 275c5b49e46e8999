"""Every command computes the same socket path for a vault, and the system can bind it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.surface.paths import (
    SOCKET_PATH_BYTES_MAX,
    config_path,
    fits_socket,
    socket_path,
    state_home,
    vault_id,
)
from clew.surface.server.listening_socket import open_socket
from clew.values.errors import ConfigError

VAULT = "/home/me/notes"
names = st.text("aé潮", min_size=1, max_size=60)


@pytest.fixture(autouse=True)
def _no_config(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLEW_CONFIG", str(tmp_path / "none.toml"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", "")


@given(st.lists(names, max_size=9), names)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_computed_socket_is_never_too_long_to_bind(
    monkeypatch: pytest.MonkeyPatch, folders: list[str], vault: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/".join(["/home", *folders]))
    path = socket_path(f"/{vault}")
    assert fits_socket(path)
    assert path == socket_path(f"/{vault}")
    assert path != socket_path(f"/{vault}2")


@pytest.mark.parametrize("extra", [0, 1])
def test_the_state_folder_is_used_up_to_the_last_byte_that_fits(
    monkeypatch: pytest.MonkeyPatch, extra: int
) -> None:
    after = len(f"/clew/{vault_id(VAULT)}/run/clew.sock")
    home = "/" + "x" * (SOCKET_PATH_BYTES_MAX - 1 - after + extra)
    monkeypatch.setenv("XDG_STATE_HOME", home)
    path = socket_path(VAULT)
    assert path.startswith(home) == (not extra)
    assert path.endswith(f"/clew-{os.getuid()}/{vault_id(VAULT)}.sock") == bool(extra)


def test_the_state_folder_is_used_where_the_runtime_folder_is_too_long(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    runtime = tmp_path / ("r" * 100)
    runtime.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    monkeypatch.setenv("XDG_STATE_HOME", "/s")
    assert socket_path(VAULT) == f"/s/clew/{vault_id(VAULT)}/run/clew.sock"


def test_a_given_socket_path_is_used_as_it_is_and_refused_if_too_long() -> None:
    named = "/" + "x" * SOCKET_PATH_BYTES_MAX
    assert socket_path(VAULT, named) == named
    with pytest.raises(ConfigError, match="over 107 bytes"):
        open_socket(named)


def _make_open_to_others(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o755)


def _make_link(folder: Path) -> None:
    (folder.parent / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to("elsewhere")


def _make_foreign(folder: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a folder away")
    folder.mkdir(mode=0o700)
    os.chown(folder, 65534, 65534)


@pytest.mark.parametrize("make", [_make_open_to_others, _make_link, _make_foreign])
def test_no_socket_is_bound_in_a_folder_that_is_not_private(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    make(tmp_path / "clew-0")
    with pytest.raises(ConfigError, match=r"of your own|lets others in"):
        open_socket(str(tmp_path / "clew-0" / "v.sock"))


def test_a_relative_base_folder_is_ignored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It would be another folder for each folder that a command is typed in."""
    (tmp_path / "r").mkdir(mode=0o700)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.delenv("CLEW_CONFIG")
    for variable in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(variable, "r")
    assert state_home() == "/home/me/.local/state/clew"
    assert config_path() == "/home/me/.config/clew/config.toml"
    assert socket_path(VAULT).startswith("/home/me/.local/state/clew/")
