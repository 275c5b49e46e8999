"""Vectors of concept names: made once, dropped with the concept, equal to those of a rebuild."""

from hypothesis import given
from hypothesis import strategies as st

from clew.engine.apply import Engine
from clew.engine.dump import dump
from clew.engine.embedding import name_vectors
from clew.engine.settings import EngineSettings
from clew.values.vault import Batch
from clew.vault.settings.concept_rules import parse_concept_rules
from tests.examples import examples
from tests.fakes import LetterEncoder
from tests.stored import read_back, stored
from tests.vaults import engine_of, read_note

NAMES = ["tide", "edit", "Clock drift", "clock_drift", "a", "潮汐", "b"]
TEXTS = st.lists(st.sampled_from(NAMES), max_size=4).map(
    lambda names: " ".join(f"[[{name}]]" for name in names)
)
PATHS = st.sampled_from(["a.md", "b.md", "x/tide.md", "clock drift.md"])
RULES = st.sampled_from([b"", b'ignore = ["tide"]', b'[merge]\n"clock-drift" = ["a"]'])
EDITS = st.lists(
    st.one_of(
        st.builds(lambda path, text: Batch(put=(read_note(path, text),)), PATHS, TEXTS),
        st.builds(lambda path: Batch(dropped=(path,)), PATHS),
        st.builds(lambda rules: Batch(rules=parse_concept_rules(rules)), RULES),
        st.sampled_from(["embed", "come back"]),
    ),
    max_size=12,
)


def embed(engine: Engine, encoder: LetterEncoder) -> None:
    """Make the missing vectors."""
    graph = engine.indexes.graph
    missing = engine.indexes.name_vectors.unembedded(graph.concepts(), encoder.fingerprint)
    engine.apply(Batch(vectors=name_vectors(encoder, missing)))


def come_back(engine: Engine) -> Engine:
    return read_back(stored(engine.indexes))


def embedded(notes: dict[str, str], encoder: LetterEncoder) -> Engine:
    engine = engine_of(notes)
    embed(engine, encoder)
    return engine


@examples(150)
@given(EDITS)
def test_incremental_equals_rebuild(edits: list[Batch | str]) -> None:
    engine, encoder = Engine(EngineSettings()), LetterEncoder()
    for edit in edits:
        if edit == "embed":
            embed(engine, encoder)
        elif edit == "come back":
            engine = come_back(engine)
        elif isinstance(edit, Batch):
            engine.apply(edit)
        assert {name for name, _ in engine.indexes.name_vectors.items()} <= {
            *engine.indexes.graph.concepts()
        }
    embed(engine, encoder)
    rebuilt = Engine(EngineSettings())
    notes = tuple(engine.indexes.entries.values())
    rebuilt.apply(Batch(put=notes, rules=engine.indexes.names.rules))
    embed(rebuilt, encoder)
    assert dump(engine.snapshot) == dump(rebuilt.snapshot)
    assert dump(come_back(engine).snapshot) == dump(rebuilt.snapshot)
    found = dict(engine.indexes.name_vectors.items())
    assert found.keys() == {*engine.indexes.graph.concepts()}


def test_no_name_is_embedded_twice() -> None:
    encoder = LetterEncoder()
    engine = embedded({"a.md": "[[Clock drift]] [[tide]]"}, encoder)
    engine.apply(Batch(put=(read_note("b.md", "[[CLOCK-drift|shown]] [[sand]]"),)))
    embed(engine, encoder)
    engine = come_back(engine)
    embed(engine, encoder)
    assert encoder.encoded == ["clock drift", "tide", "sand"]


def test_a_vector_is_dropped_with_its_concept_and_made_again_with_it() -> None:
    encoder = LetterEncoder()
    engine = embedded({"a.md": "[[x]] [[y]]"}, encoder)
    engine.apply(Batch(put=(read_note("a.md", "[[y]]"),)))
    assert [name for name, _ in engine.indexes.name_vectors.items()] == ["y"]
    engine.apply(Batch(put=(read_note("a.md", "[[z]] [[x]]"),)))
    indexes = engine.indexes
    assert indexes.name_vectors.unembedded(indexes.graph.concepts(), "letters") == ["x", "z"]


def test_another_model_makes_all_vectors_again() -> None:
    engine = embedded({"a.md": "[[x]] [[y]]"}, LetterEncoder())
    other = LetterEncoder("other")
    embed(engine, other)
    assert sorted(other.encoded) == ["x", "y"]
    assert engine.indexes.name_vectors.model == "other"


def test_vectors_of_concepts_dropped_meanwhile_are_left_out() -> None:
    engine = engine_of({"a.md": "[[x]]"})
    engine.apply(Batch(vectors=name_vectors(LetterEncoder(), ["gone", "x"])))
    assert [name for name, _ in engine.indexes.name_vectors.items()] == ["x"]
