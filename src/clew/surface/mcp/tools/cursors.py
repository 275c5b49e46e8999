"""Cursors for replies that the bridge itself splits into pages, bound to the tool's arguments.

Lists have cursors of the daemon instead.
"""

from __future__ import annotations

import json
import zlib

from clew.surface.mcp.tools.arguments import ToolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def cursor(tool: str, arguments: dict[str, Any], position: str) -> str:
    """Return the cursor for ``position`` in the reply to these arguments."""
    return f"{tool}-{_digest(arguments)}-{position}"


def position(tool: str, arguments: dict[str, Any]) -> str | None:
    """Return the position of the cursor among the arguments, ``None`` without a cursor.

    Raises:
        ToolError: the cursor belongs to another tool or other arguments, or is malformed.
    """
    cursor_text = arguments.get("cursor")
    if cursor_text is None:
        return None
    name, _, tail = str(cursor_text).partition("-")
    digest, _, offset = tail.partition("-")
    if name != tool or not offset:
        raise ToolError(f"this cursor is none of {tool}: leave cursor out for the first page")
    if digest != _digest(arguments):
        raise ToolError(
            "the cursor belongs to other arguments: send those that it came with, or leave it out"
        )
    return offset


def more(tool: str, arguments: dict[str, Any], position_of_next: str) -> str:
    """Return the line that tells an agent how to get the next page."""
    return f"More: call {tool} again with cursor {cursor(tool, arguments, position_of_next)}"


def _digest(arguments: dict[str, Any]) -> str:
    others = {name: value for name, value in arguments.items() if name != "cursor"}
    return f"{zlib.crc32(json.dumps(others, sort_keys=True).encode()):08x}"
