"""Replies as people like to read them: short tables, names first, colour where it helps."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from collections.abc import Callable, Sequence
    from typing import Any

    Result = dict[str, Any]

_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def render(method: str, result: Result, *, colour: bool) -> str:
    """Return a reply's result as text for a terminal; control characters never come through."""
    lines = _RENDERERS[method](result)
    return "".join(_styled(line, colour=colour) + "\n" for line in lines)


class Heading(str):
    """A line to stand out."""

    __slots__ = ()


class Aside(str):
    """A line to stand back."""

    __slots__ = ()


def _styled(line: str, *, colour: bool) -> str:
    text = str(line)
    if not text.isprintable():
        text = "".join(c if c.isprintable() or c == "\t" else "\ufffd" for c in text)
    if not colour:
        return text
    if isinstance(line, Heading):
        return f"{_BOLD}{text}{_PLAIN}"
    return f"{_DIM}{text}{_PLAIN}" if isinstance(line, Aside) else text


def _concept(result: Result) -> list[str]:
    if not result["noteCount"]:
        return _unknown(result)
    lines: list[str] = [
        Heading(f"{result['displayName']}  ({_count(result['noteCount'], 'note')})")
    ]
    relations = result["directRelations"]
    rows = [
        (
            f"  {row['displayName']}",
            _count(row["coOccurrenceCount"], "note"),
            f"weight {row['weightedScore']:.2f}",
            _name(row["files"][0]) if row["files"] else "",
        )
        for row in relations
    ]
    table = _table(rows)
    for line, row in zip(table, relations, strict=True):
        lines.append(line)
        for uri, text in row.get("contentPreview", {}).items():
            lines.append(Aside(f"      {_name(uri)}: {text}"))
    if result["expandedPaths"]:
        lines += ["", Heading("further off")]
        lines += _table(
            [
                (f"  {path['name']}", "via " + " > ".join(path["path"][1:-1]))
                for path in result["expandedPaths"]
            ]
        )
    if result["communitySiblings"]:
        lines += ["", Heading("of the same kind, in no note together")]
        lines += _table(
            [
                (
                    f"  {row['name']}",
                    _count(row["sharedNeighborCount"], "neighbour") + " in common",
                    f"overlap {row['normalizedOverlap']:.2f}",
                )
                for row in result["communitySiblings"]
            ]
        )
    return lines


def _unknown(result: Result) -> list[str]:
    lines = [f"no note mentions {result['displayName']!r}"]
    if result["suggestions"]:
        lines.append("close to it: " + ", ".join(result["suggestions"]))
    return lines


def _concepts(result: Result) -> list[str]:
    rows = [
        (
            row["displayName"],
            _count(row["noteCount"], "note"),
            _count(row["mentionCount"], "mention"),
            ", ".join(row["aliases"]),
        )
        for row in result["concepts"]
    ]
    return [*_table(rows), *_more(result, len(rows))]


def _communities(result: Result) -> list[str]:
    if result["communityRevision"] is None:
        return ["none found yet: they are, a moment after the index"]
    rows = [
        (
            f"{row['id']}:",
            _count(row["size"], "concept"),
            ", ".join(row["label"]),
            "to others by " + ", ".join(row["bridges"][:3]) if row["bridges"] else "",
        )
        for row in result["communities"]
    ]
    lines = [*_table(rows), *_more(result, len(rows))]
    return [*lines, Aside(f"modularity {result['modularity']:.3f}")]


def _path(result: Result) -> list[str]:
    if not result["paths"]:
        return ["no path"]
    lines: list[str] = []
    for path in result["paths"]:
        lines.append(Heading(" > ".join(path["concepts"])))
        lines += _table(
            [
                (
                    f"  {edge['from']} - {edge['to']}",
                    f"weight {edge['weightedScore']:.2f}",
                    ", ".join(map(_name, edge["files"][:3])),
                )
                for edge in path["edges"]
            ]
        )
    return lines


def _graph(result: Result) -> list[str]:
    if "text" in result:
        return str(result["text"]).rstrip("\n").split("\n")
    names = {node["name"]: node["displayName"] for node in result["nodes"]}
    lines: list[str] = [Heading(f"{len(names)} concepts, {len(result['edges'])} edges")]
    rows = [
        (f"  {names[edge['a']]} - {names[edge['b']]}", _count(edge["coOccurrenceCount"], "note"))
        for edge in result["edges"]
    ]
    return lines + _table(rows)


