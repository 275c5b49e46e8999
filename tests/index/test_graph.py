"""The concept graph compared with counting all pairs of concepts."""

import tracemalloc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from clew.index.graph import ConceptGraph
from clew.index.graph_rows import (
    all_edges,
    incidence,
    neighbours,
    notes_shared_with,
    sorted_rows,
    step_sums,
)
from tests.examples import examples

PATHS = st.sampled_from([f"{letter}.md" for letter in "abcdefgh"])
ROWS = st.dictionaries(st.sampled_from("pqrstuvw"), st.integers(1, 3), max_size=6)


def built(rows: dict[str, dict[str, int]]) -> ConceptGraph:
    graph = ConceptGraph()
    for path, row in rows.items():
        graph.put(path, row)
    return graph


def edges_by_name(graph: ConceptGraph) -> dict[tuple[str, str], int]:
    named = {}
    for first, second, count in all_edges(graph).tolist():
        pair = sorted((graph.name(first), graph.name(second)))
        named[pair[0], pair[1]] = count
    return named


def test_deleting_a_note_removes_its_edges() -> None:
    graph = built({"a.md": {"x": 1, "y": 1}, "b.md": {"y": 1, "z": 1}})
    graph.drop("a.md")
    assert edges_by_name(graph) == {("y", "z"): 1}


def test_neighbours_sum_the_weights_of_shared_notes() -> None:
    graph = built({"a.md": {"x": 1, "y": 2}, "b.md": {"x": 1, "y": 1, "z": 1}})
    x, y = graph.concept_id("x"), graph.concept_id("y")
    assert x is not None
    around = neighbours(graph.rows_with(x), np.array([0.25, 0.5]))
    found = dict(zip(around.ids.tolist(), around.scores.tolist(), strict=True))
    assert found[y] == 0.75
    assert around.strength == 1.25


def test_strength_is_the_sum_of_the_scores_of_neighbours() -> None:
    graph = built({"a.md": {"x": 1, "y": 1, "z": 1}, "b.md": {"x": 1, "w": 1}, "c.md": {"q": 1}})
    weights = np.array([0.5, 0.25, 1.0])
    summed, _ = step_sums(graph, weights)
    for name in "wxyzq":
        concept = graph.concept_id(name)
        assert concept is not None
        assert summed[concept] == neighbours(graph.rows_with(concept), weights).strength


def test_a_note_with_thousands_of_concepts_costs_its_row() -> None:
    graph = built({"big.md": {f"c{n}": 1 for n in range(5_000)}})
    first = graph.concept_id("c0")
    assert first is not None
    assert len(neighbours(graph.rows_with(first), np.ones(1)).ids) == 4_999


def test_shared_notes_cost_the_rows_of_the_concept() -> None:
    graph = built({"big.md": {f"c{n}": 1 for n in range(50_000)}, "a.md": {"x": 1, "y": 1}})
    x, *others = (graph.concept_id(name) for name in ("x", "c7", "y", "c49999", "c0"))
    assert x is not None
    rows = graph.rows_with(x)
    tracemalloc.start()
    indexes, notes = notes_shared_with(rows, [each for each in others if each is not None])
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert indexes.tolist() == [1]
    assert notes.tolist() == [graph.note_ids["a.md"]]
    assert peak_bytes < 20_000
    indexes, notes = notes_shared_with(rows, [])
    assert not len(indexes)


def test_storage_of_replaced_rows_is_reclaimed() -> None:
    graph = ConceptGraph()
    for turn in range(2_000):
        graph.put("a.md", {f"c{(turn + n) % 7}": 1 for n in range(5)})
    assert len(graph._rows._concepts) < 10_000  # noqa: SLF001 - the bound is on what is stored


def test_edges_are_counted_in_small_and_large_graphs_alike() -> None:
    graph = ConceptGraph()
    for n in range(300):
        graph.put(f"{n}.md", {f"c{n}": 1, f"c{n + 1}": 1, "hub": 1})
    assert graph.edge_count() == len(all_edges(graph)) == 300 + 301
    graph.put("flood.md", {f"f{n}": 1 for n in range(2_000)})
    assert graph.edge_count() == 601 + 2_000 * 1_999 // 2


class GraphMachine(RuleBasedStateMachine):
    """Any sequence of saves and deletes leaves the graph that counting pairs gives."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[str, dict[str, int]] = {}
        self.graph = ConceptGraph()

    @rule(path=PATHS, row=ROWS)
    def put(self, path: str, row: dict[str, int]) -> None:
        with self.edge_changes_counted(path, row):
            self.rows[path] = row
            self.graph.put(path, row)

    @rule(path=PATHS)
    def drop(self, path: str) -> None:
        with self.edge_changes_counted(path, {}):
            self.rows.pop(path, None)
            self.graph.drop(path)

    @contextmanager
    def edge_changes_counted(self, path: str, row: dict[str, int]) -> Iterator[None]:
        """Changed counts, or a new concept without neighbours, do not change the edges."""
        before, known = self.graph.edge_changes, self.rows.get(path, {})
        yield
        pairs, pairs_before = (set(combinations(sorted(each), 2)) for each in (row, known))
        assert (self.graph.edge_changes > before) == (pairs != pairs_before)

    @invariant()
    def sorted_rows_do_not_depend_on_the_order_of_edits(self) -> None:
        names, paths, lengths, cells = sorted_rows(self.graph)
        assert names == sorted({name for row in self.rows.values() for name in row})
        assert paths == sorted(path for path, row in self.rows.items() if row)
        assert lengths.tolist() == [len(self.rows[path]) for path in paths]
        assert [names[cell] for cell in cells] == [n for p in paths for n in sorted(self.rows[p])]

    @invariant()
    def incidence_returns_the_notes_of_many_concepts(self) -> None:
        names = sorted(self.graph.concepts(), reverse=True)[::2]
        ids = [self.graph.concept_id(name) for name in names]
        known = np.array([known for known in ids if known is not None], np.int64)
        owners, notes = incidence(self.graph, known)
        standing = [(names[o], self.graph.path(n)) for o, n in zip(owners, notes, strict=True)]
        assert sorted(standing) == sorted(
            (n, p) for p in self.rows for n in names if n in self.rows[p]
        )
        assert owners.tolist() == sorted(owners.tolist())
        cells, lengths = self.graph.concepts_of_notes(notes)
        found = [self.graph.name(cell) for cell in cells]
        starts = np.cumsum(lengths) - lengths
        for start, length, (_, path) in zip(starts, lengths, standing, strict=True):
            assert set(found[start : start + length]) == self.rows[path].keys()
        assert len(found) == lengths.sum()

    @invariant()
    def equals_counting(self) -> None:
        pairs: Counter[tuple[str, str]] = Counter()
        for row in self.rows.values():
            pairs.update(combinations(sorted(row), 2))
        assert edges_by_name(self.graph) == dict(pairs)
        assert self.graph.edge_count() == len(pairs)
        assert {path: self.graph.row(path) for path in self.rows} == self.rows
        mentions: Counter[str] = Counter()
        for row in self.rows.values():
            mentions.update(row)
        counts = self.graph.mention_counts
        for name in self.graph.concepts():
            concept = self.graph.concept_id(name)
            assert concept is not None
            assert counts[concept] == mentions[name]


GraphMachine.TestCase.settings = examples(60, stateful_step_count=30)
test_graph_equals_counting = GraphMachine.TestCase
