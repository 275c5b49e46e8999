"""Another folder at the vault's path: the daemon reports it, and says how to serve it."""

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from clew.surface.client import NoDaemon, Refused, call
from clew.surface.config import Config
from clew.surface.server.paths import DaemonPaths
from clew.surface.server.service import VaultService
from clew.values import ipc
from clew.values.errors import NotReady
from tests.daemons import Daemon, broken_parts, daemon
from tests.faults.vaults import knows, seconds_until, vault_of

OLD = {f"n{number}.md": f"[[hub]] [[old {number}]]" for number in range(3)}
NEW = {"other.md": "[[hub]] [[another vault]]"}
REPLACED = "another folder than the one that was indexed"
NOTICED_SECONDS_MAX = 30.0


def another_folder(vault: Path) -> None:
    vault.rename(vault.parent / "aside")
    vault_of(vault, NEW)


def an_empty_folder(vault: Path) -> None:
    vault.rename(vault.parent / "aside")
    vault.mkdir()


def a_link(vault: Path) -> None:
    vault.rename(vault.parent / "aside")
    vault.symlink_to(vault_of(vault.parent / "linked", NEW))


def no_folder(vault: Path) -> None:
    vault.rename(vault.parent / "aside")


def a_file(vault: Path) -> None:
    vault.rename(vault.parent / "aside")
    vault.write_text("a file")


def is_flagged(running: Daemon) -> bool:
    return bool(broken_parts(running.ask("status")))


def is_replaced(running: Daemon) -> bool:
    """Return whether the daemon has seen the other folder, and not only that its own is gone."""
    return REPLACED in str(broken_parts(running.ask("status")))


def clew(environment: Mapping[str, str], *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "clew", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
        env=environment,
    )


def commands_in(text: str) -> list[list[str]]:
    """Return the commands that a message tells the user to type."""
    return [shlex.split(command)[1:] for command in re.findall("`(clew [^`]+)`", text)]


@contextmanager
def ended(running: Daemon, *sockets: Path) -> Iterator[None]:
    """End whatever daemon a command has started meanwhile."""
    try:
        yield
    finally:
        for place in (running.socket, *sockets):
            with suppress(NoDaemon):
                call(str(place), "shutdown", {})


@pytest.mark.slow
@pytest.mark.parametrize(
    "replace",
    [
        another_folder,
        pytest.param(an_empty_folder, marks=pytest.mark.slow),
        pytest.param(a_link, marks=pytest.mark.slow),
    ],
)
def test_status_doctor_and_refusals_name_the_restart(
    tmp_path: Path, replace: Callable[[Path], None]
) -> None:
    vault = vault_of(tmp_path / "my 'vault'", OLD)
    with daemon(tmp_path / "h", vault) as running:
        replace(vault)
        assert seconds_until(lambda: is_replaced(running), NOTICED_SECONDS_MAX) < float("inf")
        (reason,) = broken_parts(running.ask("status")).values()
        (check, *_) = running.ask("doctor")["checks"]
        error = running.refusal("sync")
        assert error["data"]["code"] == "vaultUnavailable"
        assert not check["ok"]
        for text in (reason, f"{check['message']}; {check['fix']}", str(error)):
            assert REPLACED in text
        places = ["--socket", str(running.socket)]
        start = ["start", "--vault", str(vault), *places, "--state", f"{tmp_path}/h/state"]
        for text in (reason, check["fix"], error["data"]["hint"]):
            assert commands_in(text) == [["stop", *places], start]
        assert running.ask("concept", conceptName="hub")["noteCount"] == len(OLD)


@pytest.mark.parametrize("replace", [no_folder, pytest.param(a_file, marks=pytest.mark.slow)])
def test_a_vault_that_is_gone_is_to_be_brought_back(
    tmp_path: Path, replace: Callable[[Path], None]
) -> None:
    vault = vault_of(tmp_path / "v", OLD)
    with daemon(tmp_path / "h", vault) as running:
        replace(vault)
        assert seconds_until(lambda: is_flagged(running), NOTICED_SECONDS_MAX) < float("inf")
        (reason,) = broken_parts(running.ask("status")).values()
        (check, *_) = running.ask("doctor")["checks"]
        assert "cannot be listed" in check["message"]
        assert check["fix"].startswith("bring it back")
        assert commands_in(reason) == []


@pytest.mark.slow
@pytest.mark.parametrize("has_state_elsewhere", [False, True])
def test_commands_reach_the_daemon_of_a_vault_that_is_gone(
    tmp_path: Path, has_state_elsewhere: bool
) -> None:
    vault = vault_of(tmp_path / "v", OLD)
    (tmp_path / "h" / "xr").mkdir(parents=True, mode=0o700)
    running = Daemon(tmp_path / "h", vault)
    state = ["--state", str(tmp_path / "s")] if has_state_elsewhere else []
    begun = typed_at(running, vault, "start", "--wait", *state)
    with ended(running, Path(begun.stdout.removeprefix("started: ").partition(",")[0])):
        no_folder(vault)
        for words in (["search", "old"], ["status"], ["where", *state], ["logs", *state]):
            done = typed_at(running, vault, *words)
            assert (done.returncode, done.stderr) == (0, ""), words
        for place, words in ((vault, ["start"]), (tmp_path / "mistyped", ["search", "old"])):
            done = typed_at(running, place, *words)
            assert (done.returncode, "mount it" in done.stderr) == (2, True), words
        assert typed_at(running, vault, "stop", *state).stdout == "stopped\n"
    assert "mount" in typed_at(running, vault, "search", "old").stderr


