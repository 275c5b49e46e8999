"""Fixtures: a shared daemon, a partition schedule, and restarts of the indexer without delays."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.surface.server.child import supervisor as supervisor_module
from tests.daemons import Daemon, copy_sample, daemon
from tests.schedulers import Rig


@pytest.fixture(scope="session")
def _sample_daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("shared")
    with daemon(home, copy_sample(home / "tides")) as started:
        started.until_partitioned()
        started.until("status", lambda said: said["ready"], 60.0)
        yield started


@pytest.fixture
def running(_sample_daemon: Daemon) -> Iterator[Daemon]:
    """Return the daemon on the sample vault that all tests share whose file starts no other.

    A test may change notes and add sessions, and the next one finds the sample as it was. Dates of
    reading, traces and what is cached stay.
    """
    before = _files(_sample_daemon.vault)
    yield _sample_daemon
    after = _files(_sample_daemon.vault)
    if after != before:
        for path in after.keys() - before.keys():
            path.unlink()
        for path, content in before.items():
            if after.get(path) != content:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        _sample_daemon.ask("sync")
    for session in _sample_daemon.ask("session.list")["sessions"]:
        _sample_daemon.ask("session.delete", sessionId=session["sessionId"])


def _files(vault: Path) -> dict[Path, bytes]:
    """Return all files of a small vault; symbolic links count as theirs."""
    return {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()}


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path / "memory")


@pytest.fixture
def delays_s(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Restart indexers at once; return the delays that they would have had."""
    found: list[float] = []
    sleep = asyncio.sleep

    async def _sleep(delay_s: float) -> None:
        is_between_lives = delay_s >= supervisor_module.RESTART_SECONDS_MIN
        if is_between_lives:
            found.append(delay_s)
        await sleep(0 if is_between_lives else delay_s)

    monkeypatch.setattr(asyncio, "sleep", _sleep)
    return found
