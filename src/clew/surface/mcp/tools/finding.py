"""The tools ``context`` and ``search``."""

from __future__ import annotations

from clew.surface.mcp.text import lines_within, one_line, tokens_estimated
from clew.surface.mcp.tools.rows import paged, reference
from clew.surface.mcp.work import Question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from clew.surface.mcp.tools.rows import Shown
    from clew.surface.mcp.work import Work

    Result = dict[str, Any]

CONTEXT_TOKENS = 4000
CONTEXT_TOKENS_MIN, CONTEXT_TOKENS_MAX = 100, 7000
SEARCH_ROWS = 10
_TAIL_TOKENS_MAX = 250  # reserved for remarks and references, but at most a quarter of the budget
_NOT_SHOWN = 5
_NOT_SHOWN_HEAD = "Not shown for lack of room (`read` them, or ask with a larger budget):"


def context(arguments: Result) -> Work[str]:
    """Return the pack for a query, and references of the best passages that did not fit."""
    budget = arguments.get("budget", CONTEXT_TOKENS)
    result = yield Question(
        "context",
        query=arguments["query"],
        tokenBudget=max(CONTEXT_TOKENS_MIN, budget - min(budget // 4, _TAIL_TOKENS_MAX)),
        exclude=arguments.get("exclude", []),
    )
    pack = result["context"].rstrip()
    room = tokens_estimated(budget - result["metadata"]["totalTokens"])
    tail = list(_tail(result))
    count = lines_within(["", *tail], room) - 1
    if tail[:count][-1:] == [_NOT_SHOWN_HEAD]:
        count -= 1
    return "\n".join([pack, "", *tail[:count]]) if count > 0 else pack


def _tail(result: Result) -> Iterator[str]:
    """Yield the lines below a pack, the most important first."""
    yield from _remarks(result)
    if result["answered"] == "no":
        yield from _suggested(result)
    if result["more"]:
        yield _NOT_SHOWN_HEAD
    for row in result["more"][:_NOT_SHOWN]:
        yield f"- {one_line(row['title'], 80)}: {row['ref']} ({row['tokens']} tokens)"


def search(arguments: Result) -> Work[str]:
    """Return the notes that match a query, best first, each with its best passage."""
    query, limit = arguments["query"], arguments.get("limit", SEARCH_ROWS)
    question = Question("search", query=query, limit=limit, cursor=arguments.get("cursor"))
    return paged("search", question, _result_page)


def _result_page(result: Result) -> Shown:
    rows, start = result["results"], result["start"]
    query = one_line(result["query"], 200)
    if not result["total"]:
        head = f"Nothing in these notes speaks of: {query}"
        return [head, *_remarks(result), *_suggested(result)], []
    head = f"Notes {start + 1}-{start + len(rows)} of {result['total']} for: {query}"
    return [head, *_remarks(result)], [_row(rank, row) for rank, row in enumerate(rows, start + 1)]


def _day(row: Result) -> str:
    """Return the day of a note, if the query asks for a period or for the newest notes."""
    day: str = row.get("day", "")
    return day if row.get("ofPeriod", True) else f"{day}, not of the time asked for"


def _row(rank: int, row: Result) -> str:
    heading = one_line(row["heading"] or "", 120)
    where = f" ({heading})" if heading not in ("", row["title"]) else ""
    head = f"{rank}. {one_line(row['title'], 120)}{where}: {reference(row['uri'], row['lines'])}"
    live = ", ".join(
        f"{one_line(each['title'], 80)} ({each['uri']}, {each['since']})"
        for each in row.get("supersededBy", ())
    )
    lines = (head, _day(row), live and f"superseded by {live}", one_line(row["snippet"], 600))
    return "\n   ".join(filter(None, lines))


def _remarks(result: Result) -> Iterator[str]:
    """Yield remarks on how a query was understood, and what is missing in its answer."""
    correction, period = result.get("fuzzyCorrection"), result.get("period")
    if correction:
        yield f"Searched for: {one_line(correction['to'], 200)} (spelling corrected)"
    if period:
        yield _period_remark(period, result.get("total"))
    undated = ", ".join(result.get("undated", ()))
    if undated:
        yield f"Not read as a time, as seasons differ by place: {one_line(undated, 100)}"
    if result.get("emptyFilter"):
        empty = result["emptyFilter"]
        yield f"No note passes {empty['filter']} {one_line(str(empty['value']), 100)}"
    if result.get("answered") == "weak":
        yield "The answer is weak: only a part of the query is in these notes"
    for part in result.get("degraded", ()):
        yield f"Incomplete: {one_line(part, 200)}"


def _period_remark(period: Result, total: int | None) -> str:
    """Return the period that a query names, and how many of the notes belong to it.

    ``total``: the number of notes found; ``None`` for a pack, which has no such number.
    """
    since, until = period["since"] or "the start", period["until"]
    remark = f"Time asked for: from {since} to " + (f"before {until}" if until else "now")
    if not total:
        return remark
    count = "all" if period["matching"] == total else period["matching"] or "none"
    return f"{remark}; {count} of the {total} notes are of it"


def _suggested(result: Result) -> list[str]:
    names = ", ".join(one_line(name, 80) for name in result.get("suggestions", ()))
    return [f"Close to it: {names}"] if names else []
