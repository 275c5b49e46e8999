"""The tool ``assemble``: a context window for one turn of an agent, as one text."""

from __future__ import annotations

from clew.surface.mcp.tools.finding import CONTEXT_TOKENS
from clew.surface.mcp.work import Question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from clew.surface.mcp.work import Work

    Result = dict[str, Any]


def assemble(arguments: Result) -> Work[str]:
    """Return the context window for a task, with remarks on missing parts."""
    session = {"session": {"id": arguments["session"]}} if "session" in arguments else {}
    result = yield Question(
        "assemble",
        task={"text": arguments["task"]},
        tokenBudget=arguments.get("budget", CONTEXT_TOKENS),
        **session,
    )
    missing = [f"Incomplete: {part}" for part in result["degraded"]]
    return "\n".join([result["text"].rstrip(), *(["", *missing] if missing else [])])
