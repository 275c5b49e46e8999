"""Indexes are serialized into chunks and back unchanged; damaged chunks are refused or harmless."""

import os
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.engine.apply import Engine
from clew.engine.dump import dump
from clew.engine.embedding import vectors_of
from clew.engine.persist import index_chunks
from clew.engine.persist.index_chunks import load_chunk, serialize, unpack_chunk
from clew.engine.settings import ConceptSource, EngineSettings
from clew.values.vault import Batch
from clew.vault.rules import parse_rules
from tests.answers import found, setting_of
from tests.encoders import FakeEncoder
from tests.examples import examples
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
        rules=parse_rules(rules),
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
        rules=parse_rules(rules),
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


def deserialized(chunks: Sequence[bytes]) -> Engine:
    engine = Engine(SETTINGS)
    for chunk in chunks:
        load_chunk(engine.indexes, unpack_chunk(chunk))
    return engine


def assert_same(engine: Engine, other: Engine) -> None:
    """Check that two engines are equal, including state that the dump leaves out."""
    assert dump(engine.snapshot) == dump(other.snapshot)
    one, two = engine.indexes, other.indexes
    assert one.entries == two.entries
    assert one.concept_by_path == two.concept_by_path
    assert one.paths_by_concept == two.paths_by_concept
    assert one.names.files() == two.names.files()
    assert one.names.rules == two.names.rules
    for path in one.entries:
        assert one.names.names_of(path) == two.names.names_of(path)
        ids = one.graph.note_id(path), two.graph.note_id(path)
        assert None not in ids
        assert one.ages.get(ids[0] or 0) == two.ages.get(ids[1] or 0)


@given(vault=vaults, edit=edits, later=edits)
@examples()
def test_a_deserialized_engine_is_equal_and_stays_equal_after_edits(
    vault: Batch, edit: Batch, later: Batch
) -> None:
    engine = engine_with(vault, edit)
    back = deserialized(list(serialize(engine.indexes)))
    assert_same(engine, back)
    for batch in (later, vault):
        engine.apply(batch)
        back.apply(batch)
        assert dump(engine.snapshot) == dump(back.snapshot)
        assert engine.indexes.concept_by_path == back.indexes.concept_by_path


@given(vault=vaults)
@examples()
def test_serializing_a_loaded_engine_gives_the_same_bytes(vault: Batch) -> None:
    chunks = list(serialize(engine_with(vault).indexes))
    assert sorted(serialize(deserialized(chunks).indexes)) == sorted(chunks)


@pytest.mark.parametrize("title", ['"\\uD83D\\uDE00"', '"\\uDC80"', '"\\U0001F600"'])
def test_any_character_of_front_matter_is_restored(title: str) -> None:
    engine = engine_of({"a.md": f"---\ntitle: {title}\naliases: [{title}]\n---\n[[x]]"})
    assert_same(engine, deserialized(list(serialize(engine.indexes))))


def test_links_that_name_no_concept_are_restored() -> None:
    few = EngineSettings(sources=frozenset({ConceptSource.LINKS}))
    engine = engine_of({"a.md": "[[b]] ![[b]] ![[c]]", "b.md": "![[b]]"}, settings=few)
    back = Engine(few)
    for chunk in serialize(engine.indexes):
        load_chunk(back.indexes, unpack_chunk(chunk))
    assert_same(engine, back)


def test_an_empty_vault_is_restored() -> None:
    assert_same(Engine(SETTINGS), deserialized(list(serialize(Engine(SETTINGS).indexes))))


def test_a_pinned_note_and_one_that_was_read_keep_their_weights() -> None:
    engine = engine_of({"a.md": "---\npinned: true\n---\n[[x]]", "b.md": "[[x]]", "c.md": "[[x]]"})
    engine.apply(Batch(reads_s={"b.md": NOW_S + 9e7}))
    back = deserialized(list(serialize(engine.indexes)))
    graph, back_graph = engine.indexes.graph, back.indexes.graph
    before = engine.snapshot.weights(NOW_S + 1e8).tolist()
    after = back.snapshot.weights(NOW_S + 1e8).tolist()
    for path in ("a.md", "b.md", "c.md"):
        assert before[graph.note_id(path) or 0] == after[back_graph.note_id(path) or 0]
    assert len(set(before)) == 3


