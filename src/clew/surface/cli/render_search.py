"""Rendering of search, rank and similar for people: best first, matched words in bold.

Notes about an answer (corrected words, degraded parts, the next cursor) are remarks; the caller
prints them to stderr.
"""

from __future__ import annotations

from clew.surface.cli.lines import (
    COLUMNS_MIN,
    aligned,
    counted,
    path_of,
    table,
    width_of,
    wrapped,
)
from clew.surface.cli.output import Dim, Heading
from clew.surface.cli.remarks import page_remark, similar_remarks, unknown_operators
from clew.surface.cli.words.periods import (
    day_of_row,
    other_times_remarks,
    period_remarks,
    season_remarks,
)
from clew.text.dates.shown import shown_period

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from collections.abc import Callable, Sequence
    from typing import Any

    from clew.surface.cli.highlights import QueryWords
    from clew.surface.cli.output import Line

    Result = dict[str, Any]


def render_search_reply(
    method: str, params: Result, result: Result, columns: int, *, marks: bool = True
) -> list[Line]:
    """Return the lines that show the answer to a request, each at most ``columns`` wide.

    With 0 columns, no line is wrapped. ``marks``: whether matching words are marked.
    """
    room = max(columns, COLUMNS_MIN) if columns else 0
    if method == "search":
        return _search(params, result, room, marks=marks)
    return RENDERERS[method](params, result, room)


def remarks_on(method: str, params: Result, result: Result) -> list[str]:
    """Return the remarks on an answer."""
    remarks = [*_matching_remarks(params, result), *_REMARKS[method](params, result)]
    return remarks + [f"degraded: {reason}" for reason in result.get("degraded", ())]


def _context(_: Result, result: Result, __: int) -> list[Line]:
    return list(result["context"].splitlines())


def _search(params: Result, result: Result, columns: int, *, marks: bool = True) -> list[Line]:
    query_words = _words_of(result) if marks else None
    first = result["start"] + 1
    indent = _indent(first + len(result["results"]) - 1)
    room = columns and columns - len(indent)
    lines: list[Line] = []
    for rank, row in enumerate(result["results"], first):
        score = row["score"] if row["legs"] else None  # a list by date has no scores
        lines += _head(rank, row["title"], score, indent, room)
        lines += [(indent, *parts) for parts in _location(row, room)]
        lines += [(indent, Dim(part)) for part in wrapped(day_of_row(row, result), room) if part]
        lines += [(indent, part) for part in wrapped(_replacement(row), room) if part]
        lines += [
            (indent, *_marked(part, query_words)) for part in wrapped(row["snippet"], room) if part
        ]
        if params.get("explain"):
            lines += [(indent, Dim(part)) for why in _reasons(row) for part in wrapped(why, room)]
    return lines


def _replacement(row: Result) -> str:
    """Return which note replaced a result, or that a result is listed as a replacement."""
    if row.get("broughtIn"):
        return "replaces a note below"
    live = (f"{path_of(each['uri'])} ({each['since']})" for each in row.get("supersededBy", ()))
    named = ", ".join(live)
    return f"superseded by {named}" if named else ""


def _words_of(result: Result) -> QueryWords:
    from clew.surface.cli.highlights import QueryWords  # noqa: PLC0415 - only on terminals

    correction = result["fuzzyCorrection"]
    return QueryWords(correction["to"] if correction else result["query"])


def _indent(last: int) -> str:
    """Return the indent of results, wide enough for their numbers up to ``last``."""
    return " " * (len(str(last)) + 2)


def _head(number: int, title: str, score: float | None, indent: str, room: int) -> list[Line]:
    """Return a result's first lines: its number, its name, and its score if it has one."""
    end = () if score is None else ("  ", Dim(f"{score:.4f}"))
    first, *more = wrapped(title, room and room - sum(map(len, end)))
    beginning = str(number).rjust(len(indent) - 2) + "  "
    return [
        (beginning, Heading(first), *end),
        *((indent, Heading(part)) for part in more),
    ]


def _location(row: Result, room: int) -> list[tuple[str, ...]]:
    """Return a result's location: file and line, and headings, on the same line if they fit."""
    location = f"{path_of(row['uri'])}:{row['line']}"
    headings = row["heading"] or ""
    is_above = row["line"] < row["lines"][0]  # of the front matter, or the first words of the note
    if headings == row["title"] or is_above:
        headings = ""
    headings = headings.removeprefix(f"{row['title']} > ")
    if not headings:
        return [(part,) for part in wrapped(location, room)]
    if not room or width_of(location) + 2 + width_of(headings) <= room:
        return [(location, "  ", Dim(headings))]
    return [
        *((part,) for part in wrapped(location, room)),
        *((Dim(part),) for part in wrapped(headings, room)),
    ]


