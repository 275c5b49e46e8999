"""A request that is longer than the daemon takes is refused in every client."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import clew
from tests.daemons import Daemon, daemon
from tests.surface.mcp.pipes import bridge

pytestmark = pytest.mark.slow  # starts a daemon of its own

TOO_LONG = "🌊" * 400_000  # 1.6 MB in UTF-8
FITS = "🌊" * 200_000  # in UTF-8; 2.4 MB where each character is escaped
JUST_TOO_LONG = "x" * 1_048_576  # with the rest of the request; buffers can hold it


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("long")
    (home / "vault").mkdir()
    (home / "vault" / "a.md").write_text("A note.\n")
    with daemon(home, home / "vault") as started:
        yield started


@pytest.mark.parametrize("text", [TOO_LONG, JUST_TOO_LONG])
def test_a_command_says_that_its_request_is_too_large(running: Daemon, text: str) -> None:
    assert running.refusal("verify", text=text)["data"]["code"] == "tooLarge"
    command = [sys.executable, "-m", "clew", "verify", "-", "--socket", str(running.socket)]
    given = text.encode()
    done = subprocess.run(
        command, input=given, capture_output=True, check=False, env=running.environment
    )
    assert (done.returncode, b"at most 1048576 bytes" in done.stderr) == (1, True), done.stderr


def test_a_text_that_fits_is_taken_from_a_command_and_an_agent(running: Daemon) -> None:
    command = [sys.executable, "-m", "clew", "verify", "-", "--socket", str(running.socket)]
    subprocess.run(command, input=FITS.encode(), check=True, env=running.environment)
    with bridge("--socket", running.socket, env=running.environment) as agent:
        assert not agent.call("verify", text=FITS)[0]


@pytest.mark.parametrize("text", [TOO_LONG, JUST_TOO_LONG])
def test_python_is_told_once_and_the_next_request_is_answered(running: Daemon, text: str) -> None:
    turn: dict[str, Any] = {"session_id": f"of {len(text)}", "role": "user", "content": "a turn"}
    with clew.connect(socket=str(running.socket)) as vault:
        with pytest.raises(clew.Refused) as refused:
            vault.verify(text=text)
        assert refused.value.code == "tooLarge"
        assert vault.session_append(**turn).turn == 1  # a request that is never repeated


@pytest.mark.parametrize("text", [TOO_LONG, JUST_TOO_LONG])
def test_asyncio_is_told_once_and_the_next_request_is_answered(running: Daemon, text: str) -> None:
    turn: dict[str, Any] = {
        "session_id": f"async of {len(text)}",
        "role": "user",
        "content": "a turn",
    }

    async def converse() -> int:
        async with await clew.aconnect(socket=str(running.socket)) as vault:
            with pytest.raises(clew.Refused) as refused:
                await vault.verify(text=text)
            assert refused.value.code == "tooLarge"
            return (await vault.session_append(**turn)).turn

    assert asyncio.run(converse()) == 1


def test_an_agent_is_told(running: Daemon) -> None:
    with bridge("--socket", running.socket, env=running.environment) as agent:
        # With a lone surrogate, each character is sent escaped.
        failed, said = agent.call("verify", text="🌊" * 100_000 + "\ud800")
        assert failed
        assert "at most 1048576 bytes" in said
        assert not agent.call("status", 2)[0]
