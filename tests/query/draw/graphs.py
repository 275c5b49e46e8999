"""Random and hostile graphs to draw, and the labels expected of them."""

import re
from itertools import pairwise

from hypothesis import strategies as st

from clew.text.concept import normalize
from clew.values import replies
from clew.values.replies import GraphEdge, GraphNode
from tests.hostile_names import HOSTILE

Graph = tuple[list[GraphNode], list[GraphEdge]]


Nodes = dict[str, tuple[str, int | None, int]]  # name: label, community, notes


Edges = dict[tuple[str, str], tuple[int, float]]  # two names: count, weight


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
    """Return a ring of all hostile names as labels, and as concept names where possible."""
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


def expected_label(text: str) -> str:
    """Return the label expected for ``text``, computed in a different way than in the code."""
    return re.sub(
        "[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]",
        lambda match: " " if match[0] in "\t\n\v\f\r\x85" else "\ufffd",
        text,
    )


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