def _rank(_: Result, result: Result, columns: int) -> list[Line]:
    rows = _rank_table(result["results"])
    if not columns or all(sum(map(width_of, line)) <= columns for line in rows):
        return rows
    indent = _indent(len(rows))
    room = columns - len(indent)
    lines: list[Line] = []
    for number, row in enumerate(result["results"], 1):
        lines += _head(number, row["name"], row["combinedScore"], indent, room)
        details = [row["kind"], counted(row["tokens"], "token")]
        if row["file"]:
            details.insert(1, _file_of(row))
        line = "  ".join(details)
        if len(details) > 2 and width_of(line) > room:
            lines += [(indent, part) for part in wrapped(details.pop(1), room)]
            line = "  ".join(details)
        lines += [(indent, part) for part in wrapped(line, room)]
    return lines


def _file_of(row: Result) -> str:
    """Return a symbol's file, with the line of a heading; "" without a file."""
    path = path_of(row["file"] or "")
    return f"{path}:{row['lines'][0]}" if row["kind"] == "heading" else path


def _rank_table(rows: Sequence[Result]) -> list[Line]:
    scores = _right([f"{row['combinedScore']:.4f}" for row in rows])
    lines = aligned(
        [(row["name"], row["kind"], _file_of(row), counted(row["tokens"], "token")) for row in rows]
    )
    numbers = _right([str(number) for number in range(1, len(rows) + 1)])
    return [
        (f"{number}  ", Dim(score), f"  {line}")
        for number, score, line in zip(numbers, scores, lines, strict=True)
    ]


def _right(texts: Sequence[str]) -> list[str]:
    width = max(map(len, texts), default=0)
    return [text.rjust(width) for text in texts]


def _similar(_: Result, result: Result, columns: int) -> list[Line]:
    rows = [
        (row["displayName"], f"{row['similarity']:.3f}", "share a note" if row["connected"] else "")
        for row in result["similar"]
    ]
    return [*table(rows, columns)]


def _marked(text: str, query_words: QueryWords | None) -> list[str]:
    if query_words is None:
        return [text]
    parts: list[str] = []
    at = 0
    for start, end in query_words.spans(text):
        parts += [text[at:start], Heading(text[start:end])]
        at = end
    return [*parts, text[at:]]


def _reasons(row: Result) -> list[str]:
    """Return the reasons of a result's rank: its rank in each leg, and the parts of its score."""
    legs = [f"{leg} #{hit['rank']} ({hit['raw']:.3f})" for leg, hit in row["legs"].items()]
    words = f", has {', '.join(row['matched'])}" if row["matched"] else ""
    # A query of operators alone lists notes by date, and no leg ranks them.
    reasons = ["found by " + ", ".join(legs)] if legs else []
    confidence = row["confidence"]
    shown = f"{confidence:.2f}" if confidence >= _SHOWN_MIN else f"below {_SHOWN_MIN}"
    reasons.append(f"confidence {shown}{words}")
    if "breakdown" in row:
        parts = row["breakdown"]
        summands = " + ".join(f"{name} {part:.3f}" for name, part in parts.items() if part)
        reasons.append(f"additive {sum(parts.values()):.3f} = {summands or 'nothing'}")
    return reasons


def first_remarks(result: Result) -> list[str]:
    """Return remarks to print above the results: that none is of the requested period."""
    return other_times_remarks(result) or _empty_filter_remarks(result)


def _search_remarks(params: Result, result: Result) -> list[str]:
    query = params.get("query", "")
    remarks = [*unknown_operators(query), *_clause_remarks(result)]
    remarks += [*period_remarks(result), *season_remarks(result)]
    if not result["total"]:
        empty = _empty_filter_remarks(result) or [_no_answer(params, result)]
        return [*remarks, *empty]
    weak = [_WEAK] if result["answered"] == "weak" else []
    return remarks + weak + page_remark(result, len(result["results"]))


def _no_answer(params: Result, result: Result) -> str:
    """Return the remark that no note answers a search, with similar names."""
    parts = [f"nothing in these notes speaks of {result['query']}"]
    if result["suggestions"]:
        parts.append(f"near: {', '.join(result['suggestions'])}")
    tries = _advice(params)
    if tries:
        parts.append(f"try {', or '.join(tries)}")
    return "; ".join(parts)


def _clause_remarks(result: Result) -> list[str]:
    """Return the phrases, exclusions and operators of a query, if the reply has them."""
    clauses = result.get("understood") or {}
    parts = [
        *(f'"{phrase}"' for phrase in clauses.get("phrases", ())),
        *clauses.get("excluded", ()),
        *clauses.get("operators", ()),
    ]
    return [f"understood: {' '.join(parts)}"] if parts else []


def _empty_filter_remarks(result: Result) -> list[str]:
    """Return the remark on the filter or period that no note passes."""
    empty = result.get("emptyFilter")
    if not empty:
        return []
    name, value = empty["filter"], empty["value"]
    if name in _NO_NOTE:
        remark, _, advice = _NO_NOTE[name].partition("; ")
        close = ", ".join(empty.get("suggestions", ()))
        advice = f"close to it: {close}" if close else advice
        return ["; ".join(filter(None, (remark.format(value), advice)))]
    if name != "period":
        return ["no note passes all filters, though each has notes"]
    since, until = (None if end == ".." else end for end in value.split("/"))
    others = ": these are of other times" if result.get("results") else ""
    return [f"no note of {shown_period(since, until)}{others}"]


