"""The graph method: which concepts and edges it returns, and in which formats."""

import re
from typing import get_args, get_type_hints

import pytest

from clew.engine.snapshot import Snapshot
from clew.index.graph import ConceptGraph
from clew.query.draw import drawing
from clew.query.slices import SLICE_ROWS, finished
from clew.text.masking.secrets import is_masking, masked
from clew.values import replies, requests
from clew.values.vault import Batch
from tests.query.draw.test_mermaid_text import read_mermaid
from tests.query.draw.test_webpage import data_of
from tests.tables import for_each_row
from tests.vaults import NOW_S, engine_of, snapshot_of


def draw(
    snapshot: Snapshot, request: requests.GraphRequest
) -> replies.GraphJson | replies.GraphText:
    return drawing.draw(
        finished(drawing.subgraph(snapshot, request, NOW_S)), request.format, "vault"
    )


def test_a_graph_holds_the_concept_and_its_edges() -> None:
    snapshot = snapshot_of({"1.md": "[[A]] [[B]]", "2.md": "[[B]] [[C]]", "3.md": "[[C]] [[D]]"})
    reply = draw(snapshot, requests.GraphRequest(concept_name="A", depth=2))
    assert isinstance(reply, replies.GraphJson)
    assert [node.name for node in reply.nodes] == ["a", "b", "c"]
    assert [(edge.a, edge.b) for edge in reply.edges] == [("a", "b"), ("b", "c")]


@for_each_row("focus", [None, "hub"])
def test_no_step_names_more_than_a_run_of_concepts(focus: str | None) -> None:
    notes = {f"{at}.md": f"[[hub]] [[c{at}]] [[d{at}]]" for at in range(500)}
    snapshot, named = snapshot_of(notes), [0]
    name_of = ConceptGraph.name

    def name(graph: ConceptGraph, concept: int) -> str:
        named[-1] += 1
        return name_of(graph, concept)

    request = requests.GraphRequest(concept_name=focus, max_nodes=1_000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ConceptGraph, "name", name)
        for work in drawing.subgraph(snapshot, request, NOW_S):
            if work is not None:
                work()
            named.append(0)
    assert sum(named) >= 2_000  # to order them, and to show them
    assert max(named) <= SLICE_ROWS


@for_each_row("asked", [1, 2, 12, 30])
def test_a_graph_around_a_concept_has_as_many_nodes_as_asked_for(asked: int) -> None:
    request = requests.GraphRequest(concept_name="c20", depth=3, max_nodes=asked)
    reply = draw(snapshot_of(CROWD), request)
    assert len(reply.nodes) == asked  # type: ignore[union-attr]


@for_each_row("name", get_args(get_type_hints(requests.GraphRequest)["format"])[1:])
def test_the_first_line_of_a_key_in_a_name_hides_nothing_else(name: str) -> None:
    """Replies are masked as a whole, and a key may have many lines."""
    key = "-----BEGIN PRIVATE KEY-----"
    notes = {f"{at}.md": f"[[c{at}]] [[{key}]]" for at in range(9)} | {f"a {key}.md": "[[c1]]"}
    request = requests.GraphRequest(format=name)  # type: ignore[arg-type]
    reply = draw(snapshot_of(notes), request)
    assert isinstance(reply, replies.GraphText)
    assert masked(reply.text) == (reply.text, 0)
    assert "REDACTED" in reply.text
    without = is_masking.set(False)
    unmasked = draw(snapshot_of(notes), request)
    is_masking.reset(without)
    assert "REDACTED" not in unmasked.text  # type: ignore[union-attr]


def test_a_concept_that_no_note_mentions_any_more_is_not_drawn() -> None:
    engine = engine_of({"1.md": "[[a]] [[b]]", "2.md": "[[gone]]"})
    engine.apply(Batch(dropped=("2.md",)))
    reply = draw(engine.snapshot, requests.GraphRequest())
    assert [node.name for node in reply.nodes] == ["a", "b"]  # type: ignore[union-attr]


