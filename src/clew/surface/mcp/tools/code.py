"""The tool ``code``: what calls a function or class, what it calls, and the notes that name it."""

from __future__ import annotations

from clew.surface.mcp.text import one_line
from clew.surface.mcp.tools.rows import fitted, more_of
from clew.surface.mcp.work import Question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from clew.surface.mcp.work import Work

    Result = dict[str, Any]

CODE_ROWS = 20
_LISTS = (
    ("Called by", "callers"),
    ("Handed over in", "passed"),
    ("Calls", "calls"),
    ("Implements", "implements"),
    ("Implemented by", "implementations"),
    ("Members", "members"),
)


def code(arguments: Result) -> Work[str]:
    """Return the entities with a name, each with its edges and the notes that mention it."""
    limit, cursor = arguments.get("limit", CODE_ROWS), arguments.get("cursor")
    result = yield Question("code", name=arguments["name"], limit=limit, cursor=cursor)
    entities, name = result["entities"], one_line(arguments["name"], 120)
    if not entities:
        close = ", ".join(one_line(each, 80) for each in result["suggestions"])
        return f"No code is named {name}." + (f" Close to it: {close}" if close else "")
    head = []
    if result["ambiguous"]:
        head.append(f"There are {result['total']} entities for {name}: ask with the symbol of one.")
    if result["truncated"]:
        head.append("Incomplete: not all files or notes were looked at")
    if result["cursor"]:
        head.append(more_of("code", result))
    return fitted(head, [row for entity in entities for row in _entity(entity)])


def _entity(entity: Result) -> Iterator[str]:
    where = f"{one_line(entity['symbolId'], 300)}, {one_line(entity['ref'], 300)}"
    yield f"# {one_line(entity['name'], 120)} ({entity['kind']})\n{where}"
    for title, field in _LISTS:
        if entity[field]:
            yield f"\n## {title}"
        yield from map(_row, entity[field])
    if entity["unresolvedCalls"]:
        names = ", ".join(one_line(each, 80) for each in entity["unresolvedCalls"])
        yield f"\nCalls to what is not known: {names}"
    if entity["notes"]:
        yield "\n## Notes that speak of it"
    for note in entity["notes"]:
        yield f"- {note['uri']}#L{note['line']}: {one_line(note['text'], 240)}"


def _row(row: Result) -> str:
    via = f", {row['via']}" if "via" in row else ""
    line = f"line {row['line']}, " if "line" in row else ""
    name = f"{one_line(row['name'], 120)} ({row['kind']}{via})"
    comment = f' "{one_line(row["comment"], 170)}"' if row.get("comment") else ""
    receiver = row.get("receiver")
    to = f", to {one_line(receiver['symbolId'] or receiver['name'], 300)}" if receiver else ""
    return f"- {name}: {line}{one_line(row['ref'], 300)}{to}{comment}"
