"""``clew mcp install``: blocks that start a bridge, and configs that keep everything else."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.surface.cli.agents.clients import CLIENTS, Client, block, entry
from clew.surface.cli.agents.editing import CannotEdit, edited
from tests.examples import examples
from tests.tables import for_each_row

JSON_CLIENTS = [client for client in CLIENTS.values() if not client.is_toml]
CODEX = CLIENTS["codex"]
OPTIONS = ["--vault", '/home/me/my "notes" 日本']


def server(client: Client, **environment: str) -> dict[str, Any]:
    return entry(client, OPTIONS, environment)


def parsed(client: Client, text: str) -> dict[str, Any]:
    return tomllib.loads(text) if client.is_toml else json.loads(text)


@pytest.mark.parametrize("client", CLIENTS.values(), ids=list(CLIENTS))
def test_a_block_has_absolute_paths_and_the_folders_of_clew(client: Client) -> None:
    made = server(client, XDG_STATE_HOME="/s", PATH="/bin", XDG_CONFIG_HOME="")
    [shown] = parsed(client, block(client, made))[client.table].values()
    assert shown == made
    assert os.path.isabs(shown["command"])
    assert shown["args"][-2:] == OPTIONS
    assert shown["env"] == {"XDG_STATE_HOME": "/s"}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)


@given(st.sampled_from(JSON_CLIENTS), st.dictionaries(st.text(max_size=9), VALUES), st.booleans())
@examples()
def test_a_json_config_keeps_all_other_entries(
    client: Client, others: dict[str, Any], has_servers: bool
) -> None:
    config = {**others, **({client.table: {"other": {"command": "x"}}} if has_servers else {})}
    config = {name: value for name, value in config.items() if name != client.table or has_servers}
    text = edited(client, json.dumps(config, indent=4), server(client))
    after = json.loads(text)
    assert after[client.table].pop("clew") == server(client)
    assert after == {client.table: {}, **config}
    assert text == edited(client, text, server(client))


@for_each_row("name", ["vscode", "cursor"])
@for_each_row("text", ['{"a": 1, // why\n}', "{,}", "[]", '{"servers": [], "mcpServers": 1}'])
def test_a_json_config_with_comments_or_faults_is_refused(name: str, text: str) -> None:
    with pytest.raises(CannotEdit):
        edited(CLIENTS[name], text, server(CLIENTS[name]))


TOML = """\
# My settings
model = "x" # keep

[mcp_servers.other]
command = "y"
{ours}
[projects."/home/me"]
trust = true
"""


@pytest.mark.parametrize(
    "ours",
    [
        "",
        '\n[mcp_servers.clew]\ncommand = "old"\nargs = [\n  "[x]",\n]\n',
        '\n[ mcp_servers . "clew" ]\ncommand = "old"\n\n[mcp_servers.clew.env]\nA = "b"\n',
    ],
)
def test_a_toml_config_keeps_every_other_line(ours: str) -> None:
    text = edited(CODEX, TOML.format(ours=ours), server(CODEX, XDG_STATE_HOME="/s"))
    after = tomllib.loads(text)
    assert after["mcp_servers"].pop("clew") == server(CODEX, XDG_STATE_HOME="/s")
    assert after == tomllib.loads(TOML.format(ours=""))
    assert [line for line in TOML.format(ours="").split("\n") if line not in text.split("\n")] == []
    assert edited(CODEX, text, server(CODEX, XDG_STATE_HOME="/s")) == text


@pytest.mark.parametrize(
    "text",
    [
        "x = ",
        "mcp_servers = 1",
        'mcp_servers = { other = { command = "y" } }',
        '[mcp_servers.clew]\ncommand = """\n[mcp_servers.other]\n"""\nargs = []\n',
    ],
)
def test_a_toml_config_in_another_form_is_refused(text: str) -> None:
    with pytest.raises(CannotEdit):
        edited(CODEX, text, server(CODEX))


def installed(home: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    vault = home / "v"
    vault.mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, "-m", "clew", "mcp", "install", "--vault", str(vault), *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "HOME": str(home)},
    )


def test_install_prints_the_block_and_writes_only_if_told_to(tmp_path: Path) -> None:
    done = installed(tmp_path, "--client", "claude-code")
    shown = json.loads(done.stdout)["mcpServers"]["clew"]
    assert str(tmp_path / "v") in shown["args"]
    assert not (tmp_path / ".claude.json").exists()
    config = tmp_path / ".claude.json"
    config.write_text('{\n  "theme": "dark"\n}\n')
    config.chmod(0o600)
    written = installed(tmp_path, "--client", "claude-code", "--write")
    assert "+    " in written.stdout
    assert written.returncode == 0
    assert json.loads(config.read_text())["theme"] == "dark"
    assert json.loads(config.read_text())["mcpServers"]["clew"] == shown
    assert config.stat().st_mode & 0o777 == 0o600


def test_install_leaves_a_config_with_comments_as_it_is(tmp_path: Path) -> None:
    config = tmp_path / CLIENTS["vscode"].file
    config.parent.mkdir(parents=True)
    config.write_text('{\n  // mine\n  "servers": {}\n}\n')
    done = installed(tmp_path, "--client", "vscode", "--write")
    assert done.returncode == 1
    assert "is unchanged" in " ".join(done.stderr.split())
    assert "// mine" in config.read_text()


def test_help_and_typos_are_explained() -> None:
    for words, status, part in (
        (["--help"], 0, "--autostart"),
        (["--autostrat"], 2, "--autostart"),
        (["install", "--client", "emacs"], 2, "codex"),
    ):
        command = [sys.executable, "-m", "clew", "mcp", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == status
        assert part in done.stdout + done.stderr
