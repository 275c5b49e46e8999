"""Add the bridge to the text of a client's config, and leave all else as it was.

A file that cannot be changed without losing something, such as JSON with comments, is refused.
"""

import json
import re
import tomllib
from typing import Any

from clew.surface.cli.agents.clients import SERVER_NAME, Client, toml_table

_TOML_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)


class CannotEdit(Exception):
    """The config cannot be changed safely; the message says why and what to do."""


def edited(client: Client, text: str, server: dict[str, Any]) -> str:
    """Return the text of a config file with the bridge added; it replaces an earlier entry.

    Raises:
        CannotEdit: the file is malformed, or has comments that would be lost.
    """
    return (
        _edited_toml(client, text, server) if client.is_toml else _edited_json(client, text, server)
    )


def _edited_json(client: Client, text: str, server: dict[str, Any]) -> str:
    try:
        config = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise CannotEdit(
            f"not plain JSON ({error}), perhaps with comments, which would be lost: paste the block"
        ) from error
    servers = config.setdefault(client.table, {}) if isinstance(config, dict) else None
    if not isinstance(servers, dict):
        raise CannotEdit(f"{client.table} is no JSON object: correct it first")
    servers[SERVER_NAME] = server
    return json.dumps(config, indent=_indent(text), ensure_ascii=False) + "\n"


def _indent(text: str) -> int | str:
    """Return the indentation of a JSON file; two spaces if it has none."""
    found = re.search(r"^\s*\{\s*\n([ \t]+)", text)
    return found[1] if found else 2


def _edited_toml(client: Client, text: str, server: dict[str, Any]) -> str:
    """Replace the table of the bridge, or append it; every other line stays as it is."""
    config = _read_toml(text)
    start, end = _toml_table(client, text)
    lead = text[:start]
    if lead and not lead.endswith("\n\n"):
        lead = lead.rstrip("\n") + "\n\n"
    rest = text[end:]
    result = lead + toml_table(client, server) + (f"\n{rest}" if rest else "")
    try:
        is_safe = _without_bridge(client, config) == _without_bridge(client, tomllib.loads(result))
    except ValueError:
        is_safe = False
    if not is_safe:
        raise CannotEdit("the servers are written in a form that would be damaged: paste the block")
    return result


def _toml_table(client: Client, text: str) -> tuple[int, int]:
    """Return the start and end of the bridge's table; both are the end of the text without one."""
    name = rf"{client.table}\s*\.\s*\"?{SERVER_NAME}\"?"
    header = re.search(rf"^[ \t]*\[\s*{name}\s*\][^\n]*\n?", text, re.MULTILINE)
    if header is None:
        return len(text), len(text)
    end = header.end()
    subtable = re.compile(rf"[ \t]*\[\s*{name}\s*\.")  # such as the table of its variables
    for following in _TOML_HEADER.finditer(text, header.end()):
        end = following.start()
        if not subtable.match(text, end):
            return header.start(), end
    return header.start(), len(text)


def _read_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise CannotEdit(f"not valid TOML ({error}): correct it first") from error


def _without_bridge(client: Client, config: dict[str, Any]) -> dict[str, Any]:
    """Return a config without the bridge."""
    servers = config.get(client.table, {})
    if not isinstance(servers, dict):
        raise CannotEdit(f"{client.table} is no table: correct it first")
    other_servers = {name: server for name, server in servers.items() if name != SERVER_NAME}
    return {**config, client.table: other_servers}
