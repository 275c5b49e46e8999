"""The command line of ``clew mcp``, read without click, which costs more memory than the bridge."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_WITH_VALUE = ("--vault", "--socket", "--tools")
GROUPS = ("code", "memory")  # of tools


def options(words: Sequence[str]) -> dict[str, Any] | None:
    """Return the arguments for ``serve`` from a plain command line; ``None`` leaves it to click."""
    arguments: dict[str, Any] = {"vault": None, "socket": None, "tools": [], "autostart": False}
    remaining = iter(words)
    for word in remaining:
        name, equals, text = word.partition("=")
        if word == "--autostart":
            arguments["autostart"] = True
        elif name in _WITH_VALUE:
            value = text if equals else next(remaining, None)
            if not value or (name == "--tools" and value not in GROUPS):
                return None
            if name == "--tools":
                arguments["tools"].append(value)
            else:
                arguments[name.removeprefix("--")] = value
        else:
            return None
    return arguments


def serve(
    vault: str | None, socket: str | None, tools: Sequence[str] = (), *, autostart: bool
) -> None:
    """Serve the client on stdin and stdout until it is gone; ``tools`` are groups of tools."""
    from clew.surface.mcp import bridge  # noqa: PLC0415 - not for --help
    from clew.surface.mcp.daemon import Daemon  # noqa: PLC0415
    from clew.surface.mcp.tools.table import tools_of  # noqa: PLC0415

    bridge.serve(Daemon(vault, socket, autostart=autostart), tools_of(tools))
