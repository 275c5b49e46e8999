"""Rendering of search, rank and similar replies, for terminals and for pipes."""

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.surface.cli.lines import COLUMNS_MIN, width_of, wrapped
from clew.values import search_replies
from tests.surface.made_replies import (
    CORRECTION,
    DRIFT,
    alike,
    ranked,
    searched,
    shown,
    symbol,
)


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


def test_a_property_that_is_shown_is_located_at_its_own_line() -> None:
    row = msgspec.structs.replace(DRIFT, line=3, snippet="source: Ann's clock")
    assert shown("search", searched(row))[1:] == [
        "   concepts/Clock drift.md:3",
        "   source: Ann's clock",
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


def test_a_note_that_no_leg_found_has_no_line_of_legs() -> None:
    lines = shown("search", searched(msgspec.structs.replace(DRIFT, legs={})), explain=True)
    assert lines[3] == "   confidence 0.91, has clocks"


def test_reasons_are_shown_with_explain() -> None:
    assert shown("search", searched(DRIFT), explain=True)[3:] == [
        "   found by keyword #1 (17.528), semantic #12 (0.602)",
        "   confidence 0.91, has clocks",
        "   additive 0.640 = semantic 0.301 + recency 0.189 + source 0.050 + keyword 0.100",
    ]


def test_a_confidence_is_never_shown_as_zero() -> None:
    row = msgspec.structs.replace(DRIFT, confidence=0.004)
    assert "   confidence below 0.01, has clocks" in shown("search", searched(row), explain=True)


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