def typed_at(running: Daemon, vault: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return clew(running.environment, *words, "--vault", str(vault))


@pytest.mark.slow
@pytest.mark.parametrize("notes", [OLD, {}])
def test_a_vault_that_is_mounted_under_another_number_is_the_same(
    tmp_path: Path, notes: Mapping[str, str]
) -> None:
    vault = vault_of(tmp_path / "v", notes)
    with daemon(tmp_path / "h", vault) as running:
        vault.rename(tmp_path / "aside")
        shutil.copytree(tmp_path / "aside", tmp_path / "mounted")
        vault_of(tmp_path / "mounted", {"n0.md": "[[written meanwhile]]"})
        (tmp_path / "mounted").rename(vault)
        assert knows(running, "written meanwhile", NOTICED_SECONDS_MAX)
        running.until("status", lambda said: said["degraded"] == [], NOTICED_SECONDS_MAX)
        vault_of(vault, {"n1.md": "[[written later]]"})
        assert knows(running, "written later"), "changes are no longer heard of"


REPORT = ipc.IndexerReport(
    degraded={"vault": "is another folder than the one that was indexed"},
    vault_replaced=True,
    vault_emptied=False,
    problems=(),
    walked_at_s=0.0,
    walk_ms=0.0,
    walks=0,
    missed=0,
    overflows=0,
    watched_folders=0,
    persist_failure=None,
    saved_at_s=0.0,
    log_records=0,
    root_identity=(1, 2),
    communities_due=True,
    vectors_due=True,
    names_due=True,
)


def test_before_the_first_index_it_is_said_why_there_is_none(tmp_path: Path) -> None:
    vault, state = str(tmp_path / "v"), str(tmp_path / "state")
    config = Config()
    places = DaemonPaths(vault=vault, state=state, socket=str(tmp_path / "s"))
    briefing = config.briefing(vault, state, 0, 1)
    service = VaultService(places, briefing, config.sibling_config(), config.search_config())
    with pytest.raises(NotReady, match="the first index is being built"):
        service.ready_snapshot()
    service.receiver.receive(REPORT)
    with pytest.raises(NotReady, match="cannot be built") as caught:
        service.ready_snapshot()
    assert "is another folder than" in str(caught.value)
    assert [words[0] for words in commands_in(caught.value.hint)] == ["stop", "start"]


@pytest.mark.slow
def test_the_remedy_follows_what_is_there_now(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", OLD)
    with daemon(tmp_path / "h", vault) as running:
        another_folder(vault)
        assert "stop" in running.refusal("sync")["data"]["hint"]
        vault.rename(tmp_path / "other")
        assert "bring it back" in running.refusal("sync")["data"]["hint"]
        (tmp_path / "aside").rename(vault)
        running.ask("sync")
        assert broken_parts(running.ask("status")) == {}
        assert running.ask("doctor")["checks"][0]["ok"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("replace", "by_default"),
    [
        (another_folder, True),
        pytest.param(another_folder, False, marks=pytest.mark.slow),
        pytest.param(a_link, True, marks=pytest.mark.slow),
    ],
)
def test_the_commands_take_the_other_folder_in(
    tmp_path: Path, replace: Callable[[Path], None], by_default: bool
) -> None:
    vault = vault_of(tmp_path / "my vault", OLD)
    (tmp_path / "h" / "xr").mkdir(parents=True, mode=0o700)
    running = Daemon(tmp_path / "h", vault)
    named = [] if by_default else ["--socket", str(running.socket), "--state", f"{tmp_path}/h/s2"]
    begun = clew(running.environment, "start", "--vault", str(vault), *named)
    old_socket = Path(begun.stdout.removeprefix("started: ").strip().partition(",")[0])
    with ended(running, old_socket, *(tmp_path / "h" / "xr" / "clew").glob("*.sock")):
        assert seconds_until(lambda: mentions(old_socket, "hub"), 60.0) < float("inf")
        replace(vault)
        doctor = ["doctor", "--socket", str(old_socket)]
        is_told = lambda: "another folder" in clew(running.environment, *doctor).stdout  # noqa: E731
        assert seconds_until(is_told, NOTICED_SECONDS_MAX) < float("inf")
        new_socket = typed(running, commands_in(clew(running.environment, *doctor).stdout))
        with ended(running, new_socket):
            is_taken_in = lambda: mentions(new_socket, "another vault")  # noqa: E731
            assert seconds_until(is_taken_in, 60.0) < float("inf")
            assert seconds_until(lambda: not mentions(new_socket, "old 1"), 60.0) < float("inf")


def typed(running: Daemon, commands: list[list[str]]) -> Path:
    """Run commands as a user would; return the socket that the last one names."""
    for words in commands:
        done = clew(running.environment, *words)
        assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("started: ")
    return Path(done.stdout.removeprefix("started: ").strip().partition(",")[0])


def mentions(place: Path, concept: str) -> bool:
    try:
        return bool(call(str(place), "concept", {"conceptName": concept})["noteCount"])
    except (NoDaemon, Refused):
        return False
