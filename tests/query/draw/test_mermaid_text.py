"""Mermaid text: a small grammar, labels of letters and numbers, and the limits of Mermaid."""

import re

from hypothesis import example, given

from clew.query.draw import formats
from tests.examples import examples
from tests.query.draw.graphs import Graph, expected_label, graphs, hostile_graph, large_graph
from tests.tables import for_each_row

MERMAID_LINE = re.compile(
    r'graph LR|  (?P<id>n\d+)\["(?P<label>(?:[^\W_]| |#\d+;)+)"\](?::::(?P<colour>c\d+))?'
    r"|  (?P<a>n\d+) ---\|(?P<count>\d+)\| (?P<b>n\d+)|  classDef c\d+ fill:#\w{6},color:#000000"
)


def label_in_mermaid(label: str) -> str:
    """Return a label as shown: spaces collapse as in HTML, and Mermaid's own marks are split."""
    spaced = " ".join(part for part in expected_label(label).split(" ") if part) or "\u00a0"
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


@examples()
@given(graphs())
@example(hostile_graph())
def test_mermaid_is_letters_and_numbers_in_a_narrow_grammar(graph: Graph) -> None:
    nodes = sorted(graph[0], key=lambda node: node.name)
    labels, edges = read_mermaid(formats.mermaid(*graph))
    assert labels == [label_in_mermaid(node.display_name) for node in nodes]
    assert {(nodes[a].name, nodes[b].name): count for (a, b), count in edges.items()} == {
        (edge.a, edge.b): edge.co_occurrence_count for edge in graph[1]
    }


@for_each_row("label", ["x", "x" * 200, '"' * 200, "𐐀" * 200])
@for_each_row("counts", [(100, 2_000), (5_000, 20_000), (5_000, 0)])
def test_text_stays_within_the_limits_of_mermaid(counts: tuple[int, int], label: str) -> None:
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
