"""Rendering of replies for people, as short tables, for all methods but the search methods."""

from __future__ import annotations

from clew.surface.cli.lines import aligned, counted, path_of
from clew.surface.cli.output import Dim, Heading

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    Result = dict[str, Any]


def render(method: str, result: Result) -> list[str]:
    """Return the lines that show a method's result."""
    return RENDERERS[method](result)


def _concept(result: Result) -> list[str]:
    if not result["noteCount"]:
        return _unknown(result)
    title = f"{result['displayName']}  ({counted(result['noteCount'], 'note')})"
    return [
        Heading(title),
        *_relations(result["directRelations"]),
        *_section("further away", map(_path_row, result["expandedPaths"])),
        *_section(
            "same community, no note in common", map(_sibling_row, result["communitySiblings"])
        ),
    ]


def _relations(relations: Sequence[Result]) -> list[str]:
    """Return a line for each relation, followed by its previews."""
    lines: list[str] = []
    for line, row in zip(aligned(list(map(_relation_row, relations))), relations, strict=True):
        lines.append(line)
        for uri, text in row.get("contentPreview", {}).items():
            lines.append(Dim(f"      {path_of(uri)}: {text}"))
    return lines


def _relation_row(relation: Result) -> tuple[str, ...]:
    return (
        f"  {relation['displayName']}",
        counted(relation["coOccurrenceCount"], "note"),
        f"weight {relation['weightedScore']:.2f}",
        path_of(relation["files"][0]) if relation["files"] else "",
    )


def _path_row(path: Result) -> tuple[str, ...]:
    return f"  {path['displayName']}", "via " + " > ".join(path["displayPath"][1:-1])


def _sibling_row(sibling: Result) -> tuple[str, ...]:
    return (
        f"  {sibling['displayName']}",
        counted(sibling["sharedNeighborCount"], "neighbour") + " in common",
        f"overlap {sibling['normalizedOverlap']:.2f}",
    )


