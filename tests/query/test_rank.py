"""Symbols by relevance and importance, as many as fit a budget."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.engine.snapshot import Snapshot
from clew.index.formulas.bm25 import inverse_frequency, length_norm, saturation
from clew.query.notes.read import read
from clew.query.references.locate import locate_concept, notes_named
from clew.text.terms import count_words
from clew.text.tokens import count_tokens
from clew.text.uri import to_uri
from clew.values.errors import InvalidParams
from clew.values.requests import Read
from clew.values.vault import Batch
from tests.examples import examples
from tests.rankings import VAULT, ranked, shown
from tests.spelling import searched_words
from tests.tables import for_each_row
from tests.vaults import engine_of, read_note, snapshot_of

STRATEGIES = ("combined", "dependency", "importance")
MODES = ("fts", "legacy")


def line(row: Any) -> str:
    return f"- {row.name} ({row.kind})" + (f" {row.symbol_id}" if row.file else "") + "\n"


# -- symbols ------------------------------------------------------------------------------------


def test_notes_headings_and_concepts_have_ids_files_and_lines() -> None:
    reply = ranked(snapshot_of(VAULT), "clock drift")
    found = {(row.kind, row.name): (row.symbol_id, row.file, row.lines) for row in reply.results}
    own = "memory://Clock%20drift.md"
    residual = "memory://Residual.md"
    assert found["note", "Clock drift"] == (own, own, (1, 4))
    assert found["heading", "What holds a clock still"] == (f"{own}#L4-L4", own, (4, 4))
    assert found["heading", "The clock again"] == (f"{residual}#L3-L4", residual, (3, 4))
    assert ("heading", "Weather") not in found


@for_each_row("strategy", STRATEGIES)
@for_each_row("mode", MODES)
def test_a_note_and_the_concept_that_it_is_are_one_row(strategy: str, mode: str) -> None:
    reply = ranked(snapshot_of(VAULT), "clock drift", strategy=strategy, search_mode=mode)
    assert [kind for kind, name in shown(reply) if name == "Clock drift"] == ["note"]
    assert reply.results[0].name == "Clock drift"


def test_a_note_has_the_relevance_of_its_concept_if_that_is_higher() -> None:
    """Here the name of the concept is that of a merge, which no text has."""
    snapshot = snapshot_of({"a.md": "", "b.md": "[[a]]"}, rules='[merge]\n"zephyr" = ["a"]\n')
    (row,) = ranked(snapshot, "zephyr").results
    assert (row.symbol_id, row.kind, row.relevance_score) == ("memory://a.md", "note", 1.0)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_note_with_the_name_that_the_query_is_comes_first(strategy: str) -> None:
    links = {f"{n}.md": "[[Tide tables]] [[Tide]]" for n in range(9)}
    notes = {"Tide.md": "The tide.", "Tide tables.md": "# Tide\ntide tide tide", "x.md": "[[T]]"}
    aliased = {"Old.md": "---\naliases: [tide again]\n---\ntide again"}
    snapshot = snapshot_of(links | notes | aliased)
    assert ranked(snapshot, "tide", strategy=strategy).results[0].symbol_id == "memory://Tide.md"
    first = ranked(snapshot, "Tide again", strategy=strategy).results[:1]
    assert strategy == "dependency" or first[0].symbol_id == "memory://Old.md"


def test_a_heading_that_repeats_the_title_is_no_symbol() -> None:
    text = "# Twin peaks\n\n## Twin\n\n# TWIN PEAKS\n"
    reply = ranked(snapshot_of({"Twin peaks.md": text}), "twin peaks")
    assert sorted(shown(reply)) == [
        ("heading", "TWIN PEAKS"),
        ("heading", "Twin"),
        ("note", "Twin peaks"),
    ]


def test_a_concept_is_found_by_its_name_where_no_text_has_it() -> None:
    engine = engine_of({"a.md": "[[storm_surge|waves]]", "b.md": "a stork"})
    reply = ranked(engine.snapshot, "storm surge")
    assert [(row.symbol_id, row.file) for row in reply.results] == [("concept://storm-surge", None)]
    assert reply.fuzzy_correction is None
    engine.apply(Batch(dropped=("a.md",)))
    assert shown(ranked(engine.snapshot, "storm surge")) == [("note", "b")]


@pytest.mark.parametrize("mode", MODES)
def test_a_misspelt_word_is_corrected(mode: str) -> None:
    reply = ranked(snapshot_of(VAULT), "resijual", search_mode=mode)
    assert ("note", "Residual") in shown(reply)
    assert reply.search_metrics.tier == "fuzzy"
    assert reply.fuzzy_correction is not None
    assert reply.fuzzy_correction.to == "residual"
    assert not ranked(snapshot_of(VAULT), "resijual", search_mode=mode, fuzzy=False).results


@pytest.mark.parametrize("mode", MODES)
def test_a_word_of_some_name_is_never_corrected(mode: str) -> None:
    """This holds even if no text contains it and texts contain similar words."""
    notes = {
        "a.md": "[[zebrafish|fish]] zebrafist",
        "b.md": "## [[Lugger|boat]]\nbugger",
        "Clock.md": "",
    }
    snapshot = snapshot_of(notes)
    reply = ranked(snapshot, "zebrafish clok", search_mode=mode)
    assert reply.fuzzy_correction is not None
    assert reply.fuzzy_correction.to == "zebrafish clock"
    ids = {row.symbol_id for row in reply.results}
    assert {"concept://zebrafish", "memory://Clock.md"} <= ids
    reply = ranked(snapshot, "zebrafishes lugger", search_mode=mode)
    assert reply.fuzzy_correction is None


@pytest.mark.parametrize(
    ("query", "mode", "is_needed"),
    [("residual", "legacy", False), ("residaul", "legacy", True), ("residaul", "fts", True)],
)
def test_the_vocabulary_is_searched_for_unknown_words_only(
    query: str, mode: Any, is_needed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched = searched_words(monkeypatch)
    ranked(snapshot_of(VAULT), query, search_mode=mode)
    assert bool(searched) is is_needed


@pytest.mark.parametrize("query", ["", "  ", "of the"])
def test_a_query_without_a_word_is_an_error(query: str) -> None:
    with pytest.raises(InvalidParams):
        ranked(snapshot_of(VAULT), query)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_query_that_matches_nothing_has_an_empty_reply(strategy: str) -> None:
    reply = ranked(snapshot_of(VAULT), "zzzyx", strategy=strategy)
    assert (reply.results, reply.total_tokens, reply.meta.total_items) == ((), 0, 0)


def test_an_empty_vault_has_no_symbols() -> None:
    for strategy in STRATEGIES:
        assert ranked(snapshot_of({}), "clock", strategy=strategy).results == ()


# -- scores -------------------------------------------------------------------------------------


def test_combined_is_relevance_times_importance() -> None:
    for row in ranked(snapshot_of(VAULT), "clock drift").results:
        product = row.relevance_score * row.importance_score
        assert row.combined_score == pytest.approx(product, abs=2e-6)


def test_a_heading_is_as_important_as_its_note() -> None:
    rows = ranked(snapshot_of(VAULT), "clock").results
    notes = {row.symbol_id: row.importance_score for row in rows if row.kind == "note"}
    headings = [row for row in rows if row.kind == "heading"]
    assert len(headings) == 2
    assert all(row.importance_score == notes[row.file or ""] for row in headings)


def test_importance_changes_with_the_links() -> None:
    engine = engine_of(VAULT)
    before = ranked(engine.snapshot, "sand").results
    engine.apply(Batch(put=tuple(read_note(f"{n}.md", "[[Sand]]") for n in range(9))))
    after = ranked(engine.snapshot, "sand").results
    assert after[0].importance_score == 1.0 > before[0].importance_score


def test_strategy_importance_orders_matches_by_importance() -> None:
    snapshot = snapshot_of(VAULT)
    reply = ranked(snapshot, "clock", strategy="importance")
    assert [row.combined_score for row in reply.results] == [
        row.importance_score for row in reply.results
    ]
    assert {*shown(reply)} == {*shown(ranked(snapshot, "clock"))}
    assert shown(reply)[2] == ("note", "Clock drift")
    assert shown(reply)[-1] == ("note", "Sand")


def test_dependency_finds_notes_and_headings_that_link_to_named_concepts() -> None:
    reply = ranked(snapshot_of(VAULT), "clock drift", strategy="dependency")
    found = {*shown(reply)}
    assert {("note", "Residual"), ("note", "Site visit"), ("concept", "Wind")} < found
    assert {("heading", "The clock again"), ("heading", "Before")} < found
    assert not {("note", "Sand"), ("heading", "Weather")} & found


def test_dependency_starts_at_the_best_matches_if_nothing_is_named() -> None:
    snapshot = snapshot_of({"a.md": "sand [[B]]", "b.md": "", "c.md": "[[D]]", "e.md": "sand"})
    reply = ranked(snapshot, "grains of sand", strategy="dependency")
    assert sorted(shown(reply)) == [("note", "a"), ("note", "b")]


@pytest.mark.parametrize(
    "notes",
    [
        {"dune sand grain.md": "[[B]]", "dry sand.md": "[[D]]", "b.md": "", "d.md": ""},
        {"b.md": "[[dune sand grain]]", "d.md": "[[dry sand]]"},
        {"b.md": "[[dune sand grain]]", "d.md": "[[dry sand]]", "dry sand.md": ""},
    ],
    ids=["notes", "concepts", "a note that is a concept"],
)
def test_dependency_weighs_the_best_matches_by_the_square_of_their_relevance(
    notes: dict[str, str],
) -> None:
    snapshot, query = snapshot_of(notes), "dune sand"
    reply = ranked(snapshot, query, search_mode="legacy")
    names = {row.name: row.relevance_score for row in reply.results}
    assert (names["dune sand grain"], names["dry sand"]) == (0.7, 0.4)
    reply = ranked(snapshot, query, search_mode="legacy", strategy="dependency")
    found = {row.name: row.relevance_score for row in reply.results if row.kind == "note"}
    assert found["d"] / found["b"] == pytest.approx((0.4 / 0.7) ** 2, rel=1e-3)


@pytest.mark.parametrize(
    ("query", "relevance"),
    [("clock drift", 1.0), ("CLOCK-DRIFT", 1.0), ("ock dri", 0.7), ("a drift apart", 0.4)],
)
def test_the_legacy_matcher_compares_names(query: str, relevance: float) -> None:
    reply = ranked(snapshot_of(VAULT), query, search_mode="legacy")
    (row,) = (row for row in reply.results if row.name == "Clock drift")
    assert row.relevance_score == relevance
    blend = 0.6 * relevance + 0.4 * row.importance_score
    assert row.combined_score == pytest.approx(blend, abs=2e-6)


def test_a_name_equal_to_the_query_has_relevance_one() -> None:
    reply = ranked(snapshot_of(VAULT), "clock drift")
    scores = {(row.kind, row.name): row.relevance_score for row in reply.results}
    assert scores["note", "Clock drift"] == 1.0
    assert 0 < scores["heading", "The clock again"] < 1


WORDS = ["clock", "drift", "tide", "wind"]
HEADINGS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join))


@examples(60)
@given(HEADINGS, st.lists(st.sampled_from(WORDS), min_size=1, unique=True))
def test_a_heading_is_as_relevant_as_bm25_says(headings: list[str], words: list[str]) -> None:
    text = "# Title\n" + "".join(f"\n## {heading}\n" for heading in headings)
    snapshot = snapshot_of({"a.md": text})
    reply = ranked(snapshot, " ".join(words), token_budget=100_000)
    said = [count_words(heading) for heading in headings]
    asked = [word for word in words if any(word in each for each in said)]
    mean = sum(sum(each.values()) for each in said) / max(1, len(said))
    expected = []
    for each in said:
        score = whole = 0.0
        for word in asked:
            weight = inverse_frequency(len(said), sum(word in other for other in said))
            score += weight * bm25(each[word], sum(each.values()), mean) if each[word] else 0.0
            whole += weight * bm25(1, len(asked), mean)
        expected.append(round(min(1.0, score / whole), 6) if score else 0.0)
    found = {row.lines: row.relevance_score for row in reply.results if row.kind == "heading"}
    lines = [3 + 2 * place for place in range(len(headings))]
    assert [found.get((at, at), 0.0) for at in lines] == pytest.approx(expected, abs=2e-6)


def bm25(count: int, length: int, mean: float) -> float:
    return float(
        saturation(np.array([float(count)]), length_norm(np.array([float(length)]), mean))[0]
    )


# -- the budget ---------------------------------------------------------------------------------

ODD = st.sampled_from(["clock", "Clock 潮汐", "clock -", "clock/", "- clock", "/clock", "clock\\"])
NAMES = st.sampled_from(["a", "b c", "潮", "x/y", "clock"])


@st.composite
def vaults(draw: st.DrawFn) -> dict[str, str]:
    notes = {}
    for name in draw(st.sets(NAMES, max_size=4)):
        title = draw(st.sampled_from(["", 'title: "clock\\nof ages"', "title: The clock"]))
        headings = draw(st.lists(ODD, max_size=3))
        links = draw(st.lists(st.sampled_from(["[[a]]", "[[Clock tower]]", "[[b c|clock]]"])))
        body = "".join(f"\n## {heading}\n" for heading in headings)
        notes[f"{name}.md"] = f"---\n{title}\n---\nA clock. {' '.join(links)}\n{body}"
    return notes


@examples(150)
@given(
    vaults(),
    st.sampled_from(["clock", "a clock", "tower"]),
    st.sampled_from(STRATEGIES),
    st.sampled_from(MODES),
    st.sampled_from([100, 101, 120, 4_000]),
)
def test_replies_keep_their_promises(
    notes: dict[str, str], query: str, strategy: str, mode: str, budget: int
) -> None:
    """The texts of all rows, and the text of a map, never have more tokens than the budget."""
    snapshot = snapshot_of(notes)
    asked: dict[str, Any] = {"strategy": strategy, "search_mode": mode, "token_budget": budget}
    reply = ranked(snapshot, query, **asked)
    for row in reply.results:
        assert row.tokens == count_tokens(text_of(snapshot, row))
    assert sum(row.tokens for row in reply.results) == reply.total_tokens <= budget
    named = {to_uri(path) for path in notes_named(snapshot, query)}
    keys = [
        (r.symbol_id not in named, -r.combined_score, r.kind, r.name, r.symbol_id)
        for r in reply.results
    ]
    assert keys == sorted(keys)
    assert len({row.symbol_id for row in reply.results}) == len(keys)
    drawn = ranked(snapshot, query, format="map", **asked)
    assert isinstance(drawn.text, str)
    assert count_tokens(drawn.text) == drawn.total_tokens <= budget
    assert len(drawn.text.splitlines()) == drawn.meta.returned_items
    if not reply.meta.truncated and not drawn.meta.truncated:
        assert drawn.text == "".join(map(line, reply.results))
    for row in reply.results:
        scores = (row.relevance_score, row.importance_score, row.combined_score)
        assert all(0 <= score <= 1 for score in scores)
    assert reply.meta.truncated == (reply.meta.returned_items < reply.meta.total_items)


def text_of(snapshot: Snapshot, row: Any) -> str:
    """Return the text that a client gets for a row; ``read`` takes its id."""
    if row.kind == "concept":
        assert locate_concept(snapshot, row.symbol_id) is not None
        return str(row.name)
    reply = read(snapshot, Read(uri=row.symbol_id))
    assert (reply.lines, reply.uri) == (row.lines, row.file)
    return reply.content


# -- history ------------------------------------------------------------------------------------


@examples(60)
@given(vaults(), vaults(), st.randoms(use_true_random=False), st.sampled_from(STRATEGIES))
def test_the_order_of_edits_does_not_matter(
    before: dict[str, str], notes: dict[str, str], random: Any, strategy: str
) -> None:
    """Names that notes had before do not matter either."""
    engine = engine_of(before)
    ranked(engine.snapshot, "clock", strategy=strategy)
    engine.apply(Batch(dropped=tuple(before.keys() - notes.keys())))
    shuffled = list(notes.items())
    random.shuffle(shuffled)
    for path, text in shuffled:
        engine.apply(Batch(put=(read_note(path, text),)))
        ranked(engine.snapshot, "clock")
    for query, mode in (("clock", "fts"), ("clock tower", "fts"), ("a clock", "legacy")):
        asked: dict[str, Any] = {"strategy": strategy, "search_mode": mode}
        after = ranked(engine.snapshot, query, **asked)
        anew = ranked(snapshot_of(notes), query, **asked)
        assert after.results == anew.results
        assert after.fuzzy_correction == anew.fuzzy_correction
