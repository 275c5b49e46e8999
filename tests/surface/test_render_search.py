"""Rendering of search, rank and similar replies, for terminals and for pipes."""

from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.surface.cli.lines import COLUMNS_MIN, width_of, wrapped
from clew.surface.cli.output import styled
from clew.surface.cli.render_search import remarks_on, render_found
from clew.values import search_replies
from clew.values.replies import Reply
from tests.tables import for_each_row

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
    text = styled(render_found(method, asked, result, columns), colour=colour)
    assert text == "" or text.endswith("\n")
    return text.split("\n")[:-1]


def remarks(method: str, reply: Reply, **asked: Any) -> list[str]:
    return remarks_on(method, asked, msgspec.to_builtins(reply))


def test_a_superseded_result_names_what_replaced_it() -> None:
    live = search_replies.LiveNote(uri="memory://a/New%20one.md", title="New", since="2026-01-20")
    old = msgspec.structs.replace(DRIFT, superseded_by=(live,))
    new = msgspec.structs.replace(DRIFT, brought_in=True, legs={})
    lines = shown("search", searched(new, old))
    assert lines[2] == "   replaces a note below"
    assert "   superseded by a/New one.md (2026-01-20)" in lines


def test_a_result_shows_title_score_location_headings_and_text() -> None:
    assert shown("search", searched(DRIFT)) == [
        "1  Clock drift  0.0533",
        "   concepts/Clock drift.md:11  In the cold",
        "   No clock runs at one second per second; storms do not matter.",
    ]


def test_on_a_terminal_titles_and_matching_words_are_bold() -> None:
    lines = shown("search", searched(DRIFT), colour=True)
    assert lines[0] == "1  \x1b[1mClock drift\x1b[0m  \x1b[2m0.0533\x1b[0m"
    assert lines[1] == "   concepts/Clock drift.md:11  \x1b[2mIn the cold\x1b[0m"
    assert lines[2].startswith("   No \x1b[1mclock\x1b[0m runs at one second")


def test_corrected_words_are_highlighted() -> None:
    lines = shown("search", searched(DRIFT, fuzzy_correction=CORRECTION), colour=True)
    assert "No clock runs" in lines[2]
    assert "\x1b[1mstorms\x1b[0m" in lines[2]


@pytest.mark.parametrize(
    ("heading", "suffix"),
    [(None, ""), ("Clock drift", ""), ("In the cold", "  In the cold"), ("A > B", "  A > B")],
)
def test_headings_are_shown_without_the_title(heading: str | None, suffix: str) -> None:
    row = msgspec.structs.replace(DRIFT, heading=heading)
    assert shown("search", searched(row))[1] == f"   concepts/Clock drift.md:11{suffix}"


def test_numbers_of_results_continue_those_of_the_page_before() -> None:
    lines = shown("search", searched(DRIFT, DRIFT, start=8, total=100))
    assert [line[:4] for line in lines[::3]] == [" 9  ", "10  "]


def test_reasons_are_shown_with_explain() -> None:
    assert shown("search", searched(DRIFT), explain=True)[3:] == [
        "   found by keyword #1 (17.528), semantic #12 (0.602)",
        "   confidence 0.91, has clocks",
        "   additive 0.640 = semantic 0.301 + recency 0.189 + source 0.050 + keyword 0.100",
    ]


def test_text_of_notes_cannot_control_a_terminal() -> None:
    odd = "clock \x1b[31m\x07\x9b0m \u202e"
    row = msgspec.structs.replace(DRIFT, title=odd, heading=odd, snippet=odd)
    for line in shown("search", searched(row)):
        assert line.isprintable()
    for line in shown("search", searched(row), colour=True):
        assert (
            line.replace("\x1b[1m", "").replace("\x1b[2m", "").replace("\x1b[0m", "").isprintable()
        )


words = st.lists(st.text("abc潮位。", min_size=1, max_size=9), min_size=1, max_size=12).map(
    " ".join
)


@given(words, words, words, st.integers(COLUMNS_MIN, 60))
def test_lines_are_no_wider_than_the_terminal(
    title: str, heading: str, snippet: str, columns: int
) -> None:
    row = msgspec.structs.replace(DRIFT, title=title, heading=heading, snippet=snippet)
    lines = shown("search", searched(row, row), columns, explain=True)
    assert [line for line in lines if width_of(line) > columns] == []


def test_lines_are_never_wrapped_below_a_minimum_width() -> None:
    narrow = shown("search", searched(DRIFT), 5)
    assert narrow == shown("search", searched(DRIFT), COLUMNS_MIN)
    assert len(narrow) < 10


