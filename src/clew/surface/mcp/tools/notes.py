"""The tools ``read`` and ``recent``."""

from __future__ import annotations

from clew.surface.mcp.text import clean, one_line, start_that_fits
from clew.surface.mcp.tools.arguments import ToolError
from clew.surface.mcp.tools.cursors import more, position
from clew.surface.mcp.tools.rows import paged, reference
from clew.surface.mcp.work import Question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from clew.surface.mcp.tools.rows import Shown
    from clew.surface.mcp.work import Work

    Result = dict[str, Any]

RECENT_ROWS = 20
_CHECKSUM_CHARACTERS = 8


def read(arguments: Result) -> Work[str]:
    """Return the text of a note, or of the part that a reference names, in pages.

    Everything after the first empty line is text of the note, so that it cannot imitate the head.
    """
    page_position = position("read", arguments)
    result = yield Question("read", uri=arguments["ref"])
    checksum = result["checksum"][:_CHECKSUM_CHARACTERS]
    start = _start(page_position, checksum, len(result["content"]))
    remaining = clean(result["content"][start:])
    end = start + start_that_fits(remaining)
    next_page = ""
    if end < len(result["content"]):
        next_page = more("read", arguments, f"{checksum}.{end}")
    first_line = result["lines"][0] + result["content"].count("\n", 0, start)
    last_line = result["lines"][0] + result["content"].count("\n", 0, max(start, end - 1))
    head = [
        f"# {one_line(result['title'], 120)}",
        f"{reference(result['uri'], [first_line, last_line])} of {result['totalLines']} lines",
        *_metadata(result["metadata"]),
        *_citation_remark(result["citation"]),
        *filter(None, [next_page]),
    ]
    return "\n".join([*head, "", remaining[: end - start]])


def _start(page_position: str | None, checksum: str, length: int) -> int:
    """Return the index of the character at which a page begins."""
    if page_position is None:
        return 0
    seen, _, start = page_position.partition(".")
    if seen != checksum:
        raise ToolError("the note has changed since: leave cursor out to read it from the start")
    if not (start.isascii() and start.isdecimal() and len(start) < 12 and int(start) <= length):
        raise ToolError("the cursor is damaged: leave it out for the first page")
    return int(start)


def _citation_remark(citation: Result | None) -> list[str]:
    """Return a remark if the lines of a reference have moved, or no longer have its hash."""
    if citation is None or citation["state"] == "stands":
        return []
    if citation["state"] == "moved":
        return [f"Moved: this is the cited text; from now on cite {citation['now']}"]
    ref = one_line(citation["ref"], 500)
    return [f"Changed: no lines of the note have the hash of {ref}; this is what is there now"]


def _metadata(metadata: Result) -> list[str]:
    parts = [
        f"type: {one_line(str(metadata['type']), 60)}",
        f"created: {str(metadata['created'])[:10]}",
        f"changed: {str(metadata['modified'])[:10]}",
    ]
    names = [name for name in ("tags", "aliases") if metadata[name]]
    parts += [f"{name}: {one_line(', '.join(metadata[name]))}" for name in names]
    return [" | ".join(parts)]


def recent(arguments: Result) -> Work[str]:
    """Return notes by date, the newest first."""
    by = arguments.get("by", "modified")
    since, until = arguments.get("since"), arguments.get("until")
    limit, cursor = arguments.get("limit", RECENT_ROWS), arguments.get("cursor")

    def shown(result: Result) -> Shown:
        rows, start = result["notes"], result["start"]
        if not result["total"]:
            limits = [f" since {one_line(since, 60)}"] if since else []
            limits += [f" before {one_line(until, 60)}"] if until else []
            return [f"No note was {by}{''.join(limits)}."], []
        notes = f"Notes {start + 1}-{start + len(rows)} of {result['total']}"
        return [f"{notes} by when they were {by}, newest first"], [_row(row, by) for row in rows]

    question = Question("recent", since=since, until=until, by=by, limit=limit, cursor=cursor)
    return paged("recent", question, shown)


def _row(row: Result, by: str) -> str:
    date = str(row["lastRead" if by == "read" else by])[:10]
    kind = "" if row["type"] == "note" else f" ({one_line(str(row['type']), 60)})"
    return f"- {date} {one_line(row['title'], 120)}{kind}: {row['uri']}"
