"""The importance of notes and concepts: when it is computed, kept, stored and used."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.engine.apply import Engine
from clew.engine.derived import derived_values, importance
from clew.engine.persist.index_file import read_indexes
from clew.index.formulas.pagerank import Links
from clew.values.arrays import Float64Array
from clew.values.vault import Batch
from tests.examples import examples
from tests.rankings import ranked
from tests.stored import read_back, stored
from tests.vaults import engine_of, read_note

NOTES = {"a.md": "[[x]] [[b]]", "b.md": "[[x]]", "c.md": "[[b]]"}


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat any vault as a large one."""
    monkeypatch.setattr(importance, "LINKS_AT_ONCE", 0)


@pytest.fixture
def weighed(monkeypatch: pytest.MonkeyPatch) -> list[Links]:
    """Return the links whose importance was computed."""
    computed, compute = [], derived_values.importance_of

    def counted(links: Links) -> Float64Array:
        computed.append(links)
        return compute(links)

    monkeypatch.setattr(derived_values, "importance_of", counted)
    return computed


def put(engine: Engine, path: str, text: str) -> None:
    engine.apply(Batch(put=(read_note(path, text),)))


PATHS = st.sampled_from(["a.md", "b.md", "x/a.md"])
TEXTS = st.lists(st.sampled_from(["[[a]]", "[[b]]", "[[x]]", "prose"]), max_size=3).map(" ".join)


@examples(100)
@given(st.lists(st.tuples(PATHS, st.none() | TEXTS), max_size=8))
def test_links_that_changed_are_counted(edits: list[tuple[str, str | None]]) -> None:
    """Otherwise an importance would be taken for that of other links."""
    engine = engine_of({})
    for path, text in edits:
        before, count = engine.snapshot, engine.indexes.graph.link_changes
        if text is None:
            engine.apply(Batch(dropped=(path,) if path in engine.indexes.entries else ()))
        else:
            put(engine, path, text)
        if engine.indexes.graph.link_changes == count:
            one, other = (
                snapshot.derived.nodes.links(snapshot.graph)
                for snapshot in (before, engine.snapshot)
            )
            assert one.is_node.tolist() == other.is_node.tolist()
            assert one.lengths.tolist() == other.lengths.tolist()
            assert sorted(one.targets.tolist()) == sorted(other.targets.tolist())


def test_a_small_vault_has_the_importance_of_its_present_links(weighed: list[Links]) -> None:
    engine = engine_of(NOTES)
    assert ranked(engine.snapshot, "b").importance_revision == 1
    put(engine, "a.md", "Prose of [[x]] and [[b]]")
    assert ranked(engine.snapshot, "b").importance_revision == 2
    assert len(weighed) == 1
    put(engine, "a.md", "[[x]] [[new]]")
    assert ranked(engine.snapshot, "b").importance_revision == 3
    assert len(weighed) == 2


@pytest.mark.usefixtures("large")
def test_a_large_vault_has_an_earlier_importance_until_the_present_one_is_computed() -> None:
    engine = engine_of(NOTES)
    before = {row.symbol_id: row.importance_score for row in ranked(engine.snapshot, "b").results}
    put(engine, "new.md", "# new b\n[[c]] [[b]] [[newer b]]")
    reply = ranked(engine.snapshot, "b")
    assert (reply.importance_revision, reply.revision) == (1, 2)
    scores = {row.symbol_id: row.importance_score for row in reply.results}
    assert {key: scores[key] for key in before} == before
    lowest = round(float(engine.snapshot.derived.importance.by_note.min()), 6)
    assert scores["memory://new.md"] == scores["concept://newer-b"] == lowest > 0
    engine.snapshot.derived.weigh_nodes()
    reply = ranked(engine.snapshot, "b")
    assert reply.importance_revision == 2
    rebuilt = Engine(engine.settings)
    rebuilt.apply(Batch(put=tuple(engine.indexes.entries.values())))
    assert reply.results == ranked(rebuilt.snapshot, "b").results


@pytest.mark.usefixtures("large")
def test_the_importance_of_a_large_vault_is_stored(weighed: list[Links]) -> None:
    engine = engine_of(NOTES)
    engine.weigh_nodes()
    file = stored(engine.indexes)
    back = read_back(file)
    assert stored(back.indexes) == file
    assert ranked(back.snapshot, "b").results == ranked(engine.snapshot, "b").results
    assert ranked(back.snapshot, "b").importance_revision == back.revision
    put(back, "a.md", "[[x]] [[new]]")
    assert ranked(back.snapshot, "b").importance_revision == 0
    assert len(weighed) == 1


@pytest.mark.usefixtures("large")
def test_nothing_is_computed_again_for_a_second_file_of_the_same_links(
    weighed: list[Links],
) -> None:
    engine = engine_of(NOTES)
    for text in ("[[x]] [[b]]", "prose [[x]] [[b]]"):
        put(engine, "a.md", text)
        engine.weigh_nodes()
        engine.adopt(read_indexes(stored(engine.indexes), engine.settings))
    assert len(weighed) == 1


def test_the_importance_of_a_small_vault_is_not_stored() -> None:
    engine = engine_of(NOTES)
    engine.weigh_nodes()
    assert engine.indexes.importance is None


@pytest.mark.usefixtures("large")
def test_an_engine_that_follows_another_knows_the_revision_of_its_importance() -> None:
    engine, other = engine_of(NOTES), engine_of({})
    engine.weigh_nodes()
    back = read_back(stored(engine.indexes))
    back.continue_from(other, is_new=True)
    put(back, "a.md", "[[x]] [[new]]")
    reply = ranked(back.snapshot, "b")
    assert (reply.importance_revision, reply.revision) == (2, 3)


@pytest.mark.usefixtures("large")
def test_compaction_drops_an_importance_by_old_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.engine.indexes._DEAD_NOTES_MIN", 0)
    engine = engine_of({"first.md": "[[a]]", "second.md": "[[c]]", **NOTES})
    engine.weigh_nodes()
    engine.apply(Batch(dropped=("first.md", "second.md", "a.md")))
    engine.compact()
    assert engine.indexes.importance is None
    rebuilt = Engine(engine.settings)
    rebuilt.apply(Batch(put=tuple(engine.indexes.entries.values())))
    assert ranked(engine.snapshot, "b").results == ranked(rebuilt.snapshot, "b").results


@pytest.mark.usefixtures("large")
def test_a_held_snapshot_never_has_the_importance_of_later_links() -> None:
    engine = engine_of(NOTES)
    held = engine.snapshot
    before = ranked(engine_of(NOTES).snapshot, "b")
    put(engine, "a.md", "[[c]] [[new]]")
    engine.snapshot.derived.weigh_nodes()
    assert ranked(held, "b") == before


@pytest.mark.usefixtures("large")
def test_the_importance_of_other_notes_is_refused() -> None:
    engine, other = engine_of({"a.md": "[[b]]"}), engine_of(NOTES)
    other.weigh_nodes()
    engine.indexes.importance = other.indexes.importance
    assert np.size(other.snapshot.derived.importance.by_note) == len(NOTES)
    with pytest.raises(ValueError, match="importance of other notes"):
        read_indexes(stored(engine.indexes), engine.settings)
