"""Remarks on the answers of the listing methods: why one is empty, and how a list goes on.

They are printed to stderr, so that stdout has data alone. Those of search are in ``render_search``.
"""

from __future__ import annotations

from clew.surface.cli.lines import counted, path_of

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from collections.abc import Callable, Sequence
    from typing import Any

    Result = dict[str, Any]

# Nothing tells whether there is such a note, here or in the reply.
_MAY_BE_PRIVATE = (
    "private notes are missing too, unless the config has allow_private = true under [context]"
)
OPERATORS = ("tag", "type", "path", "file")  # of the query language, which tests compare
ALL_AT_ONCE = 1_000  # rows; longer lists are shown page by page
_LISTED = "`clew concepts` lists concepts, `clew search` looks in the text of notes"


def listing_remarks(method: str, asked: Result, result: Result) -> list[str]:
    """Return the remarks on the answer of ``method`` to the request ``asked``."""
    remarks = []
    if method == "doctor" and result["code"] is not None and not result["problems"]:
        remarks.append(f"no problem of the kind {result['code']!r}")
    is_unknown = bool(unknown_remark(method, asked, result, lambda _: 0))
    if method in _EMPTY and not (is_unknown or _rows(method, result)):
        has_more = "cursor" in result and bool(result.get("total"))
        remarks.append("no rows after this cursor" if has_more else _EMPTY[method](asked, result))
    if method == "session.delete" and not result["turns"] + result["scratchKeys"]:
        remarks.append(_no_session(asked))
    if method == "why" and result["state"] == "missing":
        remarks.append("no note has this name, and no file this path from the vault's folder on")
        remarks.append(_MAY_BE_PRIVATE)
    if method == "verify" and any(row["state"] == "changed" for row in result["citations"]):
        remarks.append("`clew read REFERENCE` shows the lines of a changed one as they are now")
    if method == "session.recall":
        remarks += [f"incomplete: {part}" for part in result["degraded"]]
    if result.get("truncated"):
        more = "more of them" if method == "code" else "better paths"
        remarks.append(f"the search was cut short: there may be {more}")
    if result.get("modularity") is not None and result["communities"]:
        first = result["communities"][0]["id"]
        members = f"`clew concepts --community {first}` lists the concepts of one"
        remarks.append(f"modularity {result['modularity']:.3f}; {members}")
    if method in _OWN:
        return remarks + _OWN[method](asked, result)
    return remarks + page_remark(result, len(_rows(method, result)))


def page_remark(result: Result, shown: int, kind: str = "") -> list[str]:
    """Return how many rows of a list are shown and how to see more; nothing without more.

    A cursor, which is long, is only printed where it is needed: for a long list, and from one page
    to the next.

    ``kind`` says what the rows are, if a reply has several kinds: " links".
    """
    if result.get("cursor") is None:
        return []
    if len(result.get("entities", ())) == 1:
        return [f"more rows with --cursor {result['cursor']}"]
    start, total = result["start"], result["total"]
    rows = f"{start + 1} to {start + shown}" if shown > 1 else f"number {start + 1}"
    rows = rows if start else str(shown)
    if not start and total <= ALL_AT_ONCE:
        return [f"{rows} of {total}{kind}, all with -n {total}"]
    return [f"{rows} of {total}{kind}, more with -n or --cursor {result['cursor']}"]


def _on_backlinks(_: Result, result: Result) -> list[str]:
    """Return how many links and unlinked mentions are shown, as each kind has rows of its own."""
    links, mentions = len(result["backlinks"]), len(result["mentions"])
    if mentions >= result["mentionCount"] or result["start"]:
        return page_remark(result, links)
    notes = counted(result["mentionCount"], "note")
    remark = f"{mentions} of {notes} with unlinked mentions, more with -n"
    return [*page_remark(result, links, " links"), remark]


