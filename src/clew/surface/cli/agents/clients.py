"""The clients that ``clew mcp install`` supports, with the path and format of their configs.

Sources, looked up in November 2026: the pages on MCP of Claude Code (code.claude.com/docs/en/mcp),
VS Code (code.visualstudio.com/docs/agents/reference/mcp-configuration), Cursor and Codex.
"""

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SERVER_NAME = "clew"
# Variables that decide where clew keeps its files; clients pass on only a part of the environment.
_VARIABLES = ("CLEW_CONFIG", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME")


@dataclass(frozen=True, slots=True)
class Client:
    """One client: its config file below the home folder, and the table of servers in it."""

    name: str
    file: str  # below the home folder
    table: str
    says_type: bool  # an entry has ``"type": "stdio"``

    @property
    def is_toml(self) -> bool:
        """Whether the config is TOML rather than JSON."""
        return self.file.endswith(".toml")

    def path(self, home: str) -> str:
        """Return the path of the config file of a user."""
        return os.path.join(home, self.file)


CLIENTS = {
    client.name: client
    for client in (
        Client("claude-code", ".claude.json", "mcpServers", says_type=True),
        Client(
            "claude-desktop",
            ".config/Claude/claude_desktop_config.json",
            "mcpServers",
            says_type=False,
        ),
        Client("cursor", ".cursor/mcp.json", "mcpServers", says_type=False),
        Client("vscode", ".config/Code/User/mcp.json", "servers", says_type=True),
        Client("codex", ".codex/config.toml", "mcp_servers", says_type=False),
    )
}


def entry(client: Client, options: list[str], environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the config entry that starts the bridge, with absolute paths and needed variables."""
    command = {
        "command": os.path.abspath(sys.executable),
        "args": ["-P", "-m", "clew", "mcp", *options],
    }
    variables = {name: environment[name] for name in _VARIABLES if environment.get(name)}
    transport = {"type": "stdio"} if client.says_type else {}
    return {**transport, **command, **({"env": variables} if variables else {})}


def block(client: Client, server: dict[str, Any]) -> str:
    """Return the block to paste into the config file of a client that has no servers yet."""
    if client.is_toml:
        return toml_table(client, server)
    return json.dumps({client.table: {SERVER_NAME: server}}, indent=2, ensure_ascii=False) + "\n"


def toml_table(client: Client, server: dict[str, Any]) -> str:
    """Return the table of a server in TOML; ASCII strings of JSON are strings of TOML too."""
    lines = [f"[{client.table}.{SERVER_NAME}]"]
    lines += [f"{key} = {json.dumps(server[key])}" for key in ("command", "args")]
    if "env" in server:
        pairs = ", ".join(f"{name} = {json.dumps(text)}" for name, text in server["env"].items())
        lines.append(f"env = {{ {pairs} }}")
    return "\n".join(lines) + "\n"