def _rank_remarks(params: Result, result: Result) -> list[str]:
    shown, total = result["_meta"]["returnedItems"], result["_meta"]["totalItems"]
    if not total:
        return [_empty_remark(params)]
    if not result["_meta"]["truncated"]:
        return []
    spent = f"{result['totalTokens']} of {result['tokenBudget']} tokens"
    more = "more with -n" if params.get("limit") == shown else "more with a larger --budget"
    return [f"{shown} of {total}, {spent}; {more}"]


def _context_remarks(params: Result, result: Result) -> list[str]:
    """Return how many tokens a pack uses, what it contains, and its evidence."""
    metadata = result["metadata"]
    parts = [
        f"{metadata['totalTokens']} of {metadata['tokenBudget']} tokens",
        counted(metadata["ragSections"], "passage"),
        counted(metadata["graphragSections"], "concept"),
    ]
    if metadata["droppedCount"]:
        parts.append(f"{metadata['droppedCount']} did not fit")
    if metadata["deliveredCount"]:
        parts.append(f"{metadata['deliveredCount']} already delivered")
    if metadata["masked"]:
        parts.append(f"{counted(metadata['masked'], 'secret')} masked")
    if metadata["route"] != "memory" or params.get("includeEvidence"):
        parts.append(f"route {metadata['route']} ({metadata['routeReason']})")
    unknown = [f"--exclude names nothing: {each}" for each in metadata["unknownExcluded"]]
    return [", ".join(parts), *unknown, *map(_evidence_line, result.get("evidence", ()))]


def _evidence_line(row: Result) -> str:
    state = "in " if row["included"] else "out"
    return (
        f"{state} {row['rank']:3}  {row['rerankerScore']:.4f}  {row['tokens']:5} tokens  "
        f"{row['id']}  ({row['reason']})"
    )


def _matching_remarks(params: Result, result: Result) -> list[str]:
    """Return how the words were matched, unless this was exactly as written."""
    if result.get("answered") == "no":
        return []
    correction = result.get("fuzzyCorrection")
    if correction:
        words = ", ".join(f"{row['from']} -> {row['to']}" for row in correction["corrections"])
        way_out = "" if "context" in result else "; --no-fuzzy takes words as written"
        return [f"answered for: {correction['to']} ({words}{way_out})"]
    if params.get("searchMode") == "legacy":  # the request itself asks to match only names
        return []
    tier = result.get("searchMetrics", {}).get("tier")
    by_words = any("keyword" in row.get("legs", ("keyword",)) for row in result.get("results", ()))
    return [_TIERS[tier]] if by_words and tier in _TIERS else []


def _empty_remark(params: Result) -> str:
    """Return the remark on an empty answer, with advice."""
    tries = ["other words", *_advice(params)]
    return f"nothing found; try {', or '.join(tries)}, or see `clew concepts`"


def _advice(params: Result) -> list[str]:
    """Return changes to those options that may have excluded hits."""
    tries = []
    if params.get("filters"):
        tries.append("fewer filters")
    if params.get("mode", "hybrid") != "hybrid":
        tries.append("--mode hybrid")
    if params.get("searchMode") == "legacy":
        tries.append("leaving --legacy out")
    if params.get("fuzzy") is False:
        tries.append("leaving --no-fuzzy out")
    return tries


_NO_NOTE = {
    "type": "no note of type {!r}; `clew recent` shows the types of notes",
    "tag": "no note with tag {}; `clew tags` lists the tags",
    "tags": "no note with tag {}; `clew tags` lists the tags",
    "folder": "no folder {!r} with notes; give its path from the vault's folder on",
    "path": "no path with {!r}",
    "file": "no file name with {!r}",
    "phrase": 'no note has "{}"',
    "minImportance": "no note of importance {} or more",
    "source": "no note from source {!r}",
    "entity": "no note links to {!r}",
}
_SHOWN_MIN = 0.01  # a confidence is not 0, but may round to it
_WEAK = "a weak answer: these notes hold only a part of what was asked"
_TIERS = {
    "trigram": "few notes contain these words, so longer words with them count too (trigram)",
    "keyword": "no note contains these words, so longer words with them count (keyword)",
}
RENDERERS: dict[str, Callable[[Result, Result, int], list[Line]]] = {
    "context": _context,
    "rank": _rank,
    "search": _search,
    "similar": _similar,
}
_REMARKS: dict[str, Callable[[Result, Result], list[str]]] = {
    "context": _context_remarks,
    "rank": _rank_remarks,
    "search": _search_remarks,
    "similar": similar_remarks,
}
