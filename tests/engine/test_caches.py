"""The caches of a revision: a batch drops the values that it can change, and no others.

Weights of notes fall with time and rise with each read, so a read drops the cached neighbours of
the concepts in that note, as a change of its links does. Siblings depend on links alone.
"""

from pathlib import Path

import numpy as np
import pytest

from clew.engine import indexes, passages
from clew.engine.apply import Engine
from clew.engine.communities.current import Communities
from clew.engine.settings import SiblingConfig
from clew.engine.snapshot import Snapshot
from clew.index.graph_rows import Neighbours
from clew.index.slots import DEAD
from clew.values.communities import Community
from clew.values.note_words import Vectors
from clew.values.replies import CommunitySibling
from clew.values.vault import Batch
from clew.vault.settings.concept_rules import parse_concept_rules
from tests.stored import store_and_map
from tests.tables import for_each_row
from tests.vaults import DAY_S, NOW_S, engine_of, read_note

NOTES = {"a.md": "[[x]] [[y]]", "b.md": "[[x]] [[y]] [[z]]", "c.md": "[[z]] words"}
COMMUNITY = Community(1, ("x", "y", "z"), ("x",), ())
COMMUNITIES = Communities(1, {1: COMMUNITY}, dict.fromkeys(COMMUNITY.members, 1), 0.0)
LATER_S = NOW_S + 90 * DAY_S

DERIVED = ["layout", "nodes"]
NEIGHBOURS = ["neighbours"]
SIBLINGS = ["siblings"]
ALL = {*DERIVED, *NEIGHBOURS, *SIBLINGS}

NAME_VECTORS = Vectors("letters", 26, {}, {"x": bytes(26)})
NOTE_VECTORS = Vectors("letters", 26, {"c.md": bytes(2 * 26)})

BATCHES = [
    pytest.param(Batch(), ALL, id="nothing"),
    pytest.param(Batch(reads_s={"a.md": LATER_S}), {*DERIVED, *SIBLINGS}, id="a read"),
    pytest.param(Batch(edits_s={"a.md": LATER_S}), {*DERIVED, *SIBLINGS}, id="an edit seen"),
    pytest.param(Batch(vectors=NAME_VECTORS), ALL, id="vectors of names"),
    pytest.param(
        Batch(vectors=NOTE_VECTORS), {"nodes", *NEIGHBOURS, *SIBLINGS}, id="vectors of notes"
    ),
    pytest.param(Batch(put=(read_note("c.md", "[[x]] [[z]]"),)), set(), id="other links"),
    pytest.param(
        Batch(put=(read_note("c.md", "[[z]] prose"),)),
        {"nodes", *NEIGHBOURS, *SIBLINGS},
        id="other words",
    ),
    pytest.param(
        Batch(put=(read_note("c.md", NOTES["c.md"], LATER_S),)),
        {"nodes", *NEIGHBOURS, *SIBLINGS},
        id="another date",
    ),
    pytest.param(Batch(dropped=("a.md",)), set(), id="a deleted note"),
    pytest.param(
        Batch(others_put=("o.png",)), {"nodes", *NEIGHBOURS, *SIBLINGS}, id="an attachment"
    ),
    pytest.param(
        Batch(others_dropped=("p.png",)),
        {"nodes", *NEIGHBOURS, *SIBLINGS},
        id="a deleted attachment",
    ),
    pytest.param(Batch(rules=parse_concept_rules(b'ignore = ["y"]')), set(), id="rules that apply"),
    pytest.param(
        Batch(rules=parse_concept_rules(b'ignore = ["o"]')),
        {"nodes", *NEIGHBOURS, *SIBLINGS},
        id="other rules",
    ),
]


def engine() -> Engine:
    made = engine_of(NOTES, others=("p.png",))
    made.communities = COMMUNITIES
    return made


def neighbours(snapshot: Snapshot, name: str = "x") -> Neighbours:
    number = snapshot.graph.concept_id(name)
    assert number is not None
    return snapshot.neighbours(number, LATER_S)


def siblings(snapshot: Snapshot) -> tuple[CommunitySibling, ...]:
    cache = snapshot.siblings.valid_for(COMMUNITIES, SiblingConfig()).lru
    if cache.get("x") is None:
        row = CommunitySibling(
            name="z",
            display_name="Z",
            community_id=1,
            shared_neighbor_count=3,
            normalized_overlap=0.5,
        )
        cache.put("x", (row,))
    cached = cache.get("x")
    assert cached is not None
    return cached


