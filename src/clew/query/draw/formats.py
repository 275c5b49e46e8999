"""A piece of the concept graph as text for other programs: Mermaid, Graphviz and GraphML.

Turns nodes and edges of a reply into one text that holds these and nothing else, whatever the names
hold. Nodes are written by name and edges by their two names, so the same graph gives the same text.

A label is a display name made fit to be shown: a control character that is white space becomes a
space; any other, a lone surrogate, U+FFFE and U+FFFF become U+FFFD. What cannot be seen (joiners,
marks of direction, odd spaces) is written by its number, as each format does that: it comes back to
who reads the text by its rules, a terminal leaves it alone, and no name reorders what stands beside
it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice

from clew.values.replies import SCORE_DECIMALS, GraphEdge, GraphNode

# Mermaid shows an error in place of a larger diagram. Both are settings of the program that shows
# it, Obsidian say: a diagram is not allowed to raise them.
MERMAID_CHARACTERS_MAX = 50_000
MERMAID_EDGES_MAX = 500

# Set3 of ColorBrewer, black on which can be read; Graphviz has it by the name of set312.
_COLOURS = (
    *("8dd3c7", "ffffb3", "bebada", "fb8072", "80b1d3", "fdb462"),
    *("b3de69", "fccde5", "d9d9d9", "bc80bd", "ccebc5", "ffed6f"),
)
_PEN_MIN, _PEN_MAX = 0.5, 5.0

# What a label shows in place of what cannot be shown.
_FIT = dict.fromkeys(
    chain(range(0x20), range(0x7F, 0xA0), range(0xD800, 0xE000), (0xFFFE, 0xFFFF)), "\ufffd"
) | dict.fromkeys(map(ord, "\t\n\v\f\r\x85"), " ")

# Plain are letters and digits, of the code points that count as one character in JavaScript too; no
# space after "direction", since a line with "direction TB" is that to Mermaid, even within a label.
_NOT_PLAIN = re.compile(r"[^\w ]|_|[\U00010000-\U0010ffff]|(?<=(?i:direction)) ")
# Mermaid writes "#" and ";" like this for a while, and takes what a label has of it for its own.
_MERMAID_MARKS = re.compile("(?<=ﬂ)(?=°)|(?<=¶)(?=ß)")
_JOINER = "\u2060"  # not to be seen
_SPACES = re.compile(" +")
# What XML 1.0 has no way to hold, and what could be taken for the way it is written instead.
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-F]{4})")
_XML_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
# Graphviz 2.43 reads a number of up to 16 bits, so a label has no other way to hold these.
_FIT_FOR_DOT = _FIT | dict.fromkeys(range(0xE0000, 0xE0080), "\ufffd")  # tag characters
_DOT_MARKUP = str.maketrans({"&": "&amp;", "\\": r"\\", '"': r"\""})


def mermaid(nodes: Sequence[GraphNode], edges: Sequence[GraphEdge]) -> str:
    """Return a Mermaid flowchart: edges say how many notes they have, colours are communities.

    A label is made of letters, digits, single spaces, and the numbers of all other characters, so
    that no name is syntax, Markdown or a tag.

    A graph larger than Mermaid draws is cut, and a comment says so: the first of ``nodes`` are
    kept, as many as fit with their edges, and of the edges the strongest.
    """
    labels = _labels_with_room(nodes)
    ranked = sorted(edges, key=_strongest_first)
    if len(labels) == len(nodes):
        text = _flowchart(nodes, ranked, labels, len(nodes))
        if len(text) <= MERMAID_CHARACTERS_MAX:
            return text
    fitting = bisect_right(
        range(len(labels)),
        MERMAID_CHARACTERS_MAX,
        key=lambda count: len(_flowchart(nodes, ranked, labels, count)),
    )
    return _flowchart(nodes, ranked, labels, fitting - 1)


def dot(nodes: Sequence[GraphNode], edges: Sequence[GraphEdge]) -> str:
    r"""Return an undirected graph for Graphviz: nodes by concept, labelled, coloured by community.

    Identifiers and labels alike have ``\\`` for ``\``, ``\"`` for ``"`` and ``&amp;`` for ``&``.
    Graphviz undoes all three where it shows a label, only ``\"`` where it names a node. A label has
    U+FFFD for a tag character (U+E0000 to U+E007F), which no number can stand for. What XML
    cannot hold is in an identifier as ``graphml`` has it, for Graphviz puts these into SVG.
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
    """Return an undirected graph in GraphML: what Gephi, yEd and networkx read.

    The ``name`` of a node is the concept, exactly: a character that XML cannot hold is ``_xHHHH_``,
    its number in four hexadecimal digits, and so is a ``_`` before ``x`` and four such digits. The
    ``label`` is for people. A node has no ``community`` where none is known.
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
    return sorted(edges, key=lambda edge: (edge.a, edge.b))


def _strongest_first(edge: GraphEdge) -> tuple[float, int, str, str]:
    return -edge.weighted_score, -edge.co_occurrence_count, edge.a, edge.b


def _decimal(score: float) -> str:
    """Return a score as replies round it, without an exponent, which Graphviz does not read."""
    return f"{score:.{SCORE_DECIMALS}f}".rstrip("0").rstrip(".")


def _colour(community_id: int) -> int:
    return community_id % len(_COLOURS)


def _labels_with_room(nodes: Sequence[GraphNode]) -> dict[str, str]:
    """Return the labels of the first nodes, by name, up to one too many for a diagram."""
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
) -> str:
    """Return the chart of the first ``count`` nodes and the first edges among them."""
    nodes = _by_name(all_nodes[:count])
    ids = {node.name: f"n{index}" for index, node in enumerate(nodes)}
    among = (edge for edge in ranked_edges if edge.a in ids and edge.b in ids)
    edges = _by_names(islice(among, MERMAID_EDGES_MAX))
    lines = ["graph LR"]
    if (len(nodes), len(edges)) != (len(all_nodes), len(ranked_edges)):
        lines.append(
            f"  %% {len(nodes)} of {len(all_nodes)} concepts, {len(edges)} of {len(ranked_edges)}"
            " edges: Mermaid draws no more"
        )
    lines += [f'  {ids[node.name]}["{labels[node.name]}"]{_class(node)}' for node in nodes]
    lines += [f"  {ids[edge.a]} ---|{edge.co_occurrence_count}| {ids[edge.b]}" for edge in edges]
    known = {node.community_id for node in nodes if node.community_id is not None}
    lines += [
        f"  classDef c{colour} fill:#{_COLOURS[colour]},color:#000000"
        for colour in sorted(set(map(_colour, known)))
    ]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    spaced = _SPACES.sub(" ", text.translate(_FIT)).strip(" ")
    parted = _MERMAID_MARKS.sub(_JOINER, spaced)
    # A label without a character would be an error.
    return _NOT_PLAIN.sub(lambda match: f"#{ord(match[0])};", parted) or "#160;"


def _class(node: GraphNode) -> str:
    return "" if node.community_id is None else f":::c{_colour(node.community_id)}"


def _dot_id(name: str) -> str:
    escaped = _holdable(name).translate(_DOT_MARKUP)
    return '"' + "".join(c if c.isprintable() else f"&#{ord(c)};" for c in escaped) + '"'


def _dot_label(text: str) -> str:
    escaped = text.translate(_FIT_FOR_DOT).translate(_DOT_MARKUP)
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
    label = node.display_name.translate(_FIT)
    data = [
        f'<data key="name">{_xml(_holdable(node.name))}</data>',
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


def _holdable(name: str) -> str:
    """Return a name that XML can hold, of which the name can be told."""
    return _NOT_IN_XML.sub(lambda match: f"_x{ord(match[0]):04X}_", name)


def _xml(text: str) -> str:
    escaped = text.translate(_XML_MARKUP)
    return "".join(c if c.isprintable() else f"&#x{ord(c):X};" for c in escaped)
