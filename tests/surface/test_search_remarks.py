"""Remarks on replies of search, rank and similar: what was understood, why nothing was found."""

import msgspec
import pytest
from msgspec import structs

from clew.surface.cli.remarks import OPERATORS
from clew.surface.cli.render_search import first_remarks
from clew.text.query_language import ClauseKind
from clew.values import search_replies
from tests.surface.made_replies import (
    CORRECTION,
    DRIFT,
    METRICS,
    Given,
    alike,
    ranked,
    remarks,
    searched,
    shown,
    symbol,
)
from tests.tables import for_each_row

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
        (searched(DRIFT, total=7, cursor="cX"), ["1 of 7, all with -n 7"]),
        (
            searched(DRIFT, total=1_001, cursor="cX"),
            ["1 of 1001, more with -n or --cursor cX"],
        ),
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


def test_a_remark_says_that_the_model_does_not_know_a_name() -> None:
    [line] = remarks("similar", alike(known_to_model=False), conceptName="LSTM")
    assert line.startswith("the model does not know the words of 'LSTM'")


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
    period = search_replies.AskedPeriod(since=since, until=until, only=False, matching=1)
    assert f"period: {words}" in remarks("search", searched(DRIFT, period=period))
    empty = search_replies.EmptyFilter(filter="period", value=f"{since or '..'}/{until or '..'}")
    told = remarks("search", searched(period=period, empty_filter=empty))
    assert told == [f"no note of {words}"]


def test_notes_of_other_times_are_said_to_be_so_before_they_are_listed() -> None:
    empty = search_replies.EmptyFilter(filter="period", value="1987-03-01/1987-04-01")
    result = msgspec.to_builtins(searched(DRIFT, empty_filter=empty))
    assert first_remarks(result) == ["no note of March 1987: these are of other times"]
    assert not any(
        "March" in each for each in remarks("search", searched(DRIFT, empty_filter=empty))
    )


@pytest.mark.parametrize(
    ("name", "value", "remark"),
    [
        ("folder", "nope", "no folder 'nope' with notes; give its path from the vault's folder on"),
        ("tag", "x", "no note with tag x; `clew tags` lists the tags"),
        ("type", "x", "no note of type 'x'; `clew recent` shows the types of notes"),
        ("period", "last week/today", "no note of the time from last week to before today"),
        ("file", "a; b", "no file name with 'a; b'"),
        ("folder", "a; b", "no folder 'a; b' with notes; give its path from the vault's folder on"),
        ("all", "", "no note passes all filters, though each has notes"),
    ],
)
def test_a_filter_without_notes_is_told(name: str, value: str, remark: str) -> None:
    empty = search_replies.EmptyFilter(filter=name, value=value)
    assert remarks("search", searched(empty_filter=empty)) == [remark]


def test_folders_with_names_like_an_unknown_one_are_told() -> None:
    empty = search_replies.EmptyFilter(filter="folder", value="plugin", suggestions=("plugins",))
    assert remarks("search", searched(empty_filter=empty)) == [
        "no folder 'plugin' with notes; close to it: plugins"
    ]


@for_each_row(
    ("query", "remark"),
    [
        ("is:orphan", "is: is no operator, so searched as words; there are tag: type: path: file:"),
        ("storm -has:image in:title", "has: in: are no operators, so searched as words"),
        ('block:"a b" block:c', "block: is no operator"),
        ("Tag:x type:y path:z -file:a", ""),
        ("storm tag:", "tag: has no value, so searched as a word"),
        ("https://x.y 10:30 std::vector a:b note: c: :d x :", ""),
        ("storm surge", ""),
        ("storm NOT surge", "NOT is no operator; put a minus before a word: -word"),
        (
            'a OR "half tide"',
            'OR is no operator: a note may lack any word, but must have each "phr',
        ),
        ("tag:a OR tag:b", "OR is no operator: a note may lack any word, but must have each "),
        ("line:(clock drift)", "line: is no operator, so searched as words"),
        ("a [type:decision] [x:y]", "[type:decision] is no operator, so searched as words"),
        ('["my status":"on hold"]', '["my status":"on hold"] is no operator'),
        ("a[i:j] [[x:y]] [a] [x:y](z) []", ""),
        ("NOT NULL", ""),
        ('error "file NOT found" "see is:orphan"', ""),
        ("storm or not surge, why NOT", ""),
    ],
)
def test_an_operator_that_there_is_not_is_said(query: str, remark: str) -> None:
    lines = remarks("search", searched(DRIFT), query=query)
    assert len(lines) == bool(remark)
    assert "".join(lines).startswith(remark)


def test_the_operators_are_those_of_the_query_language() -> None:
    assert {*OPERATORS} == {*ClauseKind} - {ClauseKind.WORD, ClauseKind.PHRASE}


@for_each_row(
    ("only", "matching", "told", "first"),
    [
        (True, 2, ["period: March 1987; notes of other times are left out"], []),
        (False, 2, ["period: March 1987"], []),
        (False, 1, ["period: March 1987; 1 of 2 are of it"], []),
        (False, 0, [], ["no note of March 1987 speaks of it: these are of other times"]),
    ],
)
def test_it_is_said_how_many_notes_are_of_the_period(
    matching: int, told: list[str], first: list[str], *, only: bool
) -> None:
    period = search_replies.AskedPeriod(
        since="1987-03-01", until="1987-04-01", only=only, matching=matching
    )
    rows = [
        structs.replace(DRIFT, day=f"1987-0{3 + number}-14", of_period=number < matching)
        for number in range(2)
    ]
    reply = searched(*rows, period=period)
    assert remarks("search", reply) == told
    assert first_remarks(msgspec.to_builtins(reply)) == first
    lines = "\n".join(shown("search", reply))
    assert lines.count("1987-0") == 2
    assert ("1987-04-14  of another time" in lines) == (matching == 1)


def test_a_season_is_said_to_be_no_period() -> None:
    (told,) = remarks("search", searched(DRIFT, undated=("last summer",)))
    assert told.startswith("last summer: no period, as seasons differ by place; name months, ")


def test_the_newest_notes_are_shown_with_their_days() -> None:
    newest = structs.replace(DRIFT, day="2025-03-14")
    assert "2025-03-14" in [line.strip() for line in shown("search", searched(newest))]
