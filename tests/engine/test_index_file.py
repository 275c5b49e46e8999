"""Indexes are stored and read back unchanged, whatever changed since they were stored last."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.engine.apply import Engine
from clew.engine.dump import dump
from clew.engine.embedding import vectors_of
from clew.engine.persist.index_file import read_indexes
from clew.engine.settings import ConceptSource, EngineSettings
from clew.index.structures.columns import file_pieces
from clew.values.vault import Batch
from clew.vault.settings.concept_rules import parse_concept_rules
from tests.encoders import FakeEncoder
from tests.examples import examples
from tests.stored import lists_of, read_back, stored
from tests.vaults import NOW_S, engine_of, read_note

SETTINGS = EngineSettings()
REFUSED = (ValueError, LookupError)
ODD = os.fsdecode(b"caf\xe9")  # a name that is not UTF-8

PATHS = ["a.md", "b.md", "x/a.md", "x/A b.md", f"{ODD}.md", f"x/{ODD}/c.md", "sequential/d.md"]
NAMES = ["a", "A", "x/a", "A b", "nick", "p.png", "caf\\xe9", "./a", "#h", ""]
OTHERS = ["p.png", "x/p.png", f"{ODD}.png", "x/b.md"]
RULES = [None, b'ignore = ["a"]', b'[merge]\nnick = ["a b", "other"]', b"not toml ["]

links = st.builds(
    str.format, st.sampled_from(["[[{}]]", "![[{}|x]]", "[t]({}.md)"]), st.sampled_from(NAMES)
)
front_matter = st.sampled_from(
    [
        *["", "aliases: [nick]\n", "pinned: true\n", 'up: "[[a]]"\ntags: [t]\n'],
        'aliases: ["\\U0001F600", "\\uD83D\\uDE00"]\ntitle: "\\uDC80"\n',
        "created: 2025-01-01\nmodified: 2025-06-01\n",
    ]
)
texts = st.builds(
    "---\n{}---\n# T\n{}\n#tag\n".format, front_matter, st.lists(links, max_size=5).map(" ".join)
)
notes = st.dictionaries(st.sampled_from(PATHS), texts)
vaults = st.builds(
    lambda saved, others, rules: Batch(
        put=tuple(read_note(path, text) for path, text in saved.items()),
        others_put=tuple(sorted(others)),
        rules=parse_concept_rules(rules),
        reads_s=dict.fromkeys(list(saved)[:2], NOW_S + 5.0),
    ),
    notes,
    st.sets(st.sampled_from(OTHERS)),
    st.sampled_from(RULES),
)
edits = st.builds(
    lambda saved, dropped, others, rules: Batch(
        put=tuple(read_note(path, text) for path, text in saved.items()),
        dropped=tuple(sorted(dropped - saved.keys())),
        others_put=tuple(sorted(others)),
        rules=parse_concept_rules(rules),
    ),
    notes,
    st.sets(st.sampled_from(PATHS)),
    st.sets(st.sampled_from(OTHERS)),
    st.sampled_from(RULES),
)


def engine_with(*batches: Batch) -> Engine:
    engine = Engine(SETTINGS)
    for batch in batches:
        engine.apply(batch)
    return engine


def assert_same(engine: Engine, other: Engine) -> None:
    """Check that two engines are equal, including state that the dump leaves out."""
    assert dump(engine.snapshot) == dump(other.snapshot)
    one, two = engine.indexes, other.indexes
    assert one.entries == two.entries
    assert one.concept_by_path == two.concept_by_path
    assert one.paths_by_concept == two.paths_by_concept
    assert lists_of(engine) == lists_of(other)
    assert one.names.files() == two.names.files()
    assert one.names.rules == two.names.rules
    for path in one.entries:
        assert one.names.names_of(path) == two.names.names_of(path)
        ids = one.graph.note_id(path), two.graph.note_id(path)
        assert None not in ids
        assert one.ages.get(ids[0] or 0) == two.ages.get(ids[1] or 0)


@pytest.mark.slow
@given(vault=vaults, edit=edits, later=edits)
@examples()
def test_an_engine_that_is_read_back_is_equal_and_stays_equal_after_edits(
    vault: Batch, edit: Batch, later: Batch
) -> None:
    engine = engine_with(vault, edit)
    back = read_back(stored(engine.indexes))
    assert_same(engine, back)
    for batch in (later, vault):
        engine.apply(batch)
        back.apply(batch)
        assert dump(engine.snapshot) == dump(back.snapshot)
        assert engine.indexes.concept_by_path == back.indexes.concept_by_path


@pytest.mark.slow
@given(vault=vaults, steps=st.lists(edits, max_size=4))
@examples()
def test_what_was_stored_before_is_copied_or_replaced(vault: Batch, steps: list[Batch]) -> None:
    """An engine that goes on with what it stored equals one that never stored anything."""
    engine, other = engine_with(vault), engine_with(vault)
    for batch in steps:
        engine.adopt(read_indexes(stored(engine.indexes), SETTINGS))
        engine.apply(batch)
        other.apply(batch)
        assert_same(engine, other)
    assert_same(read_back(stored(engine.indexes)), other)


@given(vault=vaults, edit=edits)
@examples()
def test_storing_what_was_stored_gives_the_same_bytes(vault: Batch, edit: Batch) -> None:
    file = stored(engine_with(vault, edit).indexes)
    assert stored(read_back(file).indexes) == file


@pytest.mark.parametrize("title", ['"\\uD83D\\uDE00"', '"\\uDC80"', '"\\U0001F600"'])
def test_any_character_of_front_matter_is_restored(title: str) -> None:
    engine = engine_of({"a.md": f"---\ntitle: {title}\naliases: [{title}]\n---\n[[x]]"})
    assert_same(engine, read_back(stored(engine.indexes)))


def test_links_that_name_no_concept_are_restored() -> None:
    few = EngineSettings(sources=frozenset({ConceptSource.LINKS}))
    engine = engine_of({"a.md": "[[b]] ![[b]] ![[c]]", "b.md": "![[b]]"}, settings=few)
    assert_same(engine, read_back(stored(engine.indexes), few))


def test_an_empty_vault_is_restored() -> None:
    assert_same(Engine(SETTINGS), read_back(stored(Engine(SETTINGS).indexes)))


def test_a_pinned_note_and_one_that_was_read_keep_their_weights() -> None:
    engine = engine_of({"a.md": "---\npinned: true\n---\n[[x]]", "b.md": "[[x]]", "c.md": "[[x]]"})
    engine.apply(Batch(reads_s={"b.md": NOW_S + 9e7}))
    back = read_back(stored(engine.indexes))
    graph, back_graph = engine.indexes.graph, back.indexes.graph
    before = engine.snapshot.decay(NOW_S + 1e8).tolist()
    after = back.snapshot.decay(NOW_S + 1e8).tolist()
    for path in ("a.md", "b.md", "c.md"):
        assert before[graph.note_id(path) or 0] == after[back_graph.note_id(path) or 0]
    assert len(set(before)) == 3


def embedded(engine: Engine) -> Engine:
    """Make vectors of all notes."""
    notes = [entry.note for entry in engine.indexes.entries.values()]
    engine.apply(Batch(vectors=vectors_of(FakeEncoder(), notes)))
    return engine


def test_dead_slots_of_a_vault_without_notes_are_restored_twice() -> None:
    engine = engine_of({"a.md": "text"})
    engine.apply(Batch(dropped=("a.md",)))
    back = read_back(stored(read_back(stored(engine.indexes)).indexes))
    assert_same(engine, back)
    assert len(back.indexes.passages.slots) == 2


# -- damaged files ------------------------------------------------------------------------------
# A file is used only if its checksum is right, so only what is refused at once matters here.


@given(junk=st.binary(max_size=200))
def test_random_bytes_are_refused(junk: bytes) -> None:
    with pytest.raises(REFUSED):
        read_back(memoryview(junk))


@given(share=st.floats(0, 1, exclude_max=True))
@examples(60)
def test_a_shorter_file_is_refused(share: float) -> None:
    file = stored(embedded(engine_of({"a.md": "[[b]] text", "b.md": "more"})).indexes)
    with pytest.raises(REFUSED):
        read_back(file[: int(share * len(file))])


def test_a_file_of_other_columns_is_refused() -> None:
    file = b"".join(file_pieces([("graph.paths.text.starts", [bytes(8)])]))
    with pytest.raises(REFUSED):
        read_back(memoryview(file))
