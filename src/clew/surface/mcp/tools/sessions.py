"""The tools of the group ``memory``, which add and recall turns of sessions."""

from __future__ import annotations

from clew.surface.mcp.text import one_line
from clew.surface.mcp.tools.rows import fitted
from clew.surface.mcp.work import Question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from clew.surface.mcp.work import Work

    Result = dict[str, Any]

RECALLED = 5


def session_append(arguments: Result) -> Work[str]:
    """Add a turn to a session."""
    result = yield Question(
        "session.append",
        sessionId=arguments["session"],
        role=arguments["role"],
        content=arguments["text"],
    )
    return f"Kept as turn {result['turn']} of {one_line(arguments['session'], 200)}"


def session_recall(arguments: Result) -> Work[str]:
    """Return the turns of all sessions that match a query, best first."""
    result = yield Question(
        "session.recall",
        query=arguments["query"],
        sessionId=arguments.get("session"),
        limit=arguments.get("limit", RECALLED),
    )
    head = [f"Incomplete: {one_line(part, 200)}" for part in result["degraded"]]
    if not result["turns"]:
        query = one_line(arguments["query"], 200)
        return "\n".join([f"Nothing that was said in a session speaks of: {query}", *head])
    return fitted(head, [_row(rank, row) for rank, row in enumerate(result["turns"], 1)])


def _row(rank: int, row: Result) -> str:
    where = row["uri"] or f"session {one_line(row['sessionId'], 200)}, turn {row['turn']}"
    head = f"{rank}. {one_line(row['role'], 100)}, {row['time']} ({where}):"
    return f"{head}\n   {one_line(row['text'], 2000)}"
