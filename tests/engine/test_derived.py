"""What is worked out once a revision: links between notes and concepts, and what they weigh."""

import numpy as np
import pytest

from clew.engine.snapshot import Snapshot
from clew.values.note_words import Vectors
from clew.values.vault import Batch
from clew.vault.rules import parse_rules
from tests.vaults import DAY_S, NOW_S, engine_of, read_note, snapshot_of


def named_links(snapshot: Snapshot) -> list[tuple[str, str]]:
    """Return the links as pairs of names, each as often as it is there."""
    links, graph = snapshot.derived.links, snapshot.graph
    concepts = [f"[{graph.name(number)}]" for number in range(graph.concept_slots)]
    names = [*graph.paths, *concepts]
    rows = np.repeat(np.arange(len(links.lengths)), links.lengths).tolist()
    pairs = zip(rows, links.targets.tolist(), strict=True)
    return sorted((names[row], names[target]) for row, target in pairs)


def test_a_concept_named_by_a_note_is_its_node_without_a_self_link() -> None:
    snapshot = snapshot_of({"a.md": "[[a]] [[b]] [[x]]", "b.md": "[[a]]", "c.md": "[[x]]"})
    assert named_links(snapshot) == [
        ("a.md", "[x]"),
        ("a.md", "b.md"),
        ("b.md", "a.md"),
        ("c.md", "[x]"),
    ]


def test_nodes_are_the_live_notes_and_concepts() -> None:
    engine = engine_of({"a.md": "[[x]] [[b]]", "b.md": "[[y]]", "c.md": ""})
    engine.apply(Batch(dropped=("a.md",)))
    links, graph = engine.snapshot.derived.links, engine.snapshot.graph
    names = [*graph.paths, *(graph.name(number) for number in range(graph.concept_slots))]
    is_node = links.is_node.tolist()
    found = sorted(name for name, node in zip(names, is_node, strict=True) if node)
    assert found == ["b.md", "c.md", "y"]


def test_importance_is_kept_while_links_stay_as_they_are() -> None:
    engine = engine_of({"a.md": "[[x]]", "b.md": "[[x]] [[a]]"})
    before = engine.snapshot.derived.importance
    engine.apply(Batch(put=(read_note("a.md", "Now [[x]] stands in prose."),)))
    assert engine.snapshot.derived.importance is before
    engine.apply(Batch(put=(read_note("a.md", "[[x]] [[y]]"),)))
    assert engine.snapshot.derived.importance is not before


NOTES = {"a.md": "[[x]] [[y]]", "b.md": "[[x]]"}
NAMES = Vectors("letters", 26, {}, {"x": bytes(26)})
CODES = Vectors("letters", 26, {"b.md": bytes(2 * 26)})


@pytest.mark.parametrize(
    ("batch", "is_kept"),
    [
        (Batch(reads_s={"a.md": NOW_S}), True),
        (Batch(vectors=NAMES), True),
        (Batch(), True),
        (Batch(put=(read_note("b.md", "other"),)), False),
        (Batch(dropped=("a.md",)), False),
        (Batch(others_put=("x.png",)), False),
        (Batch(rules=parse_rules(b'ignore = ["x"]')), False),
        (Batch(vectors=CODES), False),
    ],
)
def test_values_are_kept_if_a_batch_cannot_change_them(batch: Batch, is_kept: bool) -> None:
    engine = engine_of(NOTES)
    derived = engine.snapshot.derived
    derived.keep_vocabulary(derived.word_list().vocabulary())
    before = (derived.layout, derived.nodes, derived.links, derived.vocabulary)
    engine.apply(batch)
    after = (derived.layout, derived.nodes, derived.links, derived.vocabulary)
    assert [one is other for one, other in zip(before, after, strict=True)] == [is_kept] * 4


def test_a_read_note_weighs_more_at_once() -> None:
    engine = engine_of(NOTES)
    number = engine.snapshot.graph.concept_id("x")
    assert number is not None
    weights = []
    for read_s in (0.0, NOW_S + 90 * DAY_S):
        engine.apply(Batch(reads_s={"a.md": read_s}))
        weights.append(engine.snapshot.neighbours(number, NOW_S + 90 * DAY_S).strength)
    assert weights[0] < weights[1]
