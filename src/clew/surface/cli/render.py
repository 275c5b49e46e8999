"""Rendering of replies for people, as short tables, for all methods but the search methods.

Only data is rendered here; ``remarks.py`` has the remarks on an answer.
"""

from __future__ import annotations

from clew.surface.cli.lines import aligned, counted, folded, path_of, table
from clew.surface.cli.output import Dim, Heading

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    Result = dict[str, Any]


PATHS_OF_ONE_RELATION = 5  # paths listed for a single relation, which they describe rather


def render(method: str, result: Result, columns: int = 0) -> list[str]:
    """Return the lines that show a method's result, each at most ``columns`` wide.

    With 0 columns, no line is folded.
    """
    return RENDERERS[method](result, columns)


def _concept(result: Result, columns: int) -> list[str]:
    if not result["noteCount"]:
        return []
    title = f"{result['displayName']}  ({counted(result['noteCount'], 'note')})"
    return [
        *map(Heading, folded(title, columns)),
        *_relations(result["directRelations"], columns),
        *_section("further away", map(_path_row, _paths_shown(result)), columns),
        *_section(
            "same community, no note in common",
            map(_sibling_row, result["communitySiblings"]),
            columns,
        ),
    ]


def _relations(relations: Sequence[Result], columns: int) -> list[str]:
    """Return a table of relations, each with its previews."""
    rows = list(map(_relation_row, relations))
    if not any("contentPreview" in row for row in relations):
        return table(rows, columns)
    lines: list[str] = []
    for line, row in zip(aligned(rows), relations, strict=True):
        lines += folded(line, columns)
        for uri, text in row["contentPreview"].items():
            lines += map(Dim, folded(f"      {path_of(uri)}: {text}", columns))
    return lines


def _relation_row(relation: Result) -> tuple[str, ...]:
    return (
        f"  {relation['displayName']}",
        counted(relation["coOccurrenceCount"], "note"),
        f"weight {relation['weightedScore']:.2f}",
        path_of(relation["files"][0]) if relation["files"] else "",
    )


def _paths_shown(result: Result) -> Sequence[Result]:
    """Return the paths to list: only a few if all begin with the only relation."""
    paths: Sequence[Result] = result["expandedPaths"]
    return paths[:PATHS_OF_ONE_RELATION] if len(result["directRelations"]) == 1 else paths


def _path_row(path: Result) -> tuple[str, ...]:
    return f"  {path['displayName']}", "via " + " > ".join(path["displayPath"][1:-1])


def _sibling_row(sibling: Result) -> tuple[str, ...]:
    return (
        f"  {sibling['displayName']}",
        counted(sibling["sharedNeighborCount"], "neighbour") + " in common",
        f"overlap {sibling['normalizedOverlap']:.2f}",
    )


def _section(title: str, rows: Iterable[tuple[str, ...]], columns: int) -> list[str]:
    """Return an empty line and a titled table; no lines without rows."""
    lines = table(list(rows), columns)
    return ["", *map(Heading, folded(title, columns)), *lines] if lines else []


def _concepts(result: Result, columns: int) -> list[str]:
    rows = [
        (
            row["displayName"],
            counted(row["noteCount"], "note"),
            counted(row["mentionCount"], "mention"),
            ", ".join(row["aliases"]),
        )
        for row in result["concepts"]
    ]
    return table(rows, columns)


def _communities(result: Result, columns: int) -> list[str]:
    rows = [
        (
            f"{row['id']}:",
            counted(row["size"], "concept"),
            ", ".join(row["displayCentral"][: len(row["label"])]),
            "bridges " + ", ".join(row["displayBridges"][:3]) if row["bridges"] else "",
        )
        for row in result["communities"]
    ]
    return table(rows, columns)


def _path(result: Result, columns: int) -> list[str]:
    lines: list[str] = []
    for path in result["paths"]:
        names = dict(zip(path["concepts"], path["displayNames"], strict=True))
        lines += map(Heading, folded(" > ".join(path["displayNames"]), columns))
        rows = [
            (
                f"  {names[edge['from']]} - {names[edge['to']]}",
                f"weight {edge['weightedScore']:.2f}",
                ", ".join(map(path_of, edge["files"][:3])),
            )
            for edge in path["edges"]
        ]
        lines += table(rows or [("  both names mean this concept",)], columns)
    return lines