def _links(result: Result) -> list[str]:
    rows = [
        (
            f"{row['line']}:",
            row["kind"],
            row["target"] + (f"#{row['fragment']}" if row["fragment"] else ""),
            "-> " + _name(row["resolved"]) if row["resolved"] else "-> nothing",
            row["concept"] or "",
        )
        for row in result["links"]
    ]
    return [*_table(rows), *_more(result, len(rows))]


def _backlinks(result: Result) -> list[str]:
    rows = [f"{_name(row['uri'])}:{row['line']}: {row['text']}" for row in result["backlinks"]]
    return [*rows, *_more(result, len(rows))]


def _unresolved(result: Result) -> list[str]:
    rows = [
        (row["target"], _count(row["count"], "link"), ", ".join(map(_name, row["files"][:3])))
        for row in result["unresolved"]
    ]
    return [*_table(rows), *_more(result, len(rows))]


def _orphans(result: Result) -> list[str]:
    rows = [_name(uri) for uri in result["orphans"]]
    return [*rows, *_more(result, len(rows))]


def _tags(result: Result) -> list[str]:
    rows = [(f"#{row['tag']}", _count(row["count"], "note")) for row in result["tags"]]
    return [*_table(rows), *_more(result, len(rows))]


def _recent(result: Result) -> list[str]:
    rows = [
        (row["modified"][:10], row["title"], row["type"] or "", Aside(_name(row["uri"])))
        for row in result["notes"]
    ]
    return [*_table(rows), *_more(result, len(rows))]


def _read(result: Result) -> list[str]:
    return [str(line) for line in result["content"].rstrip("\n").split("\n")]


def _why(result: Result) -> list[str]:
    rule = f" by {result['rule']}" if result["rule"] else ""
    return [f"{_name(result['uri'])}: {result['state']}{rule}", *_problems(result["problems"])]


def _problems(problems: Sequence[Result]) -> list[str]:
    return [
        f"  {_name(row['uri'])}{':' + str(row['line']) if row['line'] else ''}: "
        f"{row['message']} [{row['code']}]"
        for row in problems
    ]


def _status(result: Result) -> list[str]:
    state = "ready" if result["ready"] else "indexing"
    if result["indexing"]:
        state += f" {result['indexing']['done']} of {result['indexing']['total']} notes"
    rows = [
        ("vault", result["vault"]),
        ("state", f"{state}, revision {result['revision']}"),
        ("notes", str(result["notes"])),
        ("concepts", f"{result['concepts']}, {_count(result['edges'], 'edge')}"),
        ("communities", _of_communities(result)),
        ("problems", str(result["problems"])),
        ("memory", f"{result['rssBytes']['server'] / 1e6:.0f} MB"),
        ("up", f"{result['uptimeS']:.0f} s"),
        ("socket", result["socket"]),
    ]
    return _table(rows) + [f"degraded  {reason}" for reason in result["degraded"]]


def _of_communities(result: Result) -> str:
    stage = result["stages"]["communities"]
    if not stage["ready"]:
        return f"{result['communities']}, being found anew" if stage["revision"] else "being found"
    return str(result["communities"])


def _sync(result: Result) -> list[str]:
    counts = ", ".join(f"{count} {what}" for what, count in result["applied"].items())
    return [f"{counts} (revision {result['revision']}, {result['tookMs']:.0f} ms)"]


def _doctor(result: Result) -> list[str]:
    lines = [
        f"{'ok ' if check['ok'] else 'BAD'}  {check['name']}: {check['message']}"
        + (f" ({check['fix']})" if check["fix"] else "")
        for check in result["checks"]
    ]
    if result["problems"]:
        lines += [Heading(f"{_count(len(result['problems']), 'problem')} in notes")]
    return lines + _problems(result["problems"])


def _more(result: Result, shown: int) -> list[str]:
    if result["cursor"] is None:
        return []
    return [Aside(f"{shown} of {result['total']}; go on with --cursor {result['cursor']}")]


def _count(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"


def _name(uri: str) -> str:
    """Return the path a URI names, as text to read."""
    plain, *escaped = uri.removeprefix("memory://").encode().split(b"%")
    for part in escaped:
        plain += bytes.fromhex(part[:2].decode()) + part[2:]
    return plain.decode("utf-8", "replace")


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows with their columns aligned by the width they take on a terminal."""
    if not rows:
        return []
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width  # noqa: PLC0415 - most text needs neither

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


_RENDERERS: dict[str, Callable[[Result], list[str]]] = {
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
    "why": _why,
}
