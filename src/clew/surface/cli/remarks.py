"""Remarks on the answers of the listing methods: why one is empty, and how a list goes on.

Remarks go to stderr, so that stdout has only data. ``render_search`` has the remarks on searches.
"""

from __future__ import annotations

from clew.surface.cli.lines import counted, path_of

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from collections.abc import Callable, Sequence
    from typing import Any

    Result = dict[str, Any]

# Neither this text nor the reply reveals whether a private note has the name.
_MAY_BE_PRIVATE = (
    "private notes are missing too, unless the config has allow_private = true under [context]"
)
OPERATORS = ("tag", "type", "path", "file")  # of the query language; a test compares the two
_VALUELESS = frozenset(f"{name}:" for name in OPERATORS)
# Operators of other programs, which are words here.
_BOOLEAN_WORDS = {
    "NOT": "NOT is no operator; put a minus before a word: -word",
    "OR": 'OR is no operator: a note may lack any word, but must have each "phrase" and pass each '
    + " ".join(f"{name}:" for name in OPERATORS),
}
ALL_AT_ONCE = 1_000  # rows; longer lists are shown page by page
_LISTED = "`clew concepts` lists concepts, `clew search` looks in the text of notes"


def listing_remarks(
    method: str, params: Result, result: Result, *, for_program: bool = False
) -> list[str]:
    """Return the remarks on the answer of ``method`` to the request ``params``.

    ``for_program``: its rows were printed for another program.
    """
    if method == "doctor":
        return _doctor_remarks(result, for_program=for_program)
    remarks = []
    is_unknown = bool(unknown_remark(method, params, result, lambda _: 0))
    if method in _EMPTY and not (is_unknown or _rows(method, result)):
        has_more = "cursor" in result and bool(result.get("total"))
        remarks.append("no rows after this cursor" if has_more else _EMPTY[method](params, result))
    if method == "session.delete" and not result["turns"] + result["scratchKeys"]:
        remarks.append(_no_session(params))
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
    if method in _REMARKS_BY_METHOD:
        return remarks + _REMARKS_BY_METHOD[method](params, result)
    return remarks + page_remark(result, len(_rows(method, result)))


