"""How a query is split into plain text, phrases, exclusions and operators."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.query_language import ClauseKind, parse_query
from clew.text.terms import query_words
from tests.examples import examples
from tests.tables import for_each_row
from tests.text.test_linear import assert_linear

TABLE = Path(__file__).parents[1] / "data/queries.tsv"
ROWS = [line.split("\t") for line in TABLE.read_text("utf-8").splitlines()[1:]]


@for_each_row(("query", "plain", "clauses"), ROWS)
def test_queries_of_the_table(query: str, plain: str, clauses: str) -> None:
    parsed = parse_query(query)
    assert " ".join(parsed.plain.split()) == plain
    shown = [f"{'-' * each.is_excluded}{each.kind}={each.text}" for each in parsed.clauses]
    assert "; ".join(shown) == clauses


SYNTAX = re.compile(r'(?i:[-:\s"“”„‟«»〝〞〟＂]|tag|path|file|type)*')
PIECES = st.sampled_from(
    [
        *'-":“”＂«» \n(',
        "--",
        "tag:",
        "-path:",
        "file:",
        "type:",
        "foo:",
        "x",
        "5",
        "C++",
        "潮汐",
        "//",
    ]
)
QUERIES = st.text() | st.lists(PIECES, max_size=30).map("".join)


@examples(300)
@given(QUERIES)
def test_any_text_is_a_query_and_nothing_of_it_is_lost(query: str) -> None:
    parsed = parse_query(query)
    position = 0
    outside = []
    for start, end in parsed.plain_spans:
        assert position <= start < end
        outside.append(query[position:start])
        position = end
    read = "".join([*outside, query[position:]])
    for clause in parsed.clauses:
        syntax, text, read = read.partition(clause.text)
        assert text
        assert SYNTAX.fullmatch(syntax)
    assert SYNTAX.fullmatch(read)


@given(QUERIES)
def test_clauses_have_something_to_look_for(query: str) -> None:
    for clause in parse_query(query).clauses:
        assert clause.text == clause.text.strip() != ""
        if clause.kind in (ClauseKind.WORD, ClauseKind.PHRASE):
            assert query_words(clause.text)
        assert clause.is_excluded or clause.kind is not ClauseKind.WORD


@given(st.lists(st.sampled_from(["tide", "ebb", "C++", "a-b", "10:30", "foo:bar"])).map(" ".join))
def test_plain_words_stay_as_they_are(query: str) -> None:
    parsed = parse_query(query)
    assert (parsed.plain, parsed.clauses) == (query, ())


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["-w ", '"', '-"', 'tag:"', ' "a', "tag:x ", "-", 'a"', "« "])
def test_time_is_linear_in_the_query(piece: str) -> None:
    assert_linear(parse_query, piece, 200_000, "")
