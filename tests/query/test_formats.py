"""Any name is safe in every text: other programs read these nodes and edges, and no others."""

import json
import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from io import BytesIO
from itertools import pairwise
from typing import Any, get_args, get_type_hints
from xml.etree import ElementTree as ET

import igraph
import networkx as nx
import pydot
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from clew.query.draw import drawing, formats
from clew.text.concept import normalize
from clew.values import replies, requests
from clew.values.replies import GraphEdge, GraphNode
from tests.hostile_names import HOSTILE
from tests.steering import STEERING
from tests.vaults import NOW_S, snapshot_of

# The parser that pydot is made with has given its own functions new names.
pytestmark = pytest.mark.filterwarnings("ignore:.*deprecated - use:DeprecationWarning:pydot")

Graph = tuple[list[GraphNode], list[GraphEdge]]
Nodes = dict[str, tuple[str, int | None, int]]  # name: label, community, notes
Edges = dict[tuple[str, str], tuple[int, float]]  # two names: count, weight

WRITERS = (formats.mermaid, formats.dot, formats.graphml)

characters = st.characters(exclude_categories=())
marks = st.sampled_from('"\\&#;<>[]|{}()%`_x0F5-:.n \t\ufffe\u202e\u00a0\ud800\U000e0067é😀')
labels = st.sampled_from(HOSTILE) | st.text(characters, min_size=1) | st.text(marks, min_size=1)
concepts = labels.map(normalize).filter(bool)


@st.composite
def graphs(draw: st.DrawFn, names: st.SearchStrategy[str] = concepts) -> Graph:
    chosen = draw(st.lists(names, min_size=1, max_size=7, unique=True))
    nodes = [
        GraphNode(
            name=name,
            display_name=draw(labels),
            community_id=draw(st.none() | st.integers(0, 40)),
            note_count=draw(st.integers(1, 10**6)),
        )
        for name in chosen
    ]
    pairs = [(a, b) for a in chosen for b in chosen if a < b]
    edges = [
        GraphEdge(a=a, b=b, co_occurrence_count=count, weighted_score=replies.rounded(score))
        for (a, b), count, score in draw(
            st.lists(
                st.tuples(st.sampled_from(pairs), st.integers(1, 10**6), st.floats(0, 10**6)),
                unique_by=lambda edge: edge[0],
            )
            if pairs
            else st.just([])
        )
    ]
    return nodes, edges


def node(name: str, community_id: int | None = None) -> GraphNode:
    return GraphNode(name=name, display_name=name, community_id=community_id, note_count=1)


def hostile_graph() -> Graph:
    """Return a ring of all hostile names, each a label and most of them concepts too."""
    names: dict[str, str] = {}
    for at, text in enumerate(HOSTILE):
        concept = normalize(text)
        names[concept if concept and concept not in names else f"concept-{at}"] = text
    nodes = [
        GraphNode(name=name, display_name=text, community_id=at % 14 or None, note_count=at + 1)
        for at, (name, text) in enumerate(names.items())
    ]
    ring = map(sorted, pairwise([*names, next(iter(names))]))
    edges = [
        GraphEdge(a=a, b=b, co_occurrence_count=at + 1, weighted_score=at / 8)
        for at, (a, b) in enumerate(ring)
    ]
    return nodes, edges


def fit(text: str) -> str:
    """Return what a label shows of ``text``, said in another way than the code does."""
    return re.sub(
        "[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]",
        lambda match: " " if match[0] in "\t\n\v\f\r\x85" else "\ufffd",
        text,
    )


def meant(graph: Graph) -> tuple[Nodes, Edges]:
    nodes, edges = graph
    return (
        {n.name: (fit(n.display_name), n.community_id, n.note_count) for n in nodes},
        {(e.a, e.b): (e.co_occurrence_count, e.weighted_score) for e in edges},
    )


def meant_by_dot(graph: Graph) -> tuple[Nodes, Edges]:
    nodes, edges = meant(graph)
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


