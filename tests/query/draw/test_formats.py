"""Other programs read the same nodes and edges from each format, whatever the names contain."""

import json
import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from io import BytesIO
from typing import Any
from xml.etree import ElementTree as ET

import igraph
import networkx as nx
import pydot
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.query.draw import formats
from tests.examples import examples
from tests.hostile_names import HOSTILE
from tests.query.draw.graphs import (
    Edges,
    Graph,
    Nodes,
    expected_label,
    graphs,
    hostile_graph,
    labels,
    node,
)
from tests.query.draw.test_mermaid_text import read_mermaid
from tests.steering import STEERING

# pyparsing, which pydot uses, has renamed functions.
pytestmark = pytest.mark.filterwarnings("ignore:.*deprecated - use:DeprecationWarning:pydot")


WRITERS = (formats.mermaid, formats.dot, formats.graphml)


def expected(graph: Graph) -> tuple[Nodes, Edges]:
    nodes, edges = graph
    return (
        {n.name: (expected_label(n.display_name), n.community_id, n.note_count) for n in nodes},
        {(e.a, e.b): (e.co_occurrence_count, e.weighted_score) for e in edges},
    )


def expected_in_dot(graph: Graph) -> tuple[Nodes, Edges]:
    nodes, edges = expected(graph)
    tags = re.compile("[\U000e0000-\U000e007f]")
    return {name: (tags.sub("\ufffd", row[0]), *row[1:]) for name, row in nodes.items()}, edges


