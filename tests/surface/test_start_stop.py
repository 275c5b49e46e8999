"""A daemon starts, refuses a wrong config, and ends."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.daemons import STOP_SECONDS_MAX, daemon, succeed
from tests.processes import contained
from tests.vaults import SMALL_VAULT, small_vault


def test_sigterm_ends_cleanly_and_a_kill_does_not_prevent_a_restart(tmp_path: Path) -> None:
    vault = small_vault(tmp_path / "vault")
    with daemon(tmp_path / "h", vault) as started:
        assert started.child is not None
        started.child.send_signal(signal.SIGKILL)
        started.child.wait()
        assert started.socket.exists()
        started.start()
        assert started.ask("status")["notes"] == len(SMALL_VAULT)
        assert started.stop() == 0
        assert not started.socket.exists()


@pytest.mark.slow
def test_shutdown_answers_and_then_ends(tmp_path: Path) -> None:
    with daemon(tmp_path / "h", small_vault(tmp_path / "vault")) as started:
        assert started.ask("shutdown")["stopping"] is True
        assert started.child is not None
        assert started.child.wait(STOP_SECONDS_MAX) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[vault]\nignroe = []\n", "unknown key 'ignroe' in [vault]: did you mean ignore?"),
        pytest.param("[vault]\nzzz = []\n", "in [vault]: there are path, ", marks=pytest.mark.slow),
        pytest.param("[concepts]\nform = []\n", "did you mean from?", marks=pytest.mark.slow),
        pytest.param("vualt = []\n", "'vualt': did you mean vault?", marks=pytest.mark.slow),
        pytest.param("[decay]\nhalf_life_days = 0\n", "half_life_days", marks=pytest.mark.slow),
        pytest.param("[concepts]\nfrom = ['moon']\n", "from", marks=pytest.mark.slow),
        pytest.param("not toml", "c.toml", marks=pytest.mark.slow),
    ],
)
def test_the_message_names_an_error_in_the_config(tmp_path: Path, text: str, message: str) -> None:
    config = tmp_path / "c.toml"
    config.write_text(text)
    words = ["serve", "--vault", str(tmp_path), "--config", str(config)]
    done = subprocess.run(
        [sys.executable, "-m", "clew", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())


@pytest.mark.slow
def test_state_inside_the_vault_is_refused(tmp_path: Path) -> None:
    words = ["serve", "--vault", str(tmp_path), "--state", str(tmp_path / "state")]
    done = subprocess.run(
        [sys.executable, "-m", "clew", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "inside the vault" in done.stderr


def _commands(home: Path, vault: Path) -> Callable[..., tuple[int, str]]:
    """Return a function that runs a command in the vault, with folders of its own."""
    environment = {
        **os.environ,
        "XDG_STATE_HOME": str(home / "s"),
        "XDG_RUNTIME_DIR": "",
        "XDG_CONFIG_HOME": str(home / "c"),
        "COLUMNS": "",
    }

    def clew(*words: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "clew", *words, "--vault", str(vault)],
            capture_output=True,
            text=True,
            env=environment,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    return clew


@pytest.mark.slow
def test_start_waits_for_the_index_and_where_and_logs_tell_of_the_daemon(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    home = tmp_path_factory.mktemp("h")
    vault = small_vault(home / "vault")
    clew = _commands(home, vault)
    assert clew("logs")[0] == 1
    assert json.loads(clew("where", "--json")[1])["pid"] is None
    with contained():
        succeed(lambda: clew("start"))
        status, text = clew("start", "--wait")
        assert status == 0
        assert f"{len(SMALL_VAULT)} notes indexed" in text
        paths = json.loads(clew("where", "--json")[1])
        assert paths["answers"] is True
        assert os.path.exists(paths["socket"])
        assert str(paths["pid"]) in clew("where")[1]
        assert clew("logs", "-n", "0") == (0, "")
        assert clew("logs")[1] == Path(paths["log"]).read_text()
        assert clew("stop")[0] == 0
    assert clew("logs", "-n", "1")[1].endswith("stopped\n")


@pytest.mark.slow
def test_a_command_starts_a_daemon_only_if_the_config_says_so(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    home = tmp_path_factory.mktemp("h")
    vault = small_vault(home / "vault")
    clew = _commands(home, vault)
    assert clew("concepts")[0] == 3
    (home / "c" / "clew").mkdir(parents=True)
    (home / "c" / "clew" / "config.toml").write_text("[server]\nautostart = true\n")
    with contained():
        # On a busy machine the first answer may be that the notes are not read yet.
        assert f"started a daemon for {vault}" in clew("concepts")[1]
        succeed(lambda: clew("concepts"))
        assert "started" not in clew("concepts")[1]
        assert clew("stop")[0] == 0
    assert clew("stop")[0] == 3  # which starts nothing


@pytest.mark.slow
def test_a_daemon_that_cannot_start_on_demand_says_why(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    home = tmp_path_factory.mktemp("h")
    clew = _commands(home, small_vault(home / "vault"))
    (home / "c" / "clew").mkdir(parents=True)
    (home / "c" / "clew" / "config.toml").write_text("[server]\nautostart = true\nx = 1\n")
    status, text = clew("concepts")
    assert status == 3
    assert "ended at once" in text
    assert "unknown key 'x' in [server]" in text


@pytest.mark.slow
def test_a_daemon_that_ends_at_once_shows_its_own_lines_of_the_log(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    home = tmp_path_factory.mktemp("h")
    clew = _commands(home, small_vault(home / "vault"))
    for config in ("first", "second"):
        (home / config).write_text(f"{config} = 1\n")
        status, text = clew("start", "--config", str(home / config))
        assert status == 1
        assert f"'{config}'" in text
    assert "'first'" not in text


@pytest.mark.slow
def test_an_empty_vault_says_so_in_every_answer(tmp_path_factory: pytest.TempPathFactory) -> None:
    home = tmp_path_factory.mktemp("h")
    (home / "vault").mkdir()
    clew = _commands(home, home / "vault")
    told = f"clew: there are no notes (*.md, *.markdown) in {home / 'vault'}\n"
    with contained():
        assert clew("start", "--wait")[1].endswith(told)
        for words in (["search", "tide"], ["concept", "tide"], ["communities"], ["orphans"]):
            assert clew(*words) == (0, told)
        (home / "vault" / "a.md").write_text("A note.")
        assert clew("orphans", "--wait-fresh") == (0, "a.md\n")
        assert clew("search", "tide")[1] == "clew: nothing in these notes speaks of tide\n"
        assert clew("stop")[0] == 0


@pytest.mark.slow
def test_start_returns_when_the_daemon_answers_and_stop_when_it_has_ended(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    home = tmp_path_factory.mktemp("h")  # a short name, since the path of a socket is bounded
    vault = small_vault(home / "vault")
    clew = _commands(home, vault)
    with contained():
        succeed(lambda: clew("start"))
        assert "already running" in clew("start")[1]
        succeed(lambda: clew("sync"))
        assert clew("concept", "topic", "--json")[0] == 0
        assert clew("stop") == (0, "stopped\n")
    status, text = clew("status")
    assert status == 3
    assert "clew start --vault" in text


@pytest.mark.slow
def test_a_file_at_the_path_of_the_socket_is_left_alone(tmp_path: Path) -> None:
    place = tmp_path / "run"
    place.mkdir(mode=0o700)
    (place / "x.sock").write_text("mine")
    words = ["serve", "--vault", str(small_vault(tmp_path / "v")), "--state", str(tmp_path / "st")]
    done = subprocess.run(
        [sys.executable, "-m", "clew", *words, "--socket", str(place / "x.sock")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert (place / "x.sock").read_text() == "mine"