def test_chunks_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NOTES_A_CHUNK", "NAMES_A_CHUNK", "TARGETS_A_CHUNK"):
        monkeypatch.setattr(index_chunks, name, 3)
    monkeypatch.setattr(index_chunks, "COLUMN_BYTES_A_CHUNK", 40)
    saved = {f"{number}.md": f"[[{number}]] [[c{number}]]" for number in range(10)}
    engine = embedded(engine_of(saved, others=tuple(f"{number}.png" for number in range(7))))
    chunks = list(serialize(engine.indexes))
    sizes: dict[str, list[int]] = {}
    for chunk in map(unpack_chunk, chunks):
        if isinstance(chunk, index_chunks.Column):
            items: Sequence[object] = chunk.data
        elif isinstance(chunk, index_chunks.Vocabulary):
            items = chunk.words.split("\n")[:-1]
        else:
            items = next((x for x in map(chunk.__getattribute__, chunk.__struct_fields__)), ())
        if not isinstance(chunk, index_chunks.Rules | index_chunks.SearchColumnsEnd):
            sizes.setdefault(type(chunk).__name__, []).append(len(items))
    assert sizes["Notes"] == [3, 3, 3, 1]
    assert sizes["Files"] == [3, 3, 1]
    words = len(engine.indexes.passages.keyword.words)
    assert len(sizes["Vocabulary"]) == -(-words // 3)
    columns = sizes.pop("Column")
    assert max(columns) == 40
    assert len(columns) > 20 * 8 / 40
    assert {max(each) for each in sizes.values()} == {3}
    assert_same(engine, deserialized(chunks))


def embedded(engine: Engine) -> Engine:
    """Make vectors of all notes."""
    notes = [entry.note for entry in engine.indexes.entries.values()]
    engine.apply(Batch(vectors=vectors_of(FakeEncoder(), notes)))
    return engine


def test_dead_slots_of_a_vault_without_notes_are_restored_twice() -> None:
    engine = engine_of({"a.md": "text"})
    engine.apply(Batch(dropped=("a.md",)))
    back = deserialized(list(serialize(deserialized(list(serialize(engine.indexes))).indexes)))
    assert_same(engine, back)
    assert len(back.indexes.passages.slots) == 2


# -- damaged or foreign chunks ------------------------------------------------------------------


def chunks_with(vault: Batch, monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    with monkeypatch.context() as patch:
        for name in ("NOTES_A_CHUNK", "NAMES_A_CHUNK", "TARGETS_A_CHUNK"):
            patch.setattr(index_chunks, name, 2)
        return list(serialize(engine_with(vault).indexes))


@given(vault=vaults, other=vaults, data=st.data())
@examples(60)
def test_chunks_out_of_order_or_of_another_vault_are_refused_or_harmless(
    vault: Batch, other: Batch, data: st.DataObject
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        chunks = [*chunks_with(vault, patch), *chunks_with(other, patch)]
    taken = data.draw(st.lists(st.sampled_from(chunks), max_size=2 * len(chunks)))
    engine = Engine(SETTINGS)
    for chunk in taken:
        try:
            load_chunk(engine.indexes, unpack_chunk(chunk))
        except REFUSED:
            return


@given(vault=vaults, data=st.data())
@examples(60)
def test_damaged_chunks_are_refused_or_harmless(vault: Batch, data: st.DataObject) -> None:
    chunks = list(serialize(engine_with(vault).indexes))
    place = data.draw(st.integers(0, len(chunks) - 1))
    damaged = bytearray(chunks[place])
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    chunks[place] = bytes(damaged[: data.draw(st.integers(1, len(damaged)))])
    try:
        deserialized(chunks)
    except REFUSED:
        return


@given(junk=st.binary(max_size=200))
@example(b"\x01" + b"[" * 100_000)
def test_random_bytes_are_refused(junk: bytes) -> None:
    with pytest.raises(REFUSED):
        unpack_chunk(junk)


# -- search columns -----------------------------------------------------------------------------

PROSE = "\n\n".join(f"# Part {n}\n{'clock drifts slowly ' * 30}{n} \u6771\u4eac" for n in range(4))
SEARCHED = {"a.md": PROSE, "b.md": "[[a]] drift", "c.md": "", "d.md": f"more {PROSE}"}


def searched() -> list[index_chunks.Chunk]:
    """Return the chunks of an index with sorted postings, a tail, dead slots and some vectors."""
    engine = embedded(engine_of(SEARCHED))
    engine.compact()
    engine.apply(
        Batch(put=(read_note("b.md", "edited clocks"), read_note("e.md", PROSE)), dropped=("c.md",))
    )
    return list(map(unpack_chunk, serialize(engine.indexes)))


def read_chunks(chunks: Sequence[index_chunks.Chunk]) -> Engine:
    engine = Engine(SETTINGS)
    for chunk in chunks:
        load_chunk(engine.indexes, chunk)
    return engine


@pytest.mark.parametrize("shape", ["drop", "double", "cut", "lengthen", "exchange", "empty"])
@pytest.mark.parametrize("place", range(11))
def test_columns_that_do_not_fit_together_are_refused(shape: str, place: int) -> None:
    chunks = searched()
    columns = [n for n, chunk in enumerate(chunks) if isinstance(chunk, index_chunks.Column)]
    assert len(columns) == 11
    at = columns[place]
    column = chunks[at]
    assert isinstance(column, index_chunks.Column)
    other = next(
        c
        for c in chunks[columns[0] :]
        if isinstance(c, index_chunks.Column) and len(c.data) != len(column.data)
    )
    changed: dict[str, list[index_chunks.Chunk]] = {
        "drop": [],
        "double": [column, column],
        "cut": [replace(column, data=column.data[: -len(column.data) // 2])],
        "lengthen": [replace(column, data=column.data + bytes([1] * 8))],
        "exchange": [replace(column, data=other.data)],
        "empty": [replace(column, data=b"")],
    }
    with pytest.raises(REFUSED):
        read_chunks([*chunks[:at], *changed[shape], *chunks[at + 1 :]])


@given(data=st.data())
@examples(150)
def test_a_changed_column_is_refused_or_can_be_searched(data: st.DataObject) -> None:
    """A changed index that is accepted can be searched, edited, compacted and serialized."""
    chunks = searched()
    places = [
        n
        for n, c in enumerate(chunks)
        if isinstance(c, index_chunks.Column | index_chunks.Vocabulary)
    ]
    at = data.draw(st.sampled_from(places))
    chunk = chunks[at]
    name = "data" if isinstance(chunk, index_chunks.Column) else "term_ids"
    changed = bytearray(getattr(chunk, name))
    for _ in range(data.draw(st.integers(1, 3))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(
            st.sampled_from([0, 1, 2, 127, 128, 255])
        )
    chunks[at] = replace(chunk, **{name: bytes(changed)})
    try:
        engine = read_chunks(chunks)
    except REFUSED:
        return
    setting = setting_of(FakeEncoder())
    for _ in range(2):
        assert set(engine.indexes.entries) == {"a.md", "b.md", "d.md", "e.md"}
        spans = {
            path: span.stop - span.start for path, span in engine.indexes.passages.slots.items()
        }
        assert spans == {p: 1 + len(r.note.chunks) for p, r in engine.indexes.entries.items()}
        found(engine.snapshot, ["clock", "clok", "\u6771"], setting)
        dump(engine.snapshot)
        list(serialize(engine.indexes))
        engine.compact()
        engine.apply(Batch(put=(read_note("b.md", "once more"),)))


def test_a_repeated_chunk_of_words_is_refused() -> None:
    chunks = searched()
    at = next(n for n, chunk in enumerate(chunks) if isinstance(chunk, index_chunks.Vocabulary))
    with pytest.raises(REFUSED):
        read_chunks([*chunks[: at + 1], chunks[at], *chunks[at + 1 :]])


def test_search_columns_of_other_notes_are_refused() -> None:
    """Combine the notes of one revision with the columns of another."""
    engine = embedded(engine_of({"a.md": PROSE, "b.md": "x"}))
    ours = list(map(unpack_chunk, serialize(engine.indexes)))
    theirs = list(
        map(unpack_chunk, serialize(embedded(engine_of({"a.md": "x", "b.md": PROSE})).indexes))
    )
    kinds = (index_chunks.Vocabulary, index_chunks.Column, index_chunks.SearchColumnsEnd)
    mixed = [c for c in ours if not isinstance(c, kinds)] + [
        c for c in theirs if isinstance(c, kinds)
    ]
    with pytest.raises(REFUSED):
        read_chunks(mixed)
