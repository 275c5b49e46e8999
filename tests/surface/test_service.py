"""``clew service`` writes units that systemd accepts, and asks the service manager to run them."""

import os
import plistlib
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from clew.surface.cli.commands import cli
from clew.surface.cli.daemon.launching import Launch
from clew.surface.cli.daemon.managers import Launchd, NoManager, Systemd, manager_of
from clew.surface.cli.daemon.service import stopped_service
from clew.surface.cli.daemon.units import NoUnit, quoted, socket_unit
from clew.surface.server.listening_socket import inherited_socket
from clew.values.errors import ConfigError
from tests.daemons import ANSWER_SECONDS_MAX, START_SECONDS_MAX, prepared
from tests.pace import Stopwatch
from tests.vaults import small_vault

HOSTILE = ["plain", "two words", "100% $HOME %h", 'quo"te\\n', "línea\nnueva", "潮 -x", "-y", "#z;"]
_ESCAPE = re.compile(r"\\x([0-9a-f]{2})|%%|\$\$")


def _read_by_systemd(text: str) -> bytes:
    """Return the bytes that systemd reads from a quoted word, by systemd.syntax(7)."""
    data = bytearray()
    at, inner = 0, text[1:-1]
    while at < len(inner):
        match = _ESCAPE.match(inner, at)
        if match is None:
            assert inner[at] not in '"\\%$'
            data += inner[at].encode()
            at += 1
            continue
        data += bytes([int(match[1], 16)]) if match[1] else match[0][:1].encode()
        at = match.end()
    return bytes(data)


@given(st.binary(min_size=1).filter(lambda data: b"\0" not in data))
def test_a_quoted_word_is_read_as_the_same_bytes(data: bytes) -> None:
    text = quoted(os.fsdecode(data))
    assert text.isascii()
    assert text.isprintable()
    assert _read_by_systemd(text) == data


@pytest.fixture(name="home")
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("h")
    monkeypatch.setenv("HOME", str(home))
    for name in ("RUNTIME_DIR", "STATE_HOME", "CONFIG_HOME"):
        (home / name).mkdir(0o700)
        monkeypatch.setenv(f"XDG_{name}", str(home / name))
    monkeypatch.delenv("CLEW_CONFIG", raising=False)
    monkeypatch.delenv("CLEW_VAULT", raising=False)
    return home


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
@pytest.mark.parametrize("name", HOSTILE)
def test_systemd_accepts_the_units(home: Path, name: str) -> None:
    vault = home / name
    vault.mkdir()
    paths = []
    for path, data in Systemd(Launch(str(vault))).files().items():
        assert os.path.dirname(path) == str(home / "CONFIG_HOME" / "systemd" / "user")
        paths.append(home / os.path.basename(path))
        paths[-1].write_bytes(data)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", *map(str, paths)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_path_that_no_unit_can_hold_is_refused() -> None:
    with pytest.raises(NoUnit, match="character"):
        socket_unit("/run/a\nb", "/v")


