"""Values computed once for each revision: links between notes and concepts, and importance."""

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.values.vault import Batch
from tests.vaults import engine_of, read_note, snapshot_of


def named_links(snapshot: Snapshot) -> list[tuple[str, str]]:
    """Return the links as pairs of names, with repetitions."""
    graph = snapshot.graph
    links = snapshot.derived.nodes.links(graph)
    concepts = [f"[{graph.name(number)}]" for number in range(graph.concept_slots)]
    names = [*graph.paths, *concepts]
    rows = np.repeat(np.arange(len(links.lengths)), links.lengths).tolist()
    pairs = zip(rows, links.targets.tolist(), strict=True)
    return sorted((names[row], names[target]) for row, target in pairs)


def test_a_concept_that_is_a_note_is_that_notes_node_and_no_note_links_itself() -> None:
    snapshot = snapshot_of({"a.md": "[[a]] [[b]] [[x]]", "b.md": "[[a]]", "c.md": "[[x]]"})
    assert named_links(snapshot) == [
        ("a.md", "[x]"),
        ("a.md", "b.md"),
        ("b.md", "a.md"),
        ("c.md", "[x]"),
    ]


def test_existing_notes_and_concepts_are_nodes() -> None:
    engine = engine_of({"a.md": "[[x]] [[b]]", "b.md": "[[y]]", "c.md": ""})
    engine.apply(Batch(dropped=("a.md",)))
    graph = engine.snapshot.graph
    links = engine.snapshot.derived.nodes.links(graph)
    names = [*graph.paths, *(graph.name(number) for number in range(graph.concept_slots))]
    is_node = links.is_node.tolist()
    found = sorted(name for name, node in zip(names, is_node, strict=True) if node)
    assert found == ["b.md", "c.md", "y"]


def test_importance_and_nodes_are_kept_while_links_are_unchanged() -> None:
    engine = engine_of({"a.md": "[[x]]", "b.md": "[[x]] [[a]]"})
    derived = engine.snapshot.derived
    before, nodes = derived.importance, derived.nodes
    engine.apply(Batch(put=(read_note("a.md", "Now [[x]] stands in prose."),)))
    assert engine.snapshot.derived is not derived
    assert engine.snapshot.derived.importance is before
    assert engine.snapshot.derived.nodes is nodes
    engine.apply(Batch(put=(read_note("a.md", "[[x]] [[y]]"),)))
    assert engine.snapshot.derived.importance is not before
    assert engine.snapshot.derived.nodes.count == nodes.count + 1
    assert derived.nodes.count == nodes.count