@settings(derandomize=True, deadline=None)
@given(graphs(), st.sampled_from(WRITERS))
@example(hostile_graph(), formats.mermaid)
@example(hostile_graph(), formats.dot)
@example(hostile_graph(), formats.graphml)
def test_no_text_steers_a_terminal(graph: Graph, write: Callable[..., str]) -> None:
    assert not STEERING.search(write(*graph))


@settings(derandomize=True, deadline=None)
@given(graphs())
@example(hostile_graph())
def test_networkx_reads_from_graphml_what_was_meant(graph: Graph) -> None:
    assert read_by_networkx(formats.graphml(*graph)) == meant(graph)


@settings(derandomize=True, deadline=None)
@given(graphs())
@example(hostile_graph())
def test_igraph_reads_from_graphml_what_was_meant(graph: Graph) -> None:
    assert read_by_igraph(formats.graphml(*graph)) == meant(graph)


@settings(derandomize=True, deadline=None)
@given(graphs(names=labels))
@example(([node(text) for text in HOSTILE], []))
def test_graphml_keeps_even_names_that_no_concept_has(graph: Graph) -> None:
    names = set(read_by_networkx(formats.graphml(*graph))[0])
    assert names == {node.name for node in graph[0]}


def test_graphml_has_declared_keys_and_nothing_besides() -> None:
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


@settings(derandomize=True, deadline=None, max_examples=60)
@given(graphs())
@example(hostile_graph())
def test_pydot_reads_from_dot_what_was_meant(graph: Graph) -> None:
    assert read_by_pydot(formats.dot(*graph)) == meant_by_dot(graph)


def drawn_by_graphviz(graph: Graph, kind: str) -> bytes:
    if not shutil.which("dot"):
        # A second reader, where a machine has it; pydot reads the same texts everywhere.
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
    assert sorted(shown) == sorted(label for label, _, _ in meant_by_dot(graph)[0].values())


def test_graphviz_makes_sound_svg_of_hostile_names() -> None:
    root = ET.fromstring(drawn_by_graphviz(hostile_graph(), "svg"))
    kinds = [group.get("class") for group in root.iter("{http://www.w3.org/2000/svg}g")]
    assert kinds.count("node") == kinds.count("edge") == len(HOSTILE)


MERMAID_LINE = re.compile(
    r'graph LR|  (?P<id>n\d+)\["(?P<label>(?:[^\W_]| |#\d+;)+)"\](?::::(?P<colour>c\d+))?'
    r"|  (?P<a>n\d+) ---\|(?P<count>\d+)\| (?P<b>n\d+)|  classDef c\d+ fill:#\w{6},color:#000000"
)


def seen_in_mermaid(label: str) -> str:
    """Return what a label looks like: HTML has no runs of spaces, and Mermaid marks of its own."""
    spaced = " ".join(part for part in fit(label).split(" ") if part) or "\u00a0"
    return spaced.replace("ﬂ°", "ﬂ\u2060°").replace("¶ß", "¶\u2060ß")


def read_mermaid(text: str) -> tuple[list[str], dict[tuple[int, int], int]]:
    labels: list[str] = []
    edges = {}
    for line in text.removesuffix("\n").split("\n"):
        match = MERMAID_LINE.fullmatch(line)
        assert match, line
        assert not re.search(r"direction\s", line, re.IGNORECASE)
        if match["id"]:
            assert match["id"] == f"n{len(labels)}"
            labels.append(re.sub(r"#(\d+);", lambda number: chr(int(number[1])), match["label"]))
        elif match["count"]:
            edges[int(match["a"][1:]), int(match["b"][1:])] = int(match["count"])
    return labels, edges


@settings(derandomize=True, deadline=None)
@given(graphs())
@example(hostile_graph())
def test_mermaid_is_letters_and_numbers_in_a_narrow_grammar(graph: Graph) -> None:
    nodes = sorted(graph[0], key=lambda node: node.name)
    labels, edges = read_mermaid(formats.mermaid(*graph))
    assert labels == [seen_in_mermaid(node.display_name) for node in nodes]
    assert {(nodes[a].name, nodes[b].name): count for (a, b), count in edges.items()} == {
        (edge.a, edge.b): edge.co_occurrence_count for edge in graph[1]
    }