def _on_concept(asked: Result, result: Result) -> list[str]:
    """Return what tells more of a concept whose notes mention few others."""
    from clew.surface.cli.render import PATHS_OF_ONE_RELATION  # noqa: PLC0415 - loaded already

    relations, remarks = result["directRelations"], []
    if len(relations) == 1 and len(result["expandedPaths"]) > PATHS_OF_ONE_RELATION:
        name = relations[0]["displayName"]
        more = len(result["expandedPaths"]) - PATHS_OF_ONE_RELATION
        remarks.append(f"{more} more by way of {name}: clew concept {_quoted(name)}")
    # Each of its notes that mentions another concept is counted by a relation, if all are here.
    with_others = sum(row["coOccurrenceCount"] for row in relations)
    is_whole = len(relations) < asked.get("maxEntities", 1 + len(relations))
    if relations and is_whole and 2 * with_others < result["noteCount"]:
        remarks.append(f"most {_of_its_notes(result)}")
    return remarks


def _of_its_notes(result: Result) -> str:
    name, count = result["displayName"], result["noteCount"]
    return (
        f"of its {count} notes mention no other concept: clew backlinks --concept {_quoted(name)}"
    )


def _no_relations(_: Result, result: Result) -> str:
    if result["noteCount"] == 1:
        return f"the note that mentions {result['displayName']!r} mentions no other concept"
    return f"all {_of_its_notes(result)}"


def _quoted(name: str) -> str:
    from shlex import quote  # noqa: PLC0415 - few answers need it

    return quote(name)


def unknown_operators(query: str) -> list[str]:
    """Return the remark on words that look like an operator of a search, and are none."""
    names = dict.fromkeys(filter(None, map(_operator, query.split())))
    others = [f"{name}:" for name in names if name.lower() not in OPERATORS]
    if not others:
        return []
    usable = " ".join(f"{name}:" for name in OPERATORS)
    are = "is no operator" if len(others) == 1 else "are no operators"
    return [f"{' '.join(others)} {are}, so searched as words; there are {usable}"]


def _operator(word: str) -> str:
    """Return the name before the colon of a word such as ``is:orphan``; "" for another word."""
    name, _, value = word.lstrip("-").partition(":")
    is_value = value[:1].isalnum() or value[:1] == '"'  # and no address, nor a name in C++
    return name if is_value and name.isalpha() and len(name) > 1 else ""


def on_similar(asked: Result, result: Result) -> list[str]:
    """Return the remarks on a list of concepts with similar names."""
    if result["unknown"]:
        return []
    name, page = asked["conceptName"], page_remark(result, len(result["similar"]))
    if not result["knownToModel"]:
        known = f"the model does not know the words of {name!r}"
        return [*page, f"{known}: only names that share them are listed"]
    if not result["total"]:
        return [f"no concept name is close in meaning to {name!r}; see `clew concepts`"]
    return page


def unknown_remark(
    method: str, asked: Result, result: Result, spoken_of: Callable[[str], int]
) -> list[str]:
    """Return that nothing has a name, and the names close to it; nothing if all are known.

    ``spoken_of`` counts the notes that have the words of a name; it is called for unknown ones.
    """
    if method == "tags" and "tag" in result and not result["total"]:
        close = [f"#{tag}" for tag in result["suggestions"]]
        return [f"no note has the tag #{result['tag']}", _close(close, "`clew tags` lists them")]
    if method == "code" and not result["entities"]:
        return [f"no code is named {asked['name']!r}", _close(result["suggestions"], "")]
    unknown, ignored = _unknown_names(method, asked, result)
    lines = [f".clew/concepts.toml ignores {name!r}" for name in ignored]
    names = [name for name in unknown if name not in ignored]
    if names:
        lines.append(f"no note links to {' or '.join(map(repr, names))}")
        counts = {name: spoken_of(name) for name in names}
        lines += [_spoken(name, count, names) for name, count in counts.items() if count]
        lines.append(_close(result.get("displaySuggestions", ()), _LISTED))
    return lines


def _unknown_names(
    method: str, asked: Result, result: Result
) -> tuple[Sequence[str], Sequence[str]]:
    """Return the names of concepts to which no note links, and those of them that are ignored."""
    if method != "concept":
        return result.get("unknown", ()), result.get("ignored", ())
    unknown = [] if result["noteCount"] else [asked["conceptName"]]
    return unknown, unknown if result.get("ignored") else []


def _spoken(name: str, count: int, names: Sequence[str]) -> str:
    """Return how many notes have an unknown name in their text, and what finds them."""
    it = "it" if len(names) == 1 else repr(name)
    is_plain = name.replace(" ", "").isalnum()  # and no operator of the query language
    words = name if is_plain else _quoted('"' + " ".join(name.replace('"', " ").split()) + '"')
    speak = "1 note speaks" if count == 1 else f"{count} notes speak"
    return f"{speak} of {it}: clew search {words}"