def page_remark(result: Result, shown: int, kind: str = "") -> list[str]:
    """Return how many rows of a list are shown, and how to see more; empty on the last page.

    A cursor is long, so it is only printed for a long list, or after the first page.

    ``kind``: the kind of the rows, such as " links", if a reply has several kinds.
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


def _doctor_remarks(result: Result, *, for_program: bool) -> list[str]:
    """Return how the list of one kind goes on, or of all rows for another program."""
    if result["code"] is None and not for_program:
        return []  # each kind is shown with the command that lists all of it
    if result["code"] is not None and not result["problems"]:
        return [f"no problem of the kind {result['code']!r}"]
    return page_remark(result, len(result["problems"]))


def _backlink_remarks(_: Result, result: Result) -> list[str]:
    """Return how many links and unlinked mentions are shown, which are two lists."""
    links, mentions = len(result["backlinks"]), len(result["mentions"])
    if mentions >= result["mentionCount"] or result["start"]:
        return page_remark(result, links)
    notes = counted(result["mentionCount"], "note")
    remark = f"{mentions} of {notes} with unlinked mentions, more with -n"
    return [*page_remark(result, links, " links"), remark]


def _concept_remarks(_: Result, result: Result) -> list[str]:
    """Return how many relations of a concept are shown, and commands that show more of it."""
    from clew.surface.cli.render import PATHS_OF_ONE_RELATION  # noqa: PLC0415 - loaded already

    relations, remarks = result["directRelations"], []
    if len(relations) == 1 and len(result["expandedPaths"]) > PATHS_OF_ONE_RELATION:
        name = relations[0]["displayName"]
        more = len(result["expandedPaths"]) - PATHS_OF_ONE_RELATION
        remarks.append(f"{more} more by way of {name}: clew concept {_quoted(name)}")
    # If all relations are listed, they count each of its notes that mentions another concept.
    with_others = sum(row["coOccurrenceCount"] for row in relations)
    total = result.get("relationCount", len(relations))  # an older daemon tells none
    is_whole = len(relations) == total
    if not is_whole:
        remarks.append(f"{len(relations)} of {total} relations, more with -n")
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
    from clew.text.unicode import shell_word  # noqa: PLC0415 - few answers need it

    return shell_word(name)


def _why_remarks(_params: Result, result: Result) -> list[str]:
    if result["state"] == "folder":
        path = path_of(result["uri"]).replace('"', "")
        listing = _quoted(f'path:"{path}/"')
        return [f"`clew search {listing}` lists its notes; `why` tells of one of them"]
    if result["state"] != "missing" or result["problems"]:
        return []
    nowhere = "no note has this name, and no file this path from the vault's folder on"
    return [nowhere, _MAY_BE_PRIVATE]


def name_only_remarks(why: Result) -> list[str]:
    """Return the remark on a note without links if it is indexed by its name alone.

    ``why``: the reply of that method for the note.
    """
    if why["state"] not in ("nameOnly", "quarantined"):
        return []
    message = why["problems"][0]["message"] if why["problems"] else "its content is not read"
    reason = message.partition(": indexed by name")[0]
    return [f"{path_of(why['uri'])} is indexed by name only: {reason}"]


def unknown_operators(query: str) -> list[str]:
    """Return the remarks on query words that look like an operator but are not one."""
    properties = _properties(query)
    for each in properties:
        query = query.replace(each, "")
    words = '""'.join(query.split('"')[::2]).split()  # what a phrase quotes is no operator
    remarks = _boolean_words(words)
    if properties:
        remarks.append(f"{properties[0]} is no operator, so searched as words")
    names = dict.fromkeys(filter(None, map(_operator, words)))
    others = [f"{name}:" for name in names if name.lower() not in OPERATORS]
    if others:
        usable = " ".join(f"{name}:" for name in OPERATORS)
        are = "is no operator" if len(others) == 1 else "are no operators"
        remarks.append(f"{' '.join(others)} {are}, so searched as words; there are {usable}")
    valueless = dict.fromkeys(word for word in words if word.lower() in _VALUELESS)
    remarks += [f"{word} has no value, so searched as a word" for word in valueless]
    return remarks


def _properties(query: str) -> list[str]:
    """Return the searches of a property as other programs write them: ``[status:open]``."""
    if "[" not in query:
        return []
    import re  # noqa: PLC0415 - few queries have a bracket

    found = re.findall(r'(?<!\S)-?(\[(?:"[^"]*"|[^\[\]:"]+):[^\[\]]+\])(?!\S)', query)
    return list(dict.fromkeys(found))


def _boolean_words(words: Sequence[str]) -> list[str]:
    """Return the remarks on ``NOT`` and ``OR`` before a word, in a query not all in capitals."""
    if all(map(str.isupper, words)):
        return []
    return [remark for word, remark in _BOOLEAN_WORDS.items() if word in words[:-1]]


def _operator(word: str) -> str:
    """Return the name before the colon of a word such as ``is:orphan``; "" for another word."""
    name, _, value = word.lstrip("-").partition(":")
    # No URL, and no C++ name such as a::b.
    is_value = value[:1].isalnum() or value[:1] in ('"', "(")
    return name if is_value and name.isalpha() and len(name) > 1 else ""


def similar_remarks(params: Result, result: Result) -> list[str]:
    """Return the remarks on a list of concepts with similar names."""
    if result["unknown"]:
        return []
    name, page = params["conceptName"], page_remark(result, len(result["similar"]))
    if not result["knownToModel"]:
        known = f"the model does not know the words of {name!r}"
        return [*page, f"{known}: only names that share them are listed"]
    if not result["total"]:
        return [f"no concept name is close in meaning to {name!r}; see `clew concepts`"]
    return page


def unknown_remark(
    method: str, params: Result, result: Result, count_phrase: Callable[[str], int]
) -> list[str]:
    """Return the remark on unknown names, with similar names; empty if all names are known.

    ``count_phrase`` counts the notes with the words of a name; it is called for unknown names only.
    """
    if method == "tags" and "tag" in result and not result["total"]:
        close = [f"#{tag}" for tag in result["suggestions"]]
        return [f"no note has the tag #{result['tag']}", _close(close, "`clew tags` lists them")]
    if method == "code" and not result["entities"]:
        return [f"no code is named {params['name']!r}", _close(result["suggestions"], "")]
    unknown, ignored = _unknown_names(method, params, result)
    lines = [f".clew/concepts.toml ignores {name!r}" for name in ignored]
    names = [name for name in unknown if name not in ignored]
    if names:
        lines.append(f"no note links to {' or '.join(map(repr, names))}")
        counts = {name: count_phrase(name) for name in names}
        lines += [_phrase_remark(name, count, names) for name, count in counts.items() if count]
        it = "it" if len(names) == 1 else "them"
        lines.append(_close(result.get("displaySuggestions", ()), _LISTED, it))
    return lines


def _unknown_names(
    method: str, params: Result, result: Result
) -> tuple[Sequence[str], Sequence[str]]:
    """Return the requested concepts to which no note links, and the ignored ones among them."""
    if method != "concept":
        return result.get("unknown", ()), result.get("ignored", ())
    unknown = [] if result["noteCount"] else [params["conceptName"]]
    return unknown, unknown if result.get("ignored") else []


def _phrase_remark(name: str, count: int, names: Sequence[str]) -> str:
    """Return how many notes have an unknown name in their text, and the search for them."""
    it = "it" if len(names) == 1 else repr(name)
    is_plain = name.replace(" ", "").isalnum()  # so that it holds no operator of the query language
    words = name if is_plain else _quoted('"' + " ".join(name.replace('"', " ").split()) + '"')
    speak = "1 note speaks" if count == 1 else f"{count} notes speak"
    return f"{speak} of {it}: clew search {words}"


def citation_remarks(result: dict[str, Any]) -> list[str]:
    """Return remarks on a reference that no longer matches, or on references left unchecked."""
    if result.get("unchecked"):
        return [f"{result['unchecked']} more references were too many to check"]
    citation = result.get("citation")
    if not citation or citation["state"] == "stands":
        return []
    if citation["now"]:
        return [f"the cited lines have moved: {citation['now']}"]
    return ["these lines have changed since the reference was made"]


def _close(names: Sequence[str], otherwise: str, it: str = "it") -> str:
    return f"close to {it}: {', '.join(names)}" if names else otherwise


def _rows(method: str, result: Result) -> list[Any]:
    """Return the rows of a reply: its first nonempty list among those of the method."""
    for name in _ROWS.get(method, (method,)):
        rows = result.get(name)
        if rows:
            return list(rows)
    return []


_ROWS = {
    "backlinks": ("backlinks", "mentions"),
    "code": ("entities",),
    "concept": ("directRelations",),
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


def _no_concepts(params: Result, _: Result) -> str:
    parts = []
    if "prefix" in params:
        parts.append(f"begins with {params['prefix']!r}")
    if "communityId" in params:
        parts.append(f"is in community {params['communityId']}")
    return f"no concept {' and '.join(parts)}" if parts else "these notes have no concepts"


def _no_communities(_: Result, result: Result) -> str:
    if result["communityRevision"] is None:
        return "not computed yet; they follow a moment after the first index"
    return "these notes have no communities"


def _no_path(params: Result, _: Result) -> str:
    within = f" in at most {counted(params['maxHops'], 'step')}" if "maxHops" in params else ""
    return f"no path from {params['from']!r} to {params['to']!r}{within}"


def _no_backlinks(params: Result, _: Result) -> str:
    if "conceptName" in params:
        return f"no note links to {params['conceptName']!r}"
    return f"no note links to {params['uri']!r} or mentions it"


def _no_session(params: Result) -> str:
    return f"no session is named {params['sessionId']!r}; `clew session list` lists them"


def _no_tags(params: Result, _: Result) -> str:
    if "prefix" in params:
        return f"no tag begins with {params['prefix']!r}"
    return "no note has a tag"


def _no_recent(params: Result, _: Result) -> str:
    words = {"since": "since", "until": "before"}
    limits = [f"{word} {params[field]}" for field, word in words.items() if field in params]
    if params.get("by") == "read":
        return f"no note was read {' '.join(limits) or 'yet'}"
    return f"no note {' '.join(limits)}" if limits else "there are no notes"


_EMPTY: dict[str, Callable[[Result, Result], str]] = {
    "backlinks": _no_backlinks,
    "code": lambda params, _: f"no more code is named {params['name']!r}",
    "communities": _no_communities,
    "concept": _no_relations,
    "concepts": _no_concepts,
    "graph": lambda _, __: "these notes have no concepts",
    "links": lambda _, result: f"no links in {path_of(result['uri'])}",
    "orphans": lambda _, __: "every note has a link",
    "path": _no_path,
    "recent": _no_recent,
    "session.list": lambda _, __: "there are no sessions",
    "session.recall": lambda params, _: f"no turn speaks of {params['query']!r}",
    "session.scratch.get": lambda params, _: f"there is no value {params['key']!r}",
    "session.scratch.list": lambda _, __: "there are no values",
    "session.show": lambda params, _: _no_session(params),
    "tags": _no_tags,
    "unresolved": lambda _, __: "every link leads to a file",
    "verify": lambda _, __: "no memory:// reference in this text",
}
_REMARKS_BY_METHOD: dict[str, Callable[[Result, Result], list[str]]] = {
    "backlinks": _backlink_remarks,
    "concept": _concept_remarks,
    "why": _why_remarks,
}
