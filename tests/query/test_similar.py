"""Similar concepts: which, in which order, and whether they are connected."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.engine.apply import Engine
from clew.engine.embedding import name_vectors
from clew.query.search.similar import SIMILARITY_MIN, NameModel, similar
from clew.query.slices import finished
from clew.values.errors import InvalidParams
from clew.values.requests import Similar
from clew.values.search_replies import SimilarReply
from clew.values.vault import Batch
from tests.examples import examples
from tests.fakes import LetterEncoder
from tests.searches import encoder
from tests.vaults import engine_of, read_note

VAULT = {
    "a.md": "[[tide]] [[edit]] [[diet]]",
    "b.md": "[[tides]] [[sand]] [[潮汐]]",
    "c.md": "[[tide]]",
}


def embedded(notes: dict[str, str]) -> Engine:
    engine = engine_of(notes)
    concepts = sorted(engine.indexes.graph.concepts())
    engine.apply(Batch(vectors=name_vectors(LetterEncoder(), concepts)))
    return engine


def ask(
    engine: Engine, name: str, knows: Callable[[str], bool] = bool, **fields: object
) -> SimilarReply:
    snapshot = engine.snapshot
    request = Similar(concept_name=name, **fields)  # type: ignore[arg-type]
    model = NameModel(snapshot.name_vectors, knows)
    return finished(similar(snapshot, request, model, ()))


def test_similar_concepts_are_nearest_first_ties_by_name() -> None:
    reply = ask(embedded(VAULT), "tide")
    assert [row.name for row in reply.similar] == ["diet", "edit", "tides", "sand"]
    assert [row.similarity for row in reply.similar] == pytest.approx(
        [1.0, 1.0, 2 / 5**0.5, 0.25], abs=0.01
    )


def test_concepts_that_share_a_note_are_connected() -> None:
    rows = ask(embedded(VAULT), "tide").similar
    connected = {row.name for row in rows if row.connected}
    assert connected == {"diet", "edit"}


def test_names_less_similar_than_unrelated_ones_are_left_out() -> None:
    """One of 4 letters is one of 7 (a cosine of .189), or of 8 (.177)."""
    rows = ask(embedded({"a.md": "[[tide]] [[abcfghi]] [[abcfghij]]"}), "tide").similar
    assert [row.name for row in rows] == ["abcfghi"]
    assert rows[0].similarity >= SIMILARITY_MIN


def test_the_floor_separates_related_names_from_unrelated_ones() -> None:
    """By the model of the package."""
    related = ["tide", "sea level", "water level"]
    names = ["tide gauge", *related, "cake recipe", "income tax", "violin concerto"]
    engine = engine_of({"a.md": " ".join(f"[[{name}]]" for name in names)})
    concepts = sorted(engine.indexes.graph.concepts())
    engine.apply(Batch(vectors=name_vectors(encoder(), concepts)))
    found = {row.name for row in ask(engine, "tide gauge").similar}
    assert found == {name.replace(" ", "-") for name in related}


def test_names_of_words_that_the_model_does_not_know_share_most_of_them() -> None:
    """By the model of the package: "vue" is two wordpieces to it."""
    names = [
        "Vue",
        "Vue Router",
        "virtual machine",
        "React",
        "LSTM",
        "npm",
        "tokenization",
        "token",
    ]
    engine = engine_of({"a.md": " ".join(f"[[{name}]]" for name in names)})
    concepts = sorted(engine.indexes.graph.concepts())
    engine.apply(Batch(vectors=name_vectors(encoder(), concepts)))
    rows = {name: ask(engine, name, encoder().knows) for name in names}
    alike = {name: [row.display_name for row in reply.similar] for name, reply in rows.items()}
    assert alike["Vue"] == ["Vue Router"]
    assert alike["LSTM"] == []
    assert "token" in alike["tokenization"]
    assert "Vue" not in alike["virtual machine"]  # nor the reverse, at .38
    unknown = {name for name, reply in rows.items() if not reply.known_to_model}
    assert unknown == {"Vue", "LSTM", "npm"}


def test_a_name_is_read_like_the_text_of_a_link() -> None:
    engine = embedded({"Big Tide.md": "---\naliases: [BT]\n---\n", "a.md": "[[Big Tide]] [[tide]]"})
    for name in ("big_tide", "BT", "Big Tide"):
        assert [row.name for row in ask(engine, name).similar] == ["tide"]


@pytest.mark.parametrize("name", ["nothing", "潮汐", "[[", " "])
def test_a_concept_without_a_vector_has_no_similar_ones(name: str) -> None:
    reply = ask(embedded(VAULT), name)
    assert (reply.similar, reply.total, reply.cursor) == ((), 0, None)


def test_an_unknown_concept_has_suggestions_and_a_known_one_its_display_name() -> None:
    reply = ask(embedded(VAULT), "Tidess")
    assert (reply.similar, reply.unknown, reply.suggestions[0]) == ((), ("Tidess",), "tides")
    engine = embedded({"a.md": "[[Diet]] [[tide]]"})
    assert [row.display_name for row in ask(engine, "tide").similar] == ["Diet"]


def test_without_vectors_the_list_is_empty_and_the_reply_says_why() -> None:
    snapshot = embedded(VAULT).snapshot
    asked = Similar(concept_name="tide")
    reply = finished(similar(snapshot, asked, None, ("semantic: no model",)))
    assert (reply.similar, reply.degraded) == ((), ("semantic: no model",))


def test_pages_follow_one_another() -> None:
    engine = embedded(VAULT)
    first = ask(engine, "tide", limit=3)
    rest = ask(engine, "tide", limit=3, cursor=first.cursor)
    assert (first.total, rest.cursor) == (4, None)
    assert [*first.similar, *rest.similar] == [*ask(engine, "tide").similar]
    with pytest.raises(InvalidParams):
        ask(engine, "tide", cursor="x")


def test_the_bound_leaves_out_the_concept_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.query.search.similar.SIMILAR_MAX", 1)
    reply = ask(embedded({"a.md": "[[tide]] [[tides]] [[sand]]"}), "tide")
    assert [row.name for row in reply.similar] == ["tides"]


def test_similar_concepts_are_bounded_and_ties_cut_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.query.search.similar.SIMILAR_MAX", 2)
    engine = embedded({"a.md": "[[tide]] [[edit]] [[diet]] [[tied]]"})
    reply = ask(engine, "tide")
    assert [row.name for row in reply.similar] == ["diet", "edit"]
    assert reply.total == 2


WORDS = st.text("abc", min_size=1, max_size=4)


@examples(80)
@given(st.lists(WORDS, min_size=1, max_size=8), st.lists(WORDS, max_size=5))
def test_the_order_of_edits_does_not_matter(kept: list[str], gone: list[str]) -> None:
    text = " ".join(f"[[{name}]]" for name in kept)
    engine = embedded({"gone.md": " ".join(f"[[{name}]]" for name in gone)})
    engine.apply(Batch(dropped=("gone.md",)))
    engine.apply(Batch(put=(read_note("a.md", text),)))
    graph = engine.indexes.graph
    missing = engine.indexes.name_vectors.unembedded(graph.concepts(), "letters")
    engine.apply(Batch(vectors=name_vectors(LetterEncoder(), missing)))
    for name in kept:
        anew = ask(embedded({"a.md": text}), name)
        assert ask(engine, name).similar == anew.similar
        assert all(0 < row.similarity <= 1 for row in anew.similar)
