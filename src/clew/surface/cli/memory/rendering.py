"""Rendering of replies about sessions for people."""

from __future__ import annotations

from clew.surface.cli.lines import counted, folded, table
from clew.surface.cli.output import Dim, Heading

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from collections.abc import Callable
    from typing import Any

    Result = dict[str, Any]


def _nothing(_: Result, __: int) -> list[str]:
    return []


def render_session(method: str, result: Result, columns: int) -> list[str]:
    """Return the lines that show a method's result, each at most ``columns`` wide.

    With 0 columns, no line is folded.
    """
    return RENDERERS[method](result, columns)


def _append(result: Result, columns: int) -> list[str]:
    return folded(f"turn {result['turn']} ({result['time']})", columns)


def _deleted(result: Result, columns: int) -> list[str]:
    if not result["turns"] + result["scratchKeys"]:
        return []  # a remark says that there is no value
    turns, values = counted(result["turns"], "turn"), counted(result["scratchKeys"], "value")
    return folded(f"{turns} and {values} removed", columns)


def _list(result: Result, columns: int) -> list[str]:
    rows = [
        (
            row["sessionId"],
            counted(row["turns"], "turn"),
            counted(row["scratchKeys"], "value") if row["scratchKeys"] else "",
            row["last"] or "",
        )
        for row in result["sessions"]
    ]
    return table(rows, columns)


def _recall(result: Result, columns: int) -> list[str]:
    lines: list[str] = []
    for row in result["turns"]:
        title = f"{row['role']}  {row['uri'] or row['sessionId']}"
        lines += map(Heading, folded(title, columns))
        about = f"  {row['time']}  similarity {row['similarity']:.2f}"
        lines += map(Dim, folded(f"{about}  relevance {row['relevance']:.2f}", columns))
        lines += _text(row, columns)
    return lines


def _show(result: Result, columns: int) -> list[str]:
    lines: list[str] = []
    for row in result["turns"]:
        lines += map(Heading, folded(f"{row['turn']}  {row['role']}  {row['time']}", columns))
        lines += _text(row, columns)
    return lines


def _text(row: Result, columns: int) -> list[str]:
    lines: list[str] = []
    for line in row["text"].split("\n"):
        lines += folded(f"  {line}", columns)
    if row["truncated"]:
        lines += map(Dim, folded("  (its end is left out)", columns))
    return lines


def _value(result: Result, columns: int) -> list[str]:
    return folded(result["value"], columns) if result["value"] else []


def _keys(result: Result, columns: int) -> list[str]:
    rows = [
        (row["key"], counted(row["characters"], "character"), row["time"]) for row in result["keys"]
    ]
    return table(rows, columns)


def _cleared(result: Result, columns: int) -> list[str]:
    return folded(f"{counted(result['cleared'], 'value')} removed", columns)


RENDERERS: dict[str, Callable[[Result, int], list[str]]] = {
    "session.append": _append,
    "session.delete": _deleted,
    "session.list": _list,
    "session.recall": _recall,
    "session.scratch.clear": _cleared,
    "session.scratch.get": _value,
    "session.scratch.list": _keys,
    "session.scratch.set": _nothing,
    "session.show": _show,
}
