"""Cursors of what the bridge itself splits into pages, bound to the tool and its arguments.

Those of lists are of the daemon.
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
        ToolError: the cursor is of another tool, of other arguments, or no cursor.
    """
    given = arguments.get("cursor")
    if given is None:
        return None
    name, _, rest = str(given).partition("-")
    digest, _, found = rest.partition("-")
    if name != tool or not found:
        raise ToolError(f"this cursor is none of {tool}: leave cursor out for the first page")
    if digest != _digest(arguments):
        raise ToolError(
            "the cursor belongs to other arguments: send those that it came with, or leave it out"
        )
    return found


def more(tool: str, arguments: dict[str, Any], position_of_next: str) -> str:
    """Return the line that tells how to get the next page."""
    return f"More: call {tool} again with cursor {cursor(tool, arguments, position_of_next)}"


def _digest(arguments: dict[str, Any]) -> str:
    others = {name: value for name, value in arguments.items() if name != "cursor"}
    return f"{zlib.crc32(json.dumps(others, sort_keys=True).encode()):08x}"