@given(words, st.integers(18, 60))  # no word is wider than a line
def test_wrapping_removes_only_spaces_at_breaks(text: str, columns: int) -> None:
    lines = wrapped(text, columns)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    for line, following in pairwise(lines):
        assert line == line.strip()
        # No line is broken too early: the next word did not fit.
        if f"{line}{following}".isascii():
            assert len(line) + len(following.split(" ")[0]) + 1 > columns


@pytest.mark.parametrize(
    ("text", "columns", "lines"),
    [
        ("潮位。潮位。", 4, ["潮", "位。", "潮", "位。"]),
        ("GPS時刻とUTC)", 6, ["GPS時", "刻と", "UTC)"]),
        ("(潮)潮 b", 3, ["(", "潮)", "潮", "b"]),
        ("\U00020bb7\U00020bb7", 2, ["\U00020bb7", "\U00020bb7"]),
    ],
)
def test_east_asian_text_breaks_anywhere_but_before_closing_punctuation(
    text: str, columns: int, lines: list[str]
) -> None:
    assert wrapped(text, columns) == lines


def test_a_word_longer_than_the_line_is_broken_at_its_end() -> None:
    assert wrapped("see http://example.org/a/b/c there", 10) == [
        "see",
        "http://exa",
        "mple.org/a",
        "/b/c there",
    ]


def test_ranked_symbols_are_a_table() -> None:
    rows = (
        symbol("Tide gauge", "note", "memory://concepts/Tide%20gauge.md", 0.91238, 412),
        symbol("tide", "concept", None, 0.5, 1),
    )
    assert shown("rank", ranked(*rows, total=2)) == [
        "1  0.9124  Tide gauge  note     concepts/Tide gauge.md  412 tokens",
        "2  0.5000  tide        concept                          1 token",
    ]


def test_ranked_symbols_too_wide_for_a_table_are_shown_like_results() -> None:
    rows = (
        symbol("Tide gauge", "note", "memory://concepts/Tide%20gauge.md", 0.91238, 412),
        symbol("tide", "concept", None, 0.5, 1),
    )
    reply = ranked(*rows, total=2)
    wide = shown("rank", reply)
    width = max(map(width_of, wide))
    assert shown("rank", reply, width) == wide
    assert shown("rank", reply, width - 1) == [
        "1  Tide gauge  0.9124",
        "   note  concepts/Tide gauge.md  412 tokens",
        "2  tide  0.5000",
        "   concept  1 token",
    ]
    assert shown("rank", reply, COLUMNS_MIN)[:3] == [
        "1  Tide gauge  0.9124",
        "   concepts/Tide gauge.md",
        "   note  412 tokens",
    ]


paths = st.text("abc潮/", min_size=1, max_size=10)


@given(st.lists(st.tuples(words, paths), min_size=1, max_size=12), st.integers(COLUMNS_MIN, 90))
def test_ranked_symbols_are_no_wider_than_the_terminal(
    named: list[tuple[str, str]], columns: int
) -> None:
    rows = [symbol(name, "heading", f"memory://{file}.md", 0.5, 4_321) for name, file in named]
    lines = shown("rank", ranked(*rows, total=99), columns)
    assert [line for line in lines if width_of(line) > columns] == []
    text = "".join("".join(lines).split())
    assert all("".join(f"{file}.md".split()) in text for _, file in named)


def test_similar_concepts_are_a_table() -> None:
    rows = (
        search_replies.SimilarRow(
            name="storm-surge", display_name="Storm surge", similarity=0.81239, connected=True
        ),
        search_replies.SimilarRow(
            name="swell", display_name="swell", similarity=0.5, connected=False
        ),
    )
    assert shown("similar", alike(*rows), conceptName="surge") == [
        "Storm surge  0.812  share a note",
        "swell        0.500",
    ]


TRIGRAM = search_replies.SearchMetrics(tier="trigram", took_ms=1.0, candidates=1)
BY_MEANING = msgspec.structs.replace(
    DRIFT, legs={"semantic": search_replies.LegHit(rank=1, raw=0.5)}
)