def _section(title: str, rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Return a titled table after an empty line; nothing without rows."""
    table = aligned(list(rows))
    return ["", Heading(title), *table] if table else []


def _unknown(result: Result) -> list[str]:
    lines = [f"no note mentions {result['displayName']!r}"]
    if result["suggestions"]:
        lines.append("close to it: " + ", ".join(result["suggestions"]))
    return lines


def _concepts(result: Result) -> list[str]:
    rows = [
        (
            row["displayName"],
            counted(row["noteCount"], "note"),
            counted(row["mentionCount"], "mention"),
            ", ".join(row["aliases"]),
        )
        for row in result["concepts"]
    ]
    return [*aligned(rows), *_more(result, len(rows))]


def _communities(result: Result) -> list[str]:
    if result["communityRevision"] is None:
        return ["not computed yet; they follow a moment after the first index"]
    rows = [
        (
            f"{row['id']}:",
            counted(row["size"], "concept"),
            ", ".join(row["label"]),
            "bridges " + ", ".join(row["bridges"][:3]) if row["bridges"] else "",
        )
        for row in result["communities"]
    ]
    lines = [*aligned(rows), *_more(result, len(rows))]
    return [*lines, Dim(f"modularity {result['modularity']:.3f}")]


def _path(result: Result) -> list[str]:
    if not result["paths"]:
        return ["no path"]
    lines: list[str] = []
    if result["truncated"]:
        lines.append(Dim("the search was cut short: there may be better paths"))
    for path in result["paths"]:
        names = dict(zip(path["concepts"], path["displayNames"], strict=True))
        lines.append(Heading(" > ".join(path["displayNames"])))
        lines += aligned(
            [
                (
                    f"  {names[edge['from']]} - {names[edge['to']]}",
                    f"weight {edge['weightedScore']:.2f}",
                    ", ".join(map(path_of, edge["files"][:3])),
                )
                for edge in path["edges"]
            ]
        )
    return lines


def _graph(result: Result) -> list[str]:
    names = {node["name"]: node["displayName"] for node in result["nodes"]}
    lines: list[str] = [Heading(f"{len(names)} concepts, {len(result['edges'])} edges")]
    rows = [
        (f"  {names[edge['a']]} - {names[edge['b']]}", counted(edge["coOccurrenceCount"], "note"))
        for edge in result["edges"]
    ]
    return lines + aligned(rows)


def _links(result: Result) -> list[str]:
    rows = [
        (
            f"{row['line']}:",
            row["kind"],
            row["target"] + (f"#{row['fragment']}" if row["fragment"] else ""),
            "-> " + path_of(row["resolved"]) if row["resolved"] else "-> nothing",
            row["concept"] or "",
        )
        for row in result["links"]
    ]
    return [*aligned(rows), *_more(result, len(rows))]


def _backlinks(result: Result) -> list[str]:
    rows = list(map(_line_of_note, result["backlinks"]))
    lines = [*rows, *_more(result, len(rows))]
    mentions = list(map(_line_of_note, result["mentions"]))
    if mentions:
        lines += [f"unlinked mentions, in {counted(result['mentionCount'], 'note')}:", *mentions]
    return lines


def _line_of_note(row: Result) -> str:
    return f"{path_of(row['uri'])}:{row['line']}: {row['text']}"


def _unresolved(result: Result) -> list[str]:
    rows = [
        (row["target"], counted(row["count"], "link"), ", ".join(map(path_of, row["files"][:3])))
        for row in result["unresolved"]
    ]
    return [*aligned(rows), *_more(result, len(rows))]


def _orphans(result: Result) -> list[str]:
    rows = [path_of(uri) for uri in result["orphans"]]
    return [*rows, *_more(result, len(rows))]


def _tags(result: Result) -> list[str]:
    if "notes" in result:
        return _tagged(result)
    rows = [(f"#{row['tag']}", counted(row["count"], "note")) for row in result["tags"]]
    return [*aligned(rows), *_more(result, len(rows))]


def _tagged(result: Result) -> list[str]:
    if not result["total"]:
        similar = ", ".join(f"#{tag}" for tag in result["suggestions"])
        return [
            f"no note has the tag #{result['tag']}",
            *([f"close to it: {similar}"] if similar else []),
        ]
    rows = [
        (row["title"], Dim(path_of(row["uri"])), " ".join(f"#{tag}" for tag in row["tags"]))
        for row in result["notes"]
    ]
    return [*aligned(rows), *_more(result, len(rows))]


def _recent(result: Result) -> list[str]:
    rows = [
        (row["modified"][:10], row["title"], row["type"] or "", Dim(path_of(row["uri"])))
        for row in result["notes"]
    ]
    return [*aligned(rows), *_more(result, len(rows))]


def _read(result: Result) -> list[str]:
    return [str(line) for line in result["content"].rstrip("\n").split("\n")]


def _why(result: Result) -> list[str]:
    rule = f" by {result['rule']}" if result["rule"] else ""
    rows = [f"{path_of(result['uri'])}: {result['state']}{rule}"]
    if result["weight"] is not None:
        for name in ("created", "changed"):
            date, source = result[name]["date"], result[name]["source"]
            rows += [f"  {name} {date} ({_DATE_SOURCES[source]})"]
        rows += [f"  weight {result['weight']:.2f}, {counted(result['chunks'], 'passage')}"]
    return rows + _problems(result["problems"])


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


def _status(result: Result) -> list[str]:
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
    return aligned(rows) + [f"degraded  {reason}" for reason in result["degraded"]]


def _community_count(result: Result) -> str:
    stage = result["stages"]["communities"]
    if not stage["ready"]:
        return (
            f"{result['communities']}, being recomputed" if stage["revision"] else "being computed"
        )
    return str(result["communities"])


def _sync(result: Result) -> list[str]:
    counts = ", ".join(f"{count} {what}" for what, count in result["applied"].items())
    return [f"{counts} (revision {result['revision']}, {result['tookMs']:.0f} ms)"]


def _doctor(result: Result) -> list[str]:
    if result["code"] is not None:
        rows = list(map(_problem, result["problems"]))
        return [*rows, *_more(result, len(rows))] or [f"no {result['code']}"]
    lines = [
        f"{'ok ' if check['ok'] else 'BAD'}  {check['name']}: {check['message']}"
        + (f" ({check['fix']})" if check["fix"] else "")
        for check in result["checks"]
    ]
    for group in result["groups"]:
        lines += _group(group)
    return lines


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


def _verify(result: Result) -> list[str]:
    rows = [
        (row["state"], row["ref"], f"-> {row['now']}" if row["now"] else "")
        for row in result["citations"]
    ]
    return aligned(rows)


def _more(result: Result, shown: int) -> list[str]:
    if result["cursor"] is None:
        return []
    return [Dim(f"{shown} of {result['total']}; continue with --cursor {result['cursor']}")]


RENDERERS: dict[str, Callable[[Result], list[str]]] = {
    "backlinks": _backlinks,
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
