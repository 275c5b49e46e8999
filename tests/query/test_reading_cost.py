"""What the reading of a query costs: no part of it is read twice, or in vain."""

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.query.search import query_terms as terms_of_queries
from clew.query.search import spelling
from clew.query.search.query_terms import query_terms
from clew.query.search.spelling import has_shape_of_slip, is_slip, no_word, runs_of, time_word_slips
from clew.text import terms
from clew.text.dates import intent
from clew.text.dates.time_words import TIME_WORDS
from clew.text.languages.languages import Languages
from clew.text.similarity.fuzzy import Correction, edit_distances
from tests.counted import counted
from tests.searches import SEARCH, ask, vault
from tests.vaults import CLOCK, snapshot_of


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


def test_a_text_of_a_query_is_cut_into_words_once_in_a_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stored = vault({"Moon.md": "# Moon\n\nThe Moon pulls the water of the harbour.\n"})
    calls = counted(monkeypatch, terms, "_query_tokens")
    assert ask(stored, "how strongly does the Moon pull", SEARCH).results
    assert calls
    assert len(calls) == len(set(calls))


def test_the_languages_of_a_snapshot_are_found_once() -> None:
    snapshot = snapshot_of({"a.md": "tide"})
    assert snapshot.languages is snapshot.languages


def test_only_words_like_words_for_times_are_looked_for_in_the_vault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    snapshot = snapshot_of({"a.md": "tide"})
    calls = counted(monkeypatch, spelling, "occurs")
    slips = time_word_slips(snapshot, "xylophones in febuary", no_word)
    assert [each.corrected for each in slips] == ["february"]
    assert [word for _, word in calls] == ["febuary"]


@given(st.sampled_from(TIME_WORDS), st.integers(0, 20), st.text("aeinrstz", max_size=2))
def test_every_slip_in_a_word_for_a_time_has_its_shape(word: str, at: int, typed: str) -> None:
    removed, exchanged = word[:at] + word[at + 1 :], word[:at] + word[at : at + 2][::-1]
    for slip in (removed, word[:at] + typed + word[at:], exchanged + word[at + 2 :]):
        for index, edits in edit_distances(slip, TIME_WORDS) if slip else ():
            if edits and is_slip(Correction(slip, TIME_WORDS[index], edits)):
                assert has_shape_of_slip(slip)