def sorted_pair(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a < b else (b, a)


def name_from_xml(text: str) -> str:
    return re.sub("_x([0-9A-F]{4})_", lambda match: chr(int(match[1], 16)), text)


def read_by_networkx(text: str) -> tuple[Nodes, Edges]:
    graph = nx.read_graphml(BytesIO(text.encode()))
    assert not graph.is_directed()
    assert not graph.is_multigraph()
    names = {place: name_from_xml(data["name"]) for place, data in graph.nodes.items()}
    return (
        {
            names[place]: (data["label"], data.get("community"), data["notes"])
            for place, data in graph.nodes.items()
        },
        {
            sorted_pair(names[a], names[b]): (data["count"], data["weight"])
            for (a, b), data in graph.edges.items()
        },
    )


def read_by_igraph(text: str) -> tuple[Nodes, Edges]:
    with tempfile.NamedTemporaryFile(suffix=".graphml") as file:
        file.write(text.encode())
        file.flush()
        graph = igraph.Graph.Read_GraphML(file.name)
    assert not graph.is_directed()
    names = [name_from_xml(name) for name in graph.vs["name"]]
    nodes = {}
    for name, vertex in zip(names, graph.vs, strict=True):
        community = vertex["community"]
        known = None if community != community else int(community)  # noqa: PLR0124 - not a number
        nodes[name] = (vertex["label"], known, int(vertex["notes"]))
    return nodes, {
        sorted_pair(names[edge.source], names[edge.target]): (int(edge["count"]), edge["weight"])
        for edge in graph.es
    }


_DOT_TEXT = re.compile(r'\\([\\"])|&(?:amp|#(\d+));')


def from_dot(quoted: object) -> str:
    assert isinstance(quoted, str)
    assert (quoted[0], quoted[-1]) == ('"', '"')
    return _DOT_TEXT.sub(
        lambda match: match[1] or (chr(int(match[2])) if match[2] else "&"), quoted[1:-1]
    )


def read_by_pydot(text: str) -> tuple[Nodes, Edges]:
    (graph,) = pydot.graph_from_dot_data(text) or []
    assert graph.get_type() == "graph"
    assert not graph.get_subgraphs()
    nodes: Nodes = {}
    for found in graph.get_nodes():
        if found.get_name() not in ("graph", "node"):  # names are quoted, defaults are not
            of = found.get_attributes()
            community = int(of["community"]) if "community" in of else None
            name = name_from_xml(from_dot(found.get_name()))
            nodes[name] = (from_dot(of["label"]), community, int(of["notes"]))
    edges: Edges = {}
    for edge in graph.get_edges():
        of = edge.get_attributes()
        a, b = (name_from_xml(from_dot(end)) for end in (edge.get_source(), edge.get_destination()))
        edges[sorted_pair(a, b)] = (int(of["count"]), float(of["weight"]))
    return nodes, edges


@examples()
@given(graphs(), st.sampled_from(WRITERS))
@example(hostile_graph(), formats.mermaid)
@example(hostile_graph(), formats.dot)
@example(hostile_graph(), formats.graphml)
def test_no_text_steers_a_terminal(graph: Graph, write: Callable[..., str]) -> None:
    assert not STEERING.search(write(*graph))


@examples()
@given(graphs())
@example(hostile_graph())
def test_networkx_reads_the_same_graph_from_graphml(graph: Graph) -> None:
    assert read_by_networkx(formats.graphml(*graph)) == expected(graph)


@examples()
@given(graphs())
@example(hostile_graph())
def test_igraph_reads_the_same_graph_from_graphml(graph: Graph) -> None:
    assert read_by_igraph(formats.graphml(*graph)) == expected(graph)


@examples()
@given(graphs(names=labels))
@example(([node(text) for text in HOSTILE], []))
def test_graphml_keeps_any_name(graph: Graph) -> None:
    names = set(read_by_networkx(formats.graphml(*graph))[0])
    assert names == {node.name for node in graph[0]}


def test_graphml_has_only_declared_keys() -> None:
    space = "{http://graphml.graphdrawing.org/xmlns}"
    root = ET.fromstring(formats.graphml(*hostile_graph()))
    kinds = {
        key.get("id"): (key.get("for"), key.get("attr.type")) for key in root.iter(f"{space}key")
    }
    assert kinds == {
        "name": ("node", "string"),
        "label": ("node", "string"),
        "community": ("node", "int"),
        "notes": ("node", "int"),
        "count": ("edge", "int"),
        "weight": ("edge", "double"),
    }
    assert {element.tag for element in root.iter()} == {
        space + tag for tag in ("graphml", "key", "graph", "node", "edge", "data")
    }


@pytest.mark.slow
@examples(60)
@given(graphs())
@example(hostile_graph())
def test_pydot_reads_the_same_graph_from_dot(graph: Graph) -> None:
    assert read_by_pydot(formats.dot(*graph)) == expected_in_dot(graph)


def drawn_by_graphviz(graph: Graph, kind: str) -> bytes:
    if not shutil.which("dot"):
        # Graphviz is an optional second reader; pydot reads the same text everywhere.
        pytest.skip("Graphviz is not installed")
    text = formats.dot(*graph).encode()
    done = subprocess.run(["dot", f"-T{kind}"], input=text, capture_output=True, check=True)
    assert b"rror" not in done.stderr
    return done.stdout


def test_graphviz_shows_the_labels() -> None:
    graph = hostile_graph()
    objects: list[dict[str, Any]] = json.loads(drawn_by_graphviz(graph, "json"))["objects"]
    shown = [
        "".join(step["text"] for step in found["_ldraw_"] if step["op"] == "T") for found in objects
    ]
    assert sorted(shown) == sorted(label for label, _, _ in expected_in_dot(graph)[0].values())


def test_graphviz_makes_valid_svg_of_hostile_names() -> None:
    root = ET.fromstring(drawn_by_graphviz(hostile_graph(), "svg"))
    kinds = [group.get("class") for group in root.iter("{http://www.w3.org/2000/svg}g")]
    assert kinds.count("node") == kinds.count("edge") == len(HOSTILE)


def test_nodes_of_a_community_have_its_colour() -> None:
    nodes = [node("a", 1), node("b", 13), node("c"), node("d", 2)]
    assert re.findall(r'"(\w)"\](\S*)', formats.mermaid(nodes, [])) == [
        ("a", ":::c1"),
        ("b", ":::c1"),
        ("c", ""),
        ("d", ":::c2"),
    ]
    assert formats.mermaid(nodes, []).count("classDef") == 2
    assert re.findall("fillcolor=(.*?)]", formats.dot(nodes, [])) == [
        "white",
        '"/set312/2"',
        '"/set312/2"',
        '"/set312/3"',
    ]


@examples()
@given(graphs(names=labels))
@example(hostile_graph())
def test_text_has_no_invisible_characters(graph: Graph) -> None:
    """Except characters above U+FFFF, since Graphviz cannot read references to them."""
    for write in WRITERS:
        text = write(*graph)
        text.encode()
        assert all(c.isprintable() or c == "\n" or c > "\uffff" for c in text)


@examples()
@given(graphs(), st.integers())
def test_the_same_graph_gives_the_same_text(graph: Graph, seed: int) -> None:
    nodes, edges = graph
    order = random.Random(seed)
    others = order.sample(nodes, len(nodes)), order.sample(edges, len(edges))
    assert [write(*others) for write in WRITERS] == [write(nodes, edges) for write in WRITERS]


@examples()
@given(graphs())
def test_edges_are_sorted_by_their_two_names(graph: Graph) -> None:
    nodes, edges = graph
    ends = re.findall(r'source="n(\d+)" target="n(\d+)"', formats.graphml(nodes, edges))
    names = sorted(node.name for node in nodes)
    shown = [(names[int(a)], names[int(b)]) for a, b in ends]
    assert shown == sorted((edge.a, edge.b) for edge in edges)


def test_an_empty_graph_is_valid_in_each_format() -> None:
    assert read_by_networkx(formats.graphml([], [])) == ({}, {})
    assert read_by_pydot(formats.dot([], [])) == ({}, {})
    assert read_mermaid(formats.mermaid([], [])) == ([], {})
