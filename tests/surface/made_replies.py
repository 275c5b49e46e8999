"""Replies of search, rank and similar made by hand, and how they are shown."""

from typing import Any

import msgspec

from clew.surface.cli.output import styled
from clew.surface.cli.render_search import remarks_on, render_search_reply
from clew.values import search_replies
from clew.values.replies import Reply

Given = dict[str, Any]

METRICS = search_replies.SearchMetrics(tier="bm25", took_ms=1.0, candidates=1)
CORRECTION = search_replies.FuzzyCorrection(
    from_="strom",
    to="storm",
    corrections=(search_replies.Correction(from_="strom", to="storm", distance=1),),
)
DRIFT = search_replies.SearchResult(
    uri="memory://concepts/Clock%20drift.md",
    title="Clock drift",
    heading="Clock drift > In the cold",
    lines=(11, 13),
    line=11,
    snippet="No clock runs at one second per second; storms do not matter.",
    score=0.0532789,
    confidence=0.91,
    matched=("clocks",),
    legs={
        "keyword": search_replies.LegHit(rank=1, raw=17.5283),
        "semantic": search_replies.LegHit(rank=12, raw=0.6018),
    },
    breakdown=search_replies.Breakdown(
        semantic=0.3009, recency=0.1893, entity=0.0, source=0.05, keyword=0.1, explicit=0.0
    ),
    tokens=74,
)


def searched(*rows: search_replies.SearchResult, **fields: Any) -> search_replies.SearchReply:
    """Return a reply with these results."""
    meta = search_replies.Meta(total_items=len(rows), returned_items=len(rows), truncated=False)
    plain: Given = {
        "revision": 1,
        "total": len(rows),
        "start": 0,
        "cursor": None,
        "query": "clocks",
        "answered": "yes" if rows else "no",
        "suggestions": (),
        "search_metrics": METRICS,
        "fuzzy_correction": None,
        "period": None,
        "empty_filter": None,
        "degraded": (),
        "meta": meta,
    }
    return search_replies.SearchReply(results=rows, **{**plain, **fields})


def symbol(
    name: str, kind: str, file: str | None, score: float, tokens: int
) -> search_replies.RankedSymbol:
    return search_replies.RankedSymbol(
        symbol_id=name,
        name=name,
        kind=kind,
        file=file,
        lines=(7, 9) if kind == "heading" else None,
        relevance_score=1.0,
        importance_score=score,
        combined_score=score,
        tokens=tokens,
    )


def ranked(
    *rows: search_replies.RankedSymbol, total: int, **fields: Any
) -> search_replies.RankReply:
    """Return a reply with these symbols, of ``total``."""
    plain: Given = {
        "revision": 1,
        "query": "tide",
        "strategy": "combined",
        "format": "rows",
        "total_tokens": sum(row.tokens for row in rows),
        "token_budget": 4_000,
        "importance_revision": 1,
        "search_metrics": METRICS,
        "fuzzy_correction": None,
    }
    meta = search_replies.Meta(
        total_items=total, returned_items=len(rows), truncated=len(rows) < total
    )
    return search_replies.RankReply(results=rows, meta=meta, **{**plain, **fields})


def alike(*rows: search_replies.SimilarRow, **fields: Any) -> search_replies.SimilarReply:
    """Return a reply with these concepts."""
    plain: Given = {"revision": 1, "total": len(rows), "start": 0, "cursor": None, "degraded": ()}
    plain |= {"unknown": (), "suggestions": (), "display_suggestions": ()}
    return search_replies.SimilarReply(similar=rows, **{**plain, **fields})


def shown(
    method: str, reply: Reply, columns: int = 0, *, colour: bool = False, **asked: Any
) -> list[str]:
    """Return the lines that show a reply."""
    result = msgspec.to_builtins(reply)
    text = styled(render_search_reply(method, asked, result, columns), colour=colour)
    assert text == "" or text.endswith("\n")
    return text.split("\n")[:-1]


def remarks(method: str, reply: Reply, **asked: Any) -> list[str]:
    return remarks_on(method, asked, msgspec.to_builtins(reply))
