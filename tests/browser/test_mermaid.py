"""Mermaid, run without a screen, shows each name unchanged, and nothing else."""

import json
import os
import random
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from clew.query.draw.formats import mermaid
from clew.values.replies import GraphEdge, GraphNode
from tests.hostile_names import HOSTILE
from tests.query.draw.graphs import large_graph
from tests.query.draw.test_mermaid_text import label_in_mermaid

HERE = Path(__file__).parent
MISSING = "needs node, and `npm ci` in tests/browser"

Graph = tuple[list[GraphNode], list[GraphEdge]]


@pytest.fixture(scope="module", autouse=True)
def _mermaid() -> None:
    if shutil.which("node") and (HERE / "node_modules" / "mermaid").is_dir():
        return
    if os.environ.get("CLEW_BROWSER"):
        pytest.fail(MISSING)
    pytest.skip(MISSING)


def read(diagrams: list[str], security_level: str = "strict") -> list[dict[str, Any]]:
    """Return the nodes and edges that Mermaid shows for each diagram."""
    done = subprocess.run(
        ["node", "read_mermaid.mjs"],
        cwd=HERE,
        input=json.dumps({"securityLevel": security_level, "diagrams": diagrams}),
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert (done.returncode, done.stderr) == (0, "")
    replies: list[dict[str, Any]] = json.loads(done.stdout)
    return replies


def graph_of(labels: list[str]) -> Graph:
    """Return a ring of nodes with these labels, most of them in communities."""
    nodes = [
        GraphNode(name=f"c{at:04}", display_name=label, community_id=at % 9 or None, note_count=1)
        for at, label in enumerate(labels)
    ]
    edges = [
        GraphEdge(a=a.name, b=b.name, co_occurrence_count=at + 1, weighted_score=1.0)
        for at, (a, b) in enumerate(pairwise(nodes))
    ]
    return nodes, edges


def assert_read_as_meant(graph: Graph, reply: dict[str, Any]) -> None:
    nodes, edges = graph
    assert "error" not in reply, reply
    places = {node.name: f"n{at}" for at, node in enumerate(nodes)}
    colours = {
        places[node.name]: [] if node.community_id is None else [f"c{node.community_id % 12}"]
        for node in nodes
    }
    assert {node["id"]: node["classes"] for node in reply["nodes"]} == colours
    assert set(reply["classes"]) == {name for names in colours.values() for name in names}
    assert reply["subgraphs"] == 0
    assert reply["edges"] == [
        [places[edge.a], places[edge.b], str(edge.co_occurrence_count)] for edge in edges
    ]
    assert [node["text"] for node in reply["shown"]["nodes"]] == [
        label_in_mermaid(node.display_name) for node in nodes
    ]
    assert all(node["tags"] == ["P"] for node in reply["shown"]["nodes"])
    assert reply["shown"]["odd"] == []


def any_labels(count: int) -> list[str]:
    """Return labels of random Unicode characters, surrogates too, many of them marks."""
    chosen = random.Random(7)
    marks = '"\\&#;<>[]|{}()%`_x05-:.n \t\ufffe\u202e\u00a0\u0301é😀'
    return [
        "".join(
            chosen.choice(marks) if chosen.random() < 0.5 else chr(chosen.randrange(0x110000))
            for _ in range(chosen.randrange(1, 30))
        )
        for _ in range(count)
    ]


def test_mermaid_shows_each_hostile_name_as_it_is() -> None:
    graphs = [graph_of([name]) for name in HOSTILE]
    for graph, reply in zip(graphs, read([mermaid(*graph) for graph in graphs]), strict=True):
        assert_read_as_meant(graph, reply)


@pytest.mark.parametrize("security_level", ["strict", "loose"])
def test_mermaid_shows_all_hostile_names_together(security_level: str) -> None:
    graph = graph_of(list(HOSTILE))
    (reply,) = read([mermaid(*graph)], security_level)
    assert_read_as_meant(graph, reply)


def test_mermaid_shows_any_characters_as_they_are() -> None:
    labels = any_labels(600)
    graphs = [graph_of(labels[at : at + 60]) for at in range(0, len(labels), 60)]
    for graph, reply in zip(graphs, read([mermaid(*graph) for graph in graphs]), strict=True):
        assert_read_as_meant(graph, reply)


def test_mermaid_draws_the_largest_diagrams() -> None:
    diagrams = [
        mermaid(*large_graph(100, 2_000, "x")),
        mermaid(*large_graph(1_000, 20_000, "y" * 100)),
        mermaid(*large_graph(1_000, 0, "𐐀" * 20)),
    ]
    for diagram, reply in zip(diagrams, read(diagrams), strict=True):
        assert "error" not in reply, reply
        assert len(reply["shown"]["nodes"]) == diagram.count("[")


def test_mermaid_draws_no_more_than_that_whatever_a_diagram_says() -> None:
    """This is why graphs are cut: a diagram cannot raise the limits."""
    edges = "".join("  n0 --- n1\n" for _ in range(501))
    text = f'graph LR\n  n0["{"x" * 50_000}"]\n'
    raised = '%%{init: {"maxEdges": 900, "maxTextSize": 90000}}%%\n'
    many, long = read([f"{raised}graph LR\n{edges}", raised + text])
    assert "Edge limit exceeded" in many["error"]
    assert [node["text"] for node in long["shown"]["nodes"]] == [
        "Maximum text size in diagram exceeded"
    ]