@for_each_row(
    ("reply", "starts"),
    [
        (searched(DRIFT), []),
        (searched(DRIFT, fuzzy_correction=CORRECTION), ["answered for: storm (strom -> storm; "]),
        (searched(DRIFT, search_metrics=TRIGRAM), ["few notes contain these words"]),
        (searched(BY_MEANING, search_metrics=TRIGRAM), []),  # words were not matched
        (searched(DRIFT, degraded=("semantic: no model",)), ["degraded: semantic: no model"]),
        (searched(DRIFT, total=7, cursor="cX"), ["1 of 7, more with -n or --cursor cX"]),
        (
            searched(DRIFT, start=2, total=7, cursor="cX"),
            ["number 3 of 7, more with -n or --cursor cX"],
        ),
        (searched(), ["nothing in these notes speaks of clocks"]),
        (
            searched(suggestions=("Clock drift", "clocks"), fuzzy_correction=CORRECTION),
            ["nothing in these notes speaks of clocks; near: Clock drift, clocks"],
        ),
        (searched(DRIFT, answered="weak"), ["a weak answer: "]),
        (searched(total=7), []),  # a cursor past the end
    ],
)
def test_an_answer_has_remarks(reply: search_replies.SearchReply, starts: list[str]) -> None:
    lines = remarks("search", reply)
    assert len(lines) == len(starts)
    for remark, start in zip(lines, starts, strict=True):
        assert remark.startswith(start)


@pytest.mark.parametrize(
    ("asked", "remark"),
    [
        ({"filters": {"tags": ["a"]}}, "fewer filters"),
        ({"mode": "keyword"}, "--mode hybrid"),
        ({"fuzzy": False}, "--no-fuzzy"),
    ],
)
def test_the_remark_on_an_empty_answer_suggests_other_options(asked: Given, remark: str) -> None:
    assert remark in remarks("search", searched(), **asked)[0]
    assert remark not in remarks("search", searched())[0]


def test_a_remark_says_that_not_all_symbols_fit_the_budget() -> None:
    row = symbol("Tide gauge", "note", "memory://a.md", 0.9, 412)
    assert remarks("rank", ranked(row, total=1)) == []
    assert remarks("rank", ranked(row, total=9)) == [
        "1 of 9, 412 of 4000 tokens; more with a larger --budget"
    ]
    nothing = remarks("rank", ranked(total=0), searchMode="legacy")
    assert nothing == [
        "nothing found; try other words, or leaving --legacy out, or see `clew concepts`"
    ]


def test_the_remark_on_matching_is_left_out_in_legacy_mode() -> None:
    row = symbol("Tide gauge", "note", "memory://a.md", 0.9, 412)
    by_parts = msgspec.structs.replace(METRICS, tier="keyword")
    reply = ranked(row, total=1, search_metrics=by_parts)
    assert remarks("rank", reply)[0].startswith("no note contains these words")
    assert remarks("rank", reply, searchMode="legacy") == []


def test_a_remark_says_that_no_concept_is_similar() -> None:
    lines = remarks("similar", alike(degraded=("semantic: no model",)), conceptName="surge")
    assert lines[0].startswith("no concept name is close in meaning to 'surge'")
    assert lines[1] == "degraded: semantic: no model"


@for_each_row(
    ("since", "until", "words"),
    [
        ("1987-03-01", "1987-04-01", "March 1987"),
        ("1987-12-01", "1988-01-01", "December 1987"),
        ("1987-01-01", "1988-01-01", "1987"),
        ("1987-03-14", "1987-03-15", "1987-03-14"),
        ("2026-11-16", "2026-11-23", "2026-11-16 to 2026-11-22"),
        ("2026-11-16", None, "the time since 2026-11-16"),
        (None, "2026-11-16", "the time before 2026-11-16"),
    ],
)
def test_a_period_is_shown_in_few_words(since: str | None, until: str | None, words: str) -> None:
    period = search_replies.AskedPeriod(since=since, until=until)
    assert f"period: {words}" in remarks("search", searched(DRIFT, period=period))
    empty = search_replies.EmptyFilter(filter="period", value=f"{since or '..'}/{until or '..'}")
    told = remarks("search", searched(period=period, empty_filter=empty))
    assert told == [f"no note of {words}"]


@pytest.mark.parametrize(
    ("name", "value", "remark"),
    [
        ("folder", "nope", "no folder 'nope' with notes; give its path from the vault's folder on"),
        ("tag", "x", "no note with tag x; `clew tags` lists the tags"),
        ("period", "last week/today", "no note of the time from last week to before today"),
        ("all", "", "no note passes all filters, though each has notes"),
    ],
)
def test_a_filter_without_notes_is_told(name: str, value: str, remark: str) -> None:
    empty = search_replies.EmptyFilter(filter=name, value=value)
    assert remarks("search", searched(empty_filter=empty)) == [remark]
