"""The bridge with the protocol's own Python clients: every revision that they speak.

Each runs in an environment of its own; ``make mcp-clients`` makes both.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.surface.mcp.tools.table import TOOLS
from clew.surface.mcp.versions import ENVELOPE, HANDSHAKE
from tests.daemons import Daemon, copy_sample, daemon
from tests.surface.mcp.pipes import words

PYTHONS = os.environ.get("CLEW_MCP_CLIENTS", "").split()

pytestmark = [
    pytest.mark.skipif(len(PYTHONS) != 2, reason="needs the clients: make mcp-clients"),
    pytest.mark.slow,
]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("clients")
    with daemon(home, copy_sample(home / "tides")) as started:
        yield started


@pytest.mark.parametrize(
    ("generation", "mode", "revision"),
    [
        *((1, version, version) for version in HANDSHAKE),
        (2, "legacy", HANDSHAKE[-1]),
        (2, "auto", ENVELOPE[-1]),
    ],
)
def test_a_client_of_each_generation_understands_every_reply(
    running: Daemon, generation: int, mode: str, revision: str
) -> None:
    script = Path(__file__).parent / f"client_{generation}.py"
    bridge = words("--vault", running.vault, "--socket", running.socket)
    if "PYTHONPATH" in os.environ:  # the clients do not pass it on
        bridge = ["env", f"PYTHONPATH={os.environ['PYTHONPATH']}", *bridge]
    done = subprocess.run(
        [PYTHONS[generation - 1], str(script), mode, *bridge],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["revision"] == revision
    assert said["tools"] == list(TOOLS)
    assert said["good"][0] is False
    assert "memory://concepts/Clock%20drift.md#L" in said["good"][1]
    assert said["bad"][0] is True
    assert said["templates"] == ["memory://{path}"]
    assert said["note"].startswith("---")
    assert said["prompts"] == ["what_do_i_know", "brief_my_week"]
    assert "tides" in said["prompt"]