def _graph(result: Result, columns: int) -> list[str]:
    names = {node["name"]: node["displayName"] for node in result["nodes"]}
    lines: list[str] = [
        Heading(f"{counted(len(names), 'concept')}, {counted(len(result['edges']), 'edge')}")
    ]
    rows = [
        (f"  {names[edge['a']]} - {names[edge['b']]}", counted(edge["coOccurrenceCount"], "note"))
        for edge in result["edges"]
    ]
    return lines + table(rows, columns) if names else []


def _links(result: Result, columns: int) -> list[str]:
    rows = [
        (
            f"{row['line']}:",
            row["kind"],
            row["target"] + (f"#{row['fragment']}" if row["fragment"] else ""),
            "-> " + path_of(row["resolved"]) if row["resolved"] else "-> nothing",
            row["displayName"] or "",
        )
        for row in result["links"]
    ]
    return table(rows, columns)


def _backlinks(result: Result, columns: int) -> list[str]:
    lines = _lines_of_notes(result["backlinks"], columns)
    mentions = _lines_of_notes(result["mentions"], columns)
    if mentions:
        title = f"unlinked mentions, in {counted(result['mentionCount'], 'note')}:"
        lines += [*folded(title, columns), *mentions]
    return lines


def _lines_of_notes(rows: Sequence[Result], columns: int) -> list[str]:
    return [
        line
        for row in rows
        for line in folded(f"{path_of(row['uri'])}:{row['line']}: {row['text']}", columns)
    ]


def _unresolved(result: Result, columns: int) -> list[str]:
    rows = [
        (row["target"], counted(row["count"], "link"), _paths(row["files"][:3]) + _meant(row))
        for row in result["unresolved"]
    ]
    return table(rows, columns)


def _meant(row: Result) -> str:
    """Return a remark on the notes that an unresolved link may mean, if there are any."""
    return f"; may mean {_paths(row['mayMean'])}" if row["mayMean"] else ""


def _paths(uris: Sequence[str]) -> str:
    return ", ".join(map(path_of, uris))


def _orphans(result: Result, columns: int) -> list[str]:
    return table([(path_of(uri),) for uri in result["orphans"]], columns)


def _tags(result: Result, columns: int) -> list[str]:
    if "notes" in result:
        return _tagged(result, columns)
    rows = [(f"#{row['tag']}", counted(row["count"], "note")) for row in result["tags"]]
    return table(rows, columns)


def _tagged(result: Result, columns: int) -> list[str]:
    rows = [
        (row["title"], path_of(row["uri"]), " ".join(f"#{tag}" for tag in row["tags"]))
        for row in result["notes"]
    ]
    return table(rows, columns)


def _recent(result: Result, columns: int) -> list[str]:
    date = "lastRead" if result["by"] == "read" else result["by"]
    rows = [
        (row[date][:10], row["title"], row["type"] or "", path_of(row["uri"]))
        for row in result["notes"]
    ]
    return table(rows, columns)


def _read(result: Result, _: int) -> list[str]:
    """Return the lines of a note, which are never folded."""
    return [str(line) for line in result["content"].rstrip("\n").split("\n")]


def _why(result: Result, columns: int) -> list[str]:
    rule = f" by {result['rule']}" if result["rule"] else ""
    state = _STATES_OF_FILES.get(result["state"], result["state"])
    rows = [f"{path_of(result['uri'])}: {state}{rule}"]
    if result["weight"] is not None:
        for name in ("created", "changed"):
            date, source = result[name]["date"], result[name]["source"]
            rows += [f"  {name} {date} ({_DATE_SOURCES[source]})"]
        rows += [f"  weight {result['weight']:.2f}, {counted(result['chunks'], 'passage')}"]
    rows += _problems(result["problems"])
    return [line for row in rows for line in folded(row, columns)]