def test_a_community_is_a_colour() -> None:
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


def large_graph(node_count: int, edge_count: int, label: str) -> Graph:
    nodes = [
        GraphNode(name=f"x{at}", display_name=label, community_id=at % 30, note_count=1)
        for at in range(node_count)
    ]
    pairs = (sorted((f"x{at % node_count}", f"x{at * 7 % node_count}")) for at in range(edge_count))
    edges = [
        GraphEdge(a=a, b=b, co_occurrence_count=at, weighted_score=float(at))
        for at, (a, b) in enumerate(pairs)
        if a != b
    ]
    return nodes, edges


@pytest.mark.parametrize("label", ["x", "x" * 200, '"' * 200, "𐐀" * 200])
@pytest.mark.parametrize("counts", [(100, 2_000), (5_000, 20_000), (5_000, 0)])
def test_mermaid_is_never_more_than_mermaid_draws(counts: tuple[int, int], label: str) -> None:
    nodes, edges = large_graph(*counts, label)
    text = formats.mermaid(nodes, edges)
    assert len(text.encode("utf-16-le")) // 2 <= 50_000
    assert 10 <= text.count("[") <= len(nodes)
    assert text.count("---|") <= 500
    said = re.search(r"%% (\d+) of (\d+) concepts, (\d+) of (\d+) edges", text)
    assert said
    assert tuple(map(int, said.groups())) == (
        *(text.count("["), len(nodes)),
        *(text.count("---|"), len(edges)),
    )


def test_a_cut_diagram_keeps_the_first_nodes_and_the_strongest_edges() -> None:
    nodes, edges = large_graph(600, 20_000, "y" * 150)
    text = formats.mermaid(nodes, edges)
    kept = {node.name for node in nodes[: text.count("[")]}
    among = [e.co_occurrence_count for e in edges if e.a in kept and e.b in kept]
    assert len(among) > 500
    counts = sorted(map(int, re.findall(r"---\|(\d+)\|", text)))
    assert counts == sorted(among)[-500:]
    assert 49_000 < len(text) <= 50_000


@settings(derandomize=True, deadline=None)
@given(graphs(names=labels))
@example(hostile_graph())
def test_no_text_harms_a_terminal(graph: Graph) -> None:
    """Nothing unseen is in a text, but for what Graphviz knows no other way to write."""
    for write in WRITERS:
        text = write(*graph)
        text.encode()
        assert all(c.isprintable() or c == "\n" or c > "\uffff" for c in text)


@settings(derandomize=True, deadline=None)
@given(graphs(), st.integers())
def test_the_same_graph_gives_the_same_text(graph: Graph, seed: int) -> None:
    nodes, edges = graph
    order = random.Random(seed)
    others = order.sample(nodes, len(nodes)), order.sample(edges, len(edges))
    assert [write(*others) for write in WRITERS] == [write(nodes, edges) for write in WRITERS]


def test_an_empty_graph_is_a_graph() -> None:
    assert read_by_networkx(formats.graphml([], [])) == ({}, {})
    assert read_by_pydot(formats.dot([], [])) == ({}, {})
    assert read_mermaid(formats.mermaid([], [])) == ([], {})


@pytest.mark.parametrize("name", get_args(get_type_hints(requests.GraphRequest)["format"])[1:])
def test_a_graph_comes_in_every_format(name: str) -> None:
    snapshot = snapshot_of({"1.md": '[[a"; end<script>&#124;]] [[plain]]'})
    request = requests.GraphRequest(format=name)  # type: ignore[arg-type]
    reply = drawing.draw(drawing.subgraph(snapshot, request, NOW_S), name, "vault")
    assert isinstance(reply, replies.GraphText)
    assert reply.format == name
    assert "plain" in reply.text
    assert "<script>&#" not in reply.text