def citation_remarks(result: dict[str, Any]) -> list[str]:
    """Return what is wrong with the reference that was read, or with those that were verified."""
    if result.get("unchecked"):
        return [f"{result['unchecked']} more references were too many to check"]
    citation = result.get("citation")
    if not citation or citation["state"] == "stands":
        return []
    if citation["now"]:
        return [f"the cited lines have moved: {citation['now']}"]
    return ["these lines have changed since the reference was made"]


def _close(names: Sequence[str], otherwise: str) -> str:
    return f"close to it: {', '.join(names)}" if names else otherwise


def _rows(method: str, result: Result) -> list[Any]:
    """Return the rows of a reply, which are in its first list that belongs to the method."""
    for name in _ROWS.get(method, (method,)):
        rows = result.get(name)
        if rows:
            return list(rows)
    return []


_ROWS = {
    "backlinks": ("backlinks", "mentions"),
    "code": ("entities",),
    "concept": ("directRelations",),
    "doctor": ("problems",),
    "graph": ("nodes", "text"),
    "path": ("paths",),
    "recent": ("notes",),
    "session.list": ("sessions",),
    "session.recall": ("turns",),
    "session.scratch.get": ("value",),
    "session.scratch.list": ("keys",),
    "session.show": ("turns",),
    "tags": ("tags", "notes"),
    "verify": ("citations",),
}


def _no_concepts(asked: Result, _: Result) -> str:
    parts = []
    if "prefix" in asked:
        parts.append(f"begins with {asked['prefix']!r}")
    if "communityId" in asked:
        parts.append(f"is in community {asked['communityId']}")
    return f"no concept {' and '.join(parts)}" if parts else "these notes have no concepts"


def _no_communities(_: Result, result: Result) -> str:
    if result["communityRevision"] is None:
        return "not computed yet; they follow a moment after the first index"
    return "these notes have no communities"


def _no_path(asked: Result, _: Result) -> str:
    within = f" in at most {counted(asked['maxHops'], 'step')}" if "maxHops" in asked else ""
    return f"no path from {asked['from']!r} to {asked['to']!r}{within}"


def _no_backlinks(asked: Result, _: Result) -> str:
    if "conceptName" in asked:
        return f"no note links to {asked['conceptName']!r}"
    return f"no note links to {asked['uri']!r} or mentions it"


def _no_session(asked: Result) -> str:
    return f"no session is named {asked['sessionId']!r}: `clew session list`"


def _no_tags(asked: Result, _: Result) -> str:
    if "prefix" in asked:
        return f"no tag begins with {asked['prefix']!r}"
    return "no note has a tag"


def _no_recent(asked: Result, _: Result) -> str:
    words = {"since": "since", "until": "before"}
    limits = [f"{word} {asked[field]}" for field, word in words.items() if field in asked]
    if asked.get("by") == "read":
        return f"no note was read {' '.join(limits) or 'yet'}"
    return f"no note {' '.join(limits)}" if limits else "there are no notes"


_EMPTY: dict[str, Callable[[Result, Result], str]] = {
    "backlinks": _no_backlinks,
    "code": lambda asked, _: f"no more code is named {asked['name']!r}",
    "communities": _no_communities,
    "concept": _no_relations,
    "concepts": _no_concepts,
    "graph": lambda _, __: "these notes have no concepts",
    "links": lambda _, result: f"no links in {path_of(result['uri'])}",
    "orphans": lambda _, __: "every note has a link",
    "path": _no_path,
    "recent": _no_recent,
    "session.list": lambda _, __: "there are no sessions",
    "session.recall": lambda asked, _: f"no turn speaks of {asked['query']!r}",
    "session.scratch.get": lambda asked, _: f"there is no value {asked['key']!r}",
    "session.scratch.list": lambda _, __: "there are no values",
    "session.show": lambda asked, _: f"no turns: {_no_session(asked)}",
    "tags": _no_tags,
    "unresolved": lambda _, __: "every link leads to a file",
    "verify": lambda _, __: "no memory:// reference in this text",
}
_OWN: dict[str, Callable[[Result, Result], list[str]]] = {
    "backlinks": _on_backlinks,
    "concept": _on_concept,
}
