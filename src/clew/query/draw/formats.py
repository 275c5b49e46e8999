"""Mermaid, Graphviz and GraphML text of a subgraph.

Each function turns nodes and edges into text with these nodes and edges only, whatever the names
contain. Nodes are sorted by name and edges by their two names, so equal graphs give equal text.

A label is a display name made safe to show: white-space control characters become spaces; other
control characters, lone surrogates, U+FFFE and U+FFFF become U+FFFD. Invisible characters (joiners,
direction marks, unusual spaces) are written as numeric character references, which each format
decodes when it shows the label. So no name can reorder the text beside it in a terminal.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice

from clew.values.replies import SCORE_DECIMALS, GraphEdge, GraphNode

# Mermaid shows an error instead of a larger diagram. Only the program that shows the diagram can
# raise these limits (``maxTextSize``, ``maxEdges``), not the diagram.
MERMAID_CHARACTERS_MAX = 50_000
MERMAID_EDGES_MAX = 500

# ColorBrewer's Set3, on which black text is readable; Graphviz calls it set312.
_COLOURS = (
    *("8dd3c7", "ffffb3", "bebada", "fb8072", "80b1d3", "fdb462"),
    *("b3de69", "fccde5", "d9d9d9", "bc80bd", "ccebc5", "ffed6f"),
)
_PEN_MIN, _PEN_MAX = 0.5, 5.0

# Replacements of characters that a label cannot show.
_SHOWABLE = dict.fromkeys(
    chain(range(0x20), range(0x7F, 0xA0), range(0xD800, 0xE000), (0xFFFE, 0xFFFF)), "\ufffd"
) | dict.fromkeys(map(ord, "\t\n\v\f\r\x85"), " ")

# All but letters and digits of the Basic Multilingual Plane, and single spaces. A space after
# "direction" counts too: Mermaid reads "direction TB" as a statement even inside a label.
_NOT_PLAIN = re.compile(r"[^\w ]|_|[\U00010000-\U0010ffff]|(?<=(?i:direction)) ")
# Mermaid replaces "#" and ";" by these pairs while it parses, so a label must not contain them.
_MERMAID_MARKS = re.compile("(?<=ﬂ)(?=°)|(?<=¶)(?=ß)")
_JOINER = "\u2060"  # invisible
_SPACES = re.compile(" +")
# Characters that XML 1.0 forbids, and "_" where it would look like the escape of one.
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-F]{4})")
_XML_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
# Graphviz 2.43 reads references of up to 16 bits, so larger invisible characters are replaced.
_SHOWABLE_IN_DOT = _SHOWABLE | dict.fromkeys(range(0xE0000, 0xE0080), "\ufffd")  # tag characters
_DOT_MARKUP = str.maketrans({"&": "&amp;", "\\": r"\\", '"': r"\""})


def mermaid(
    nodes: Sequence[GraphNode], edges: Sequence[GraphEdge], edge_count: int | None = None
) -> str:
    """Return a Mermaid flowchart: edges show note counts, colours show communities.

    Labels consist of letters, digits, single spaces, and references to all other characters, so no
    name is read as syntax, Markdown or HTML.

    A graph too large for Mermaid is cut: the first ``nodes`` are kept, as many as fit with their
    edges, and the strongest edges among them. A comment says how much is drawn of all nodes and
    edges; ``edge_count`` is the number of all edges if ``edges`` are only some.
    """
    labels = _fitting_labels(nodes)
    ranked = sorted(edges, key=_strongest_first)
    all_count = len(edges) if edge_count is None else edge_count
    if len(labels) == len(nodes):
        text = _flowchart(nodes, ranked, labels, len(nodes), all_count)
        if len(text) <= MERMAID_CHARACTERS_MAX:
            return text
    too_many = bisect_right(
        range(len(labels)),
        MERMAID_CHARACTERS_MAX,
        key=lambda count: len(_flowchart(nodes, ranked, labels, count, all_count)),
    )
    return _flowchart(nodes, ranked, labels, too_many - 1, all_count)


def dot(nodes: Sequence[GraphNode], edges: Sequence[GraphEdge]) -> str:
    r"""Return an undirected Graphviz graph: node ids are concept names, colours show communities.

    Ids and labels have ``\\`` for ``\``, ``\"`` for ``"`` and ``&amp;`` for ``&``. Graphviz decodes
    all three in labels, but only ``\"`` in ids. In labels, tag characters (U+E0000 to U+E007F)
    become U+FFFD, since Graphviz cannot read references to them. In ids, characters that XML
    forbids are escaped as in ``graphml``, because Graphviz copies ids into SVG.
    """
    strongest = max((edge.weighted_score for edge in edges), default=0.0)
    return "\n".join(
        [
            "graph {",
            "  graph [overlap=false];",
            '  node [shape=box, style="rounded,filled", fillcolor=white];',
            *(
                f"  {_dot_id(node.name)} [label={_dot_label(node.display_name)},"
                f" notes={node.note_count}{_dot_community(node)}];"
                for node in _by_name(nodes)
            ),
            *(
                f"  {_dot_id(edge.a)} -- {_dot_id(edge.b)} [count={edge.co_occurrence_count},"
                f" weight={_decimal(edge.weighted_score)},"
                f" penwidth={_pen_width(edge.weighted_score, strongest)}];"
                for edge in _by_names(edges)
            ),
            "}\n",
        ]
    )


def graphml(nodes: Sequence[GraphNode], edges: Sequence[GraphEdge]) -> str:
    """Return an undirected graph in GraphML, which Gephi, yEd and networkx read.

    ``name`` is the exact concept name; characters that XML forbids are escaped as ``_xHHHH_``, with
    the code point in hexadecimal, and so is a ``_`` that would begin such an escape. ``label`` is
    the display name. ``community`` is left out for concepts in no community.
    """
    ids = {node.name: f"n{index}" for index, node in enumerate(_by_name(nodes))}
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
            *(
                f'  <key id="{key}" for="{element}" attr.name="{key}" attr.type="{kind}"/>'
                for key, element, kind in _GRAPHML_KEYS
            ),
            '  <graph id="concepts" edgedefault="undirected">',
            *(_graphml_node(ids[node.name], node) for node in _by_name(nodes)),
            *(_graphml_edge(ids[edge.a], ids[edge.b], edge) for edge in _by_names(edges)),
            "  </graph>",
            "</graphml>\n",
        ]
    )


_GRAPHML_KEYS = (
    ("name", "node", "string"),
    ("label", "node", "string"),
    ("community", "node", "int"),
    ("notes", "node", "int"),
    ("count", "edge", "int"),
    ("weight", "edge", "double"),
)


def _by_name(nodes: Sequence[GraphNode]) -> list[GraphNode]:
    return sorted(nodes, key=lambda node: node.name)


def _by_names(edges: Iterable[GraphEdge]) -> list[GraphEdge]:
    # A sort holds Python's lock. One by pairs of names takes longer than both of these together.
    return sorted(sorted(edges, key=lambda edge: edge.b), key=lambda edge: edge.a)


def _strongest_first(edge: GraphEdge) -> tuple[float, int, str, str]:
    return -edge.weighted_score, -edge.co_occurrence_count, edge.a, edge.b


def _decimal(score: float) -> str:
    """Return a score rounded as in replies, without an exponent, which Graphviz cannot read."""
    return f"{score:.{SCORE_DECIMALS}f}".rstrip("0").rstrip(".")


def _colour(community_id: int) -> int:
    return community_id % len(_COLOURS)


def _fitting_labels(nodes: Sequence[GraphNode]) -> dict[str, str]:
    """Return labels by node name, for the first nodes and up to one that does not fit a diagram."""
    labels: dict[str, str] = {}
    room = MERMAID_CHARACTERS_MAX
    for node in nodes:
        if room < 0:
            break
        labels[node.name] = _plain(node.display_name)
        room -= len(labels[node.name])
    return labels


def _flowchart(
    all_nodes: Sequence[GraphNode],
    ranked_edges: Sequence[GraphEdge],
    labels: Mapping[str, str],
    count: int,
    edge_count: int,
) -> str:
    """Return the chart of the first ``count`` nodes and the strongest edges among them.

    ``edge_count``: of all edges, to say how many are left out.
    """
    nodes = _by_name(all_nodes[:count])
    ids = {node.name: f"n{index}" for index, node in enumerate(nodes)}
    inner_edges = (edge for edge in ranked_edges if edge.a in ids and edge.b in ids)
    edges = _by_names(islice(inner_edges, MERMAID_EDGES_MAX))
    lines = ["graph LR"]
    if (len(nodes), len(edges)) != (len(all_nodes), edge_count):
        lines.append(
            f"  %% {len(nodes)} of {len(all_nodes)} concepts, {len(edges)} of {edge_count} edges"
        )
    lines += [f'  {ids[node.name]}["{labels[node.name]}"]{_class(node)}' for node in nodes]
    lines += [f"  {ids[edge.a]} ---|{edge.co_occurrence_count}| {ids[edge.b]}" for edge in edges]
    communities = {node.community_id for node in nodes if node.community_id is not None}
    lines += [
        f"  classDef c{colour} fill:#{_COLOURS[colour]},color:#000000"
        for colour in sorted(set(map(_colour, communities)))
    ]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    label = _SPACES.sub(" ", text.translate(_SHOWABLE)).strip(" ")
    label = _MERMAID_MARKS.sub(_JOINER, label)
    # An empty label is a syntax error, so it becomes a no-break space.
    return _NOT_PLAIN.sub(lambda match: f"#{ord(match[0])};", label) or "#160;"


def _class(node: GraphNode) -> str:
    return "" if node.community_id is None else f":::c{_colour(node.community_id)}"


def _dot_id(name: str) -> str:
    escaped = _xml_escaped_name(name).translate(_DOT_MARKUP)
    return '"' + "".join(c if c.isprintable() else f"&#{ord(c)};" for c in escaped) + '"'


def _dot_label(text: str) -> str:
    escaped = text.translate(_SHOWABLE_IN_DOT).translate(_DOT_MARKUP)
    return (
        '"'
        + "".join(c if c.isprintable() or ord(c) > 0xFFFF else f"&#{ord(c)};" for c in escaped)
        + '"'
    )


def _dot_community(node: GraphNode) -> str:
    if node.community_id is None:
        return ""
    return f', community={node.community_id}, fillcolor="/set312/{_colour(node.community_id) + 1}"'


def _pen_width(score: float, strongest: float) -> str:
    share = score / strongest if strongest > 0 else 0.0
    return _decimal(round(_PEN_MIN + (_PEN_MAX - _PEN_MIN) * share, 2))


def _graphml_node(node_id: str, node: GraphNode) -> str:
    label = node.display_name.translate(_SHOWABLE)
    data = [
        f'<data key="name">{_xml(_xml_escaped_name(node.name))}</data>',
        f'<data key="label">{_xml(label)}</data>',
    ]
    if node.community_id is not None:
        data.append(f'<data key="community">{node.community_id}</data>')
    data.append(f'<data key="notes">{node.note_count}</data>')
    return f'    <node id="{node_id}">{"".join(data)}</node>'


def _graphml_edge(source: str, target: str, edge: GraphEdge) -> str:
    return (
        f'    <edge source="{source}" target="{target}">'
        f'<data key="count">{edge.co_occurrence_count}</data>'
        f'<data key="weight">{_decimal(edge.weighted_score)}</data></edge>'
    )


def _xml_escaped_name(name: str) -> str:
    """Return ``name`` with characters that XML forbids escaped, so that it can be decoded."""
    return _NOT_IN_XML.sub(lambda match: f"_x{ord(match[0]):04X}_", name)


def _xml(text: str) -> str:
    escaped = text.translate(_XML_MARKUP)
    return "".join(c if c.isprintable() else f"&#x{ord(c):X};" for c in escaped)
