"""The tools ``concept`` and ``communities``."""

from __future__ import annotations

from clew.surface.client import Refused
from clew.surface.mcp.text import one_line
from clew.surface.mcp.tools.rows import concept_reference, fitted, named, paged
from clew.surface.mcp.work import Question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from clew.surface.mcp.tools.rows import Shown
    from clew.surface.mcp.work import Work

    Result = dict[str, Any]

RELATIONS = 15
COMMUNITIES = 10
_SIMILAR = 5
_PATHS_OF_ONE_RELATION = 5  # paths listed for a single relation, which they describe rather
_NOTES_A_RELATION = 2
_NOTES_A_STEP = 3


def concept(arguments: Result) -> Work[str]:
    """Return the concepts related to a concept, or the paths from it to another one."""
    if "to" in arguments:
        return (yield from _paths(arguments["name"], arguments["to"]))
    limit = arguments.get("limit", RELATIONS)
    fields = {"maxEntities": limit, "maxFiles": _NOTES_A_RELATION}
    result = yield Question("concept", conceptName=arguments["name"], **fields)
    if not result["noteCount"]:
        return (yield from _unknown([arguments["name"]], result))
    similar = yield Question("similar", conceptName=arguments["name"], limit=_SIMILAR)
    return fitted([_head(result, limit)], [*_relations(result), *_relatives(result, similar)])


def _head(result: Result, limit: int) -> str:
    parts = [f"{result['noteCount']} notes"]
    if result["communityId"] is not None:
        parts.append(f"community {result['communityId']}")
    if result.get("uri"):
        parts.append(result["uri"])
    head = f"# {named(result['displayName'], result['conceptName'])}\n{', '.join(parts)}"
    relations = result["directRelations"]
    # If all relations are listed, they count each of its notes that mentions another concept.
    with_others = sum(row["coOccurrenceCount"] for row in relations)
    if len(relations) < limit and 2 * with_others < result["noteCount"]:
        words = f'"{one_line(_words(result["displayName"]), 120)}"'
        head += f"\nMost of these notes mention no other concept: call search with {words} for them"
    return head


def _relations(result: Result) -> Iterator[str]:
    if result["directRelations"]:
        yield "\n## In the same notes, strongest first"
    for row in result["directRelations"]:
        notes = ", ".join(row["files"])
        count = f"{row['coOccurrenceCount']} notes"
        yield f"- {named(row['displayName'], row['name'])}: {count}, such as {notes}"


def _relatives(result: Result, similar: Result) -> Iterator[str]:
    if result["communitySiblings"]:
        yield "\n## Never in one note with it, but with the same neighbours"
    for row in result["communitySiblings"]:
        count = row["sharedNeighborCount"]
        yield f"- {named(row['displayName'], row['name'])}: {count} shared neighbours"
    if similar["similar"]:
        yield "\n## Similar names"
    for row in similar["similar"]:
        yield f"- {named(row['displayName'], row['name'])}"
    paths = result["expandedPaths"]
    if len(result["directRelations"]) == 1:
        paths = paths[:_PATHS_OF_ONE_RELATION]
    if paths:
        yield "\n## Further away"
    for row in paths:
        yield f"- {_chain(row['displayPath'])} ({concept_reference(row['name'])})"


def _chain(names: list[str]) -> str:
    return " → ".join(one_line(name, 120) for name in names)


def _paths(start: str, goal: str) -> Work[str]:
    result = yield Question("path", **{"from": start, "to": goal})
    if result["unknown"]:
        return (yield from _unknown(result["unknown"], result))
    ends = f"from {one_line(start, 120)} to {one_line(goal, 120)}"
    if not result["paths"]:
        seen = " that was found in time" if result["truncated"] else ""
        return f"No path{seen} leads {ends}."
    if not result["paths"][0]["edges"]:
        return f"Both are names of one concept: {result['paths'][0]['displayNames'][0]}"
    return fitted([f"Paths {ends}, best first:"], [_path(row) for row in result["paths"]])


def _path(row: Result) -> str:
    display = dict(zip(row["concepts"], row["displayNames"], strict=True))
    lines = [f"- {_chain(list(display.values()))}"]
    for edge in row["edges"]:
        notes = ", ".join(edge["files"][:_NOTES_A_STEP])
        lines.append(f"  - {_chain([display[edge['from']], display[edge['to']]])}: {notes}")
    return "\n".join(lines)


def _unknown(names: list[str], result: Result) -> Work[str]:
    asked = " or ".join(f"'{one_line(name, 120)}'" for name in names)
    if result["ignored"]:
        return f"No answer: the vault's rules (.clew/concepts.toml) ignore {asked}, or one of them."
    parts = [f"No note links to {asked}."]
    for name in names:
        count = yield from _phrase_count(name)
        if count:
            words = f'"{one_line(_words(name), 120)}"'
            notes = "1 note speaks" if count == 1 else f"{count} notes speak"
            parts.append(f"{notes} of it in the text: call search with {words}.")
    close = ", ".join(map(concept_reference, result["suggestions"]))
    return " ".join([*parts, *([f"Close to it: {close}"] if close else [])])


def _phrase_count(name: str) -> Work[int]:
    """Return how many notes have a name as a phrase; 0 for a name without words."""
    try:
        result = yield Question("search", query=f'"{_words(name)}"', limit=1)
    except Refused:
        return 0
    return int(result["total"])


def _words(name: str) -> str:
    return name.replace('"', " ")


def communities(arguments: Result) -> Work[str]:
    """Return the groups of concepts that belong together, the largest first."""
    limit, cursor = arguments.get("limit", COMMUNITIES), arguments.get("cursor")
    question = Question("communities", limit=limit, cursor=cursor)
    return paged("communities", question, _communities)


def _communities(result: Result) -> Shown:
    rows, start = result["communities"], result["start"]
    if not result["total"]:
        return ["There are no communities yet: they are computed when concepts share notes."], []
    shown = f"Communities {start + 1}-{start + len(rows)} of {result['total']}"
    return [f"{shown}, the largest first"], [_community(row) for row in rows]


def _community(row: Result) -> str:
    central = ", ".join(map(concept_reference, row["central"]))
    bridges = ", ".join(map(concept_reference, row["bridges"]))
    tail = f"\n  bridges to others: {bridges}" if bridges else ""
    return f"- {row['id']} ({row['size']} concepts): {central}{tail}"
