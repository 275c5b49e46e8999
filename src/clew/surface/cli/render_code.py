"""Rendering of the reply of ``code`` for people: entities, each with its edges and notes."""

from __future__ import annotations

from clew.surface.cli.lines import folded, path_of, table
from clew.surface.cli.output import Dim, Heading

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from collections.abc import Callable, Sequence
    from typing import Any

    Result = dict[str, Any]


def rendered_code(result: Result, columns: int) -> list[str]:
    """Return the lines that show the entities of a reply."""
    lines: list[str] = []
    for entity in result["entities"]:
        lines += [""] if lines else []
        lines += _entity(entity, columns)
    return lines


def _entity(entity: Result, columns: int) -> list[str]:
    title = f"{entity['name']}  ({entity['kind']}, {entity['language']})"
    place = f"  {path_of(entity['file'])}:{entity['lines'][0]}-{entity['lines'][1]}"
    lines: list[str] = [*map(Heading, folded(title, columns)), *folded(place, columns)]
    if entity["about"]:
        lines += folded(f"  {entity['about']}", columns)
    if entity["inside"]:
        lines += map(Dim, folded(f"  inside: {entity['inside']}", columns))
    lists: tuple[tuple[str, str, str, Callable[[Result], tuple[str, ...]]], ...] = (
        ("called by", "callers", "callerCount", _edge_row),
        ("handed over in", "passed", "passedCount", _edge_row),
        ("calls", "calls", "callCount", _edge_row),
        ("implements", "implements", "", _symbol_row),
        ("implemented by", "implementations", "implementationCount", _symbol_row),
        ("has", "members", "memberCount", _symbol_row),
        ("imports", "imports", "importCount", _import_row),
        ("notes", "notes", "noteCount", _note_row),
    )
    for name, field, count, row in lists:
        lines += _section(name, entity[field], entity.get(count), row, columns)
    unresolved = ", ".join(entity["unresolvedCalls"])
    if unresolved:
        lines += map(Dim, folded(f"  calls to what is not known: {unresolved}", columns))
    return lines


def _section(
    name: str,
    rows: Sequence[Result],
    count: int | None,
    row_of: Callable[[Result], tuple[str, ...]],
    columns: int,
) -> list[str]:
    if not rows:
        return []
    of_all = f" ({len(rows)} of {count})" if count is not None and count > len(rows) else ""
    return [f"  {name}{of_all}:", *table(list(map(row_of, rows)), columns)]


def _edge_row(edge: Result) -> tuple[str, ...]:
    where = f"{path_of(edge['file'])}:{edge['line']}"
    comment = f"  # {edge['comment']}" if edge["comment"] else ""
    receiver = f", to {edge['receiver']['name']}" if edge["receiver"] else ""
    return f"    {edge['name']}", edge["kind"], where, f"{edge['via']}{receiver}{comment}"


def _symbol_row(symbol: Result) -> tuple[str, ...]:
    return (
        f"    {symbol['name']}",
        symbol["kind"],
        f"{path_of(symbol['file'])}:{symbol['lines'][0]}",
    )


def _import_row(item: Result) -> tuple[str, ...]:
    name = f"{item['module']} {item['name']}" if item["name"] else item["module"]
    return f"    {name}", f"line {item['line']}", item["symbolId"] or ""


def _note_row(note: Result) -> tuple[str, ...]:
    return f"    {path_of(note['uri'])}:{note['line']}:", note["text"]
