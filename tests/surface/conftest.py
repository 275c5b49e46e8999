"""Fixtures: a partition schedule, and restarts of the indexer without delays."""

import asyncio
from pathlib import Path

import pytest

from clew.surface.server.child import supervisor as supervisor_module
from tests.keepers import Rig


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