@for_each_row("count", [drawing.SMALL_NODES, drawing.SMALL_NODES + 1])
def test_the_rows_of_many_concepts_are_read_on_another_thread(count: int) -> None:
    snapshot = snapshot_of({f"{at}.md": f"[[c{at}]]" for at in range(count)})
    handed_over = 0
    for work in drawing.subgraph(snapshot, requests.GraphRequest(max_nodes=count), NOW_S):
        if work is not None:
            handed_over += 1
            work()
    assert handed_over == (count > drawing.SMALL_NODES)


@pytest.mark.parametrize("name", get_args(get_type_hints(requests.GraphRequest)["format"])[1:])
def test_a_graph_comes_in_every_format(name: str) -> None:
    snapshot = snapshot_of({"1.md": '[[a"; end<script>&#124;]] [[plain]]'})
    request = requests.GraphRequest(format=name)  # type: ignore[arg-type]
    reply = drawing.draw(finished(drawing.subgraph(snapshot, request, NOW_S)), name, "vault")
    assert isinstance(reply, replies.GraphText)
    assert reply.format == name
    assert "plain" in reply.text
    assert "<script>&#" not in reply.text


CROWD = {f"{at}.md": " ".join(f"[[c{at + step}]]" for step in range(12)) for at in range(40)}


@pytest.mark.parametrize(("asked", "nodes", "edges"), [(None, 14, 21), (30, 30, 45), (2, 2, 1)])
def test_a_diagram_has_few_nodes_and_edges(asked: int | None, nodes: int, edges: int) -> None:
    request = requests.GraphRequest(max_nodes=asked, format="mermaid")
    reply = draw(snapshot_of(CROWD), request)
    assert isinstance(reply, replies.GraphText)
    assert (reply.text.count("["), reply.text.count("---")) == (nodes, edges)
    said = f"%% {nodes} of {nodes} concepts, {edges} of "
    assert (said in reply.text) == (nodes > 2)


@pytest.mark.parametrize("name", ["mermaid", "html", "json"])
def test_no_node_that_has_edges_is_without_a_line(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = {f"{at}.md": "[[a]] [[b]] [[c]] [[d]] [[e]]" for at in range(9)}
    snapshot = snapshot_of({**hub, "x.md": "[[a]] [[far]]", "y.md": "[[b]] [[alone]]"})
    for limit in ("EDGES_MAX", "PAGE_EDGES_MAX"):
        monkeypatch.setattr(drawing, limit, 7)
    request = requests.GraphRequest(format=name)  # type: ignore[arg-type]
    reply = draw(snapshot, request)
    ends = ends_in(reply)
    assert {"far", "alone"} < ends
    assert len(ends) == 7


@for_each_row("name", get_args(get_type_hints(requests.GraphRequest)["format"]))
@for_each_row("asked", [0, 3, 40])
def test_a_drawing_has_as_many_edges_as_asked_for(name: str, asked: int) -> None:
    request = requests.GraphRequest(max_nodes=30, max_edges=asked, format=name)  # type: ignore[arg-type]
    reply = draw(snapshot_of(CROWD), request)
    assert edge_count(reply) == asked


def edge_count(reply: replies.GraphJson | replies.GraphText) -> int:
    if isinstance(reply, replies.GraphJson):
        assert reply.edge_count > 40
        return len(reply.edges)
    if reply.format == "html":
        return len(data_of(reply.text)["edges"])
    return len(re.findall(r" -- |---|<edge ", reply.text))


def ends_in(reply: replies.GraphJson | replies.GraphText) -> set[str]:
    """Return the names that the edges of a drawing join."""
    if isinstance(reply, replies.GraphJson):
        return {name for edge in reply.edges for name in (edge.a, edge.b)}
    if reply.format == "html":
        data = data_of(reply.text)
        return {data["nodes"][end][0] for edge in data["edges"] for end in edge[:2]}
    labels, edges = read_mermaid(re.sub(r"  %%.*\n", "", reply.text))
    return {labels[end] for edge in edges for end in edge}
