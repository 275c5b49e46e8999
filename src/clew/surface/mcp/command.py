"""The command line of ``clew mcp``, read without click, which costs more memory than the bridge."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_WITH_VALUE = ("--vault", "--socket", "--tools")
GROUPS = ("code", "memory")  # of tools


def options(words: Sequence[str]) -> dict[str, str | bool] | None:
    """Return the options of a plain ``clew mcp``; ``None`` leaves the command line to click."""
    given: dict[str, str | bool] = {}
    remaining = iter(words)
    for word in remaining:
        name, equals, text = word.partition("=")
        if word == "--autostart":
            given["autostart"] = True
        elif name in _WITH_VALUE:
            value = text if equals else next(remaining, None)
            if not value or (name == "--tools" and value not in GROUPS):
                return None
            given[name.removeprefix("--")] = value
        else:
            return None
    return given


def serve(
    vault: str | None, socket: str | None, tools: str | None = None, *, autostart: bool
) -> None:
    """Serve the client on stdin and stdout until it is gone; ``tools`` is a group of tools."""
    from clew.surface.mcp import bridge  # noqa: PLC0415 - not for --help
    from clew.surface.mcp.daemon import Daemon  # noqa: PLC0415
    from clew.surface.mcp.tools.table import tools_of  # noqa: PLC0415

    bridge.serve(Daemon(vault, socket, autostart=autostart), tools_of([tools] if tools else []))
