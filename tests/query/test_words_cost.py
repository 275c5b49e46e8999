"""What the words of a query cost: nothing is counted twice, and no step is long."""

import numpy as np
import pytest

from clew.engine.derived import layout as layouts
from clew.engine.derived.layout import Layout
from clew.query.search.legs import word_scores
from clew.query.search.legs.keyword import keyword_hits
from clew.query.search.legs.word_scores import WordScores, score_words
from clew.query.search.matching import word_ids_by_term
from clew.query.slices import finished
from tests.counted import counted
from tests.vaults import snapshot_of

LONG = "filler " * 300  # words: two chunks
SNAPSHOT = snapshot_of(
    {
        f"tide {n}.md": f"# tide gauge {n}\n\nmoon pulls\n\n{LONG}\n\n## ebb\n\nflood {n} {LONG}"
        for n in range(30)
    }
)
WORDS = ["tide", "gaug", "moon", "pull", "ebb", "flood"]


def scores_of(words: list[str]) -> WordScores:
    return finished(score_words(SNAPSHOT, word_ids_by_term(SNAPSHOT, words)))


def test_all_terms_are_scored_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, word_scores, "saturation")
    scores_of(WORDS[:2])
    of_two = len(calls)
    scores_of(WORDS)
    assert len(calls) == 2 * of_two


def test_frequent_words_are_scored_in_small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = scores_of(WORDS)
    monkeypatch.setattr(word_scores, "GROUP_POSTINGS_MAX", 1)
    calls = counted(monkeypatch, word_scores, "saturation")
    in_steps = scores_of(WORDS)
    assert max(len(values) for values, *_ in calls) == max(len(t.slots) for t in at_once.terms)
    hits, same = (finished(keyword_hits(SNAPSHOT, each, None)) for each in (at_once, in_steps))
    assert same.scores.tolist() == hits.scores.tolist()
    assert in_steps.own.scores.tolist() == at_once.own.scores.tolist()
    assert in_steps.of_notes.tolist() == at_once.of_notes.tolist()
    assert in_steps.head_bounds.tolist() == at_once.head_bounds.tolist()


def test_words_in_the_parts_of_notes_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though both the best notes and their best passages depend on them."""
    scores = scores_of(WORDS)
    calls = counted(monkeypatch, word_scores, "_scores_of_parts")
    assert len(finished(keyword_hits(SNAPSHOT, scores, None)).note_ids) == 30
    assert len(calls) == 1


def test_what_heads_add_is_only_computed_for_terms_that_a_head_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scores = scores_of(WORDS)
    calls = counted(monkeypatch, word_scores, "saturation")
    finished(keyword_hits(SNAPSHOT, scores, None))
    in_heads, others = 3, 3  # "tide", "gauge" and "ebb", and the words of the text
    assert len(calls) == 2 * in_heads + others


def test_chunks_of_any_length_have_the_same_norm(monkeypatch: pytest.MonkeyPatch) -> None:
    slots = np.arange(len(SNAPSHOT.passages.slots))
    norms = Layout(SNAPSHOT.passages, SNAPSHOT.graph).chunk_norms(slots)
    monkeypatch.setattr(layouts, "LENGTHS_KEPT", 2)  # shorter than all chunks
    without_table = Layout(SNAPSHOT.passages, SNAPSHOT.graph).chunk_norms(slots)
    assert without_table.tolist() == norms.tolist()
    assert np.isinf(norms).sum() == 30  # the heads
    shortest = int(SNAPSHOT.passages.keyword.lengths[norms < np.inf].min())
    assert shortest >= 2