_STATES_OF_FILES = {
    "folder": "a folder with notes",
    "attachment": "an attachment, which only links can lead to",
    "nameOnly": "indexed by its name alone",
    "quarantined": "indexed by its name alone, since its text stopped the indexer",
}
_DATE_SOURCES = {
    "frontmatter": "front matter",
    "name": "the note's name",
    "git": "its commits",
    "seen": "an edit that clew saw",
    "file": "the file's time",
}


def _problems(problems: Sequence[Result]) -> list[str]:
    return [f"{_problem(row)} [{row['code']}]" for row in problems]


def _problem(row: Result) -> str:
    line = f":{row['line']}" if row["line"] else ""
    value = "" if row["value"] is None or row["value"] in row["message"] else f": {row['value']}"
    return f"  {path_of(row['uri'])}{line}: {row['message']}{value}"


def _status(result: Result, columns: int) -> list[str]:
    state = "ready" if result["ready"] else "indexing"
    if result["indexing"]:
        state += f" {result['indexing']['done']} of {result['indexing']['total']} notes"
    rows = [
        ("vault", result["vault"]),
        ("state", f"{state}, revision {result['revision']}"),
        ("notes", str(result["notes"])),
        ("concepts", f"{result['concepts']}, {counted(result['edges'], 'edge')}"),
        ("communities", _community_count(result)),
        ("problems", str(result["problems"])),
        ("memory", f"{result['rssBytes']['server'] / 1e6:.0f} MB"),
        ("up", f"{result['uptimeS']:.0f} s"),
        ("socket", result["socket"]),
    ]
    rows += [("degraded", reason) for reason in result["degraded"]]
    return table(rows, columns)


def _community_count(result: Result) -> str:
    stage = result["stages"]["communities"]
    if not stage["ready"]:
        return (
            f"{result['communities']}, being recomputed" if stage["revision"] else "being computed"
        )
    return str(result["communities"])


def _sync(result: Result, columns: int) -> list[str]:
    counts = ", ".join(f"{count} {what}" for what, count in result["applied"].items())
    line = f"{counts} (revision {result['revision']}, {result['tookMs']:.0f} ms)"
    return folded(line, columns)


def _doctor(result: Result, columns: int) -> list[str]:
    if result["code"] is not None:
        return _fitting(map(_problem, result["problems"]), columns)
    lines = [
        f"{'ok ' if check['ok'] else 'BAD'}  {check['name']}: {check['message']}"
        + (f" ({check['fix']})" if check["fix"] else "")
        for check in result["checks"]
    ]
    for group in result["groups"]:
        lines += _group(group)
    return _fitting(lines, columns)


def _group(group: Result) -> list[str]:
    """Return a kind of problems or suggestions, with examples and what to do."""
    shown, rest = group["examples"], group["count"] - len(group["examples"])
    more = [Dim(f"  {rest} more: clew doctor --code {group['code']}")] if rest else []
    return [
        Heading(f"{counted(group['count'], group['kind'])}: {group['about']}"),
        *map(_problem, shown),
        *more,
        Dim(f"  to mend it: {group['fix']}"),
    ]


def _fitting(lines: Iterable[str], columns: int) -> list[str]:
    """Fold the lines; each part keeps the style of its line."""
    return [type(line)(part) for line in lines for part in folded(line, columns)]


def _code(result: Result, columns: int) -> list[str]:
    from clew.surface.cli.render_code import rendered_code  # noqa: PLC0415 - no other command has it

    return rendered_code(result, columns)


def _verify(result: Result, columns: int) -> list[str]:
    rows = [
        (row["state"], row["ref"], f"-> {row['now']}" if row["now"] else "")
        for row in result["citations"]
    ]
    return table(rows, columns)


RENDERERS: dict[str, Callable[[Result, int], list[str]]] = {
    "backlinks": _backlinks,
    "code": _code,
    "communities": _communities,
    "concept": _concept,
    "concepts": _concepts,
    "doctor": _doctor,
    "graph": _graph,
    "links": _links,
    "orphans": _orphans,
    "path": _path,
    "read": _read,
    "recent": _recent,
    "status": _status,
    "sync": _sync,
    "tags": _tags,
    "unresolved": _unresolved,
    "verify": _verify,
    "why": _why,
}