def _fake_systemctl(home: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Path:
    """Put a ``systemctl`` first in the path that records its words; return the record."""
    calls = home / "calls"
    folder = home / "bin"
    folder.mkdir()
    program = folder / "systemctl"
    program.write_text(f'#!/bin/sh\necho "$@" >> {calls}\n{script}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return calls


def _clew(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli, words)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done.exit_code, done.output


def test_install_writes_and_enables_the_units_and_uninstall_removes_them(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = _fake_systemctl(home, monkeypatch, 'case "$2" in is-active) echo active;; esac')
    vault = small_vault(home / "vault")
    units = [os.path.basename(path) for path in Systemd(Launch(str(vault))).files()]
    folder = home / "CONFIG_HOME" / "systemd" / "user"
    printed = _clew("service", "install", "--vault", str(vault), "--print")[1]
    assert not folder.exists()
    assert _clew("service", "status", "--vault", str(vault))[1].startswith("not installed")

    assert _clew("service", "install", "--vault", str(vault))[0] == 0
    assert sorted(each.name for each in folder.iterdir()) == sorted(units)
    assert all((folder / unit).read_text() in printed for unit in units)
    assert f"--user enable --now {units[1]} {units[0]}" in calls.read_text()
    assert "service active, socket active" in _clew("service", "status", "--vault", str(vault))[1]

    assert stopped_service(Launch(str(vault)))
    assert calls.read_text().splitlines()[-1] == f"--user stop {units[0]} {units[1]}"

    assert _clew("service", "uninstall", "--vault", str(vault))[0] == 0
    assert list(folder.iterdir()) == []
    assert not stopped_service(Launch(str(vault)))
    assert _clew("service", "uninstall", "--vault", str(vault))[0] == 1


def test_without_a_systemd_of_the_user_nothing_is_written(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fake_systemctl(home, monkeypatch, "echo 'Failed to connect to bus' >&2; exit 1")
    status, text = _clew("service", "install", "--vault", str(small_vault(home / "vault")))
    assert status == 1
    assert "no systemd runs for this user: Failed to connect to bus" in text
    assert "clew start works without it" in text
    assert not (home / "CONFIG_HOME" / "systemd").exists()


def test_a_system_without_systemctl_says_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(home))
    status, text = _clew("service", "install", "--vault", str(small_vault(home / "vault")))
    assert status == 1
    assert "systemctl is not installed" in text


def test_launchd_gets_an_agent_that_runs_the_same_command(home: Path) -> None:
    vault = home / "my & notes"
    vault.mkdir()
    daemon = Launch(str(vault))
    manager = manager_of(daemon, "darwin")
    assert isinstance(manager, Launchd)
    ((path, data),) = manager.files().items()
    assert path.startswith(str(home / "Library" / "LaunchAgents"))
    agent = plistlib.loads(data)
    assert agent["ProgramArguments"] == daemon.command()
    assert path.endswith(f"/{agent['Label']}.plist")


def test_no_manager_is_known_for_other_systems(home: Path) -> None:
    with pytest.raises(NoManager, match="plan9"):
        manager_of(Launch(str(home)), "plan9")


# As systemd starts a service: the socket is descriptor 3, and two variables tell so.
_ACTIVATE = """
import os, socket, sys
os.makedirs(os.path.dirname(sys.argv[1]), 0o700, exist_ok=True)
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen()
open(sys.argv[1] + ".listens", "x").close()
os.dup2(listener.fileno(), 3)
os.set_inheritable(3, True)
os.environ |= {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1"}
os.execv(sys.argv[2], sys.argv[2:])
"""


@pytest.mark.slow
def test_a_daemon_takes_over_the_socket_of_the_service_manager(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    home = tmp_path_factory.mktemp("h")
    with prepared(home, small_vault(home / "vault")) as daemon:
        daemon.spawn([sys.executable, "-c", _ACTIVATE, str(daemon.socket), *daemon.command])
        watch = Stopwatch()
        while not daemon.socket.with_suffix(".sock.listens").exists():
            assert not watch.is_over(START_SECONDS_MAX), daemon.log
            time.sleep(0.02)
        identity = daemon.socket.stat().st_ino
        # This request waits in the queue of the socket until the daemon accepts it.
        assert daemon.ask("concepts", waitFresh=True)["total"]
        assert daemon.socket.stat().st_ino == identity
        assert daemon.stop() == 0
        assert daemon.socket.exists()  # it belongs to the service manager


@pytest.mark.slow
def test_another_socket_than_that_of_the_vault_is_refused(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    home = tmp_path_factory.mktemp("h")
    with prepared(home, small_vault(home / "vault")) as daemon:
        other = home / "s" / "other.sock"
        child = daemon.spawn([sys.executable, "-c", _ACTIVATE, str(other), *daemon.command])
        assert child.wait(ANSWER_SECONDS_MAX) == 2
        assert "another socket" in daemon.log


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"LISTEN_PID": "1", "LISTEN_FDS": "1"}, None),
        ({"LISTEN_FDS": "1"}, None),
        ({}, None),
        ({"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "2"}, "2 sockets"),
    ],
)
def test_only_one_socket_for_this_process_is_taken(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], message: str | None
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    if message is None:
        assert inherited_socket("/run/x.sock") is None
        return
    with pytest.raises(ConfigError, match=message):
        inherited_socket("/run/x.sock")
