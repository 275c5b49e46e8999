"""What the reading of a query costs: no part of it is read twice, or in vain."""

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.query.search import query_terms as terms_of_queries
from clew.query.search.query_terms import query_terms
from clew.query.search.spelling import runs_of
from clew.text.dates import intent
from clew.text.languages.languages import Languages
from tests.counted import counted
from tests.vaults import CLOCK


def test_a_query_is_cut_into_words_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, terms_of_queries, "query_words")
    query_terms("where does the Moon pull", Languages(("english",)))
    assert calls == [("where does the Moon pull",), ("Moon",)]


def test_a_query_without_words_for_dates_is_read_no_further(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = counted(monkeypatch, intent, "_QueryReading")
    assert intent.period_of("what pulls the tide", CLOCK.now_s, CLOCK.zone) is None
    assert not calls
    assert intent.period_of("latest notes", CLOCK.now_s, CLOCK.zone) is not None
    assert len(calls) == 1


@given(st.text(st.characters(max_codepoint=127)))
def test_runs_of_plain_text_are_those_of_letters_and_digits(text: str) -> None:
    assert runs_of(text) == ["".join(run) for _, run in groupby(text, str.isalnum)]
    assert runs_of(f"{text}-\u00e9") == [*runs_of(f"{text}-"), "\u00e9"]