def cached_values(snapshot: Snapshot) -> dict[str, object]:
    """Return each cached value; one that is missing is made and cached."""
    derived = snapshot.derived
    return {
        **{name: getattr(derived, name) for name in DERIVED},
        "neighbours": neighbours(snapshot),
        "siblings": siblings(snapshot),
    }


@for_each_row(("batch", "kept"), BATCHES)
def test_a_batch_drops_the_values_it_can_change(batch: Batch, kept: set[str]) -> None:
    changed = engine()
    before = cached_values(changed.snapshot)
    changed.apply(batch)
    after = cached_values(changed.snapshot)
    assert {name for name in before if after[name] is before[name]} == kept


@for_each_row("batch", [case.values[0] for case in BATCHES])
def test_replies_do_not_depend_on_cached_values(batch: Batch) -> None:
    changed, fresh = engine(), engine()
    cached_values(changed.snapshot)
    changed.apply(batch)
    fresh.apply(batch)
    one, other = changed.snapshot, fresh.snapshot
    assert np.array_equal(neighbours(one).ids, neighbours(other).ids)
    assert np.array_equal(neighbours(one).scores, neighbours(other).scores)
    assert np.array_equal(one.decay(LATER_S), other.decay(LATER_S))
    mine, its = one.derived.importance, other.derived.importance
    assert np.array_equal(mine.by_note, its.by_note)
    assert np.array_equal(mine.by_concept, its.by_concept)
    live = np.flatnonzero(one.passages.slots.note_ids != DEAD)
    assert np.array_equal(
        one.derived.layout.chunk_norms(live), other.derived.layout.chunk_norms(live)
    )


def test_a_read_note_weighs_more_at_once() -> None:
    changed = engine()
    before = neighbours(changed.snapshot, "y").strength
    changed.apply(Batch(reads_s={"a.md": LATER_S}))
    assert neighbours(changed.snapshot, "y").strength > before


def test_slots_are_compacted_once_over_a_tenth_of_them_are_dead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(passages, "_DEAD_MIN", 0)
    names = [f"{number}.md" for number in range(18)]
    changed = engine_of(dict.fromkeys(names, "tide"))
    for name, needed in zip(names, (False, False, True), strict=False):  # 1 of 19, 2 of 20, 3 of 21
        changed.apply(Batch(put=(read_note(name, "ebb"),)))
        assert changed.indexes.needs_compaction is needed


def test_compaction_reads_no_stored_words_unless_many_are_unused(tmp_path: Path) -> None:
    changed = engine_of({f"{number}.md": f"tide{number}" for number in range(20)})
    store_and_map(changed, tmp_path / "index")
    stored, shapes = changed.indexes.passages.keyword.words.base, changed.indexes.passages.shapes
    changed.apply(Batch(put=(read_note("0.md", "ebb"),)))
    changed.compact()
    assert changed.indexes.passages.keyword.words.base is stored is not None
    assert changed.indexes.passages.shapes is shapes
    changed.apply(Batch(dropped=tuple(f"{number}.md" for number in range(1, 20))))
    changed.compact()
    assert sorted(changed.indexes.passages.keyword.words) == ["0", "ebb"]


def test_compaction_drops_values_that_hold_old_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch that changes no rows follows, which drops nothing by itself."""
    monkeypatch.setattr(indexes, "_DEAD_NOTES_MIN", 0)
    changed = engine_of({"first.md": "[[z]] [[a]]"})
    empty = tuple(read_note(f"{number}.md", "") for number in range(3))
    for batch in (
        Batch(put=(read_note("second.md", "[[x]] [[w]]"),)),
        Batch(put=empty),
        Batch(dropped=tuple(read.note.path for read in empty)),
    ):
        changed.apply(batch)

    def seen() -> tuple[int | None, list[str]]:
        graph = changed.snapshot.graph
        ids = neighbours(changed.snapshot, "z").ids.tolist()
        return graph.concept_id("z"), list(map(graph.name, ids))

    assert seen() == (1, ["a"])
    changed.compact()
    changed.apply(Batch(vectors=NAME_VECTORS))
    assert seen() == (3, ["a"])
