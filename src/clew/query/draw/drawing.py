"""The ``graph`` method: a part of the concept graph, as data, a diagram or a web page.

Drawing a large subgraph takes too long for the event loop, so there are two steps: ``subgraph``
finds the nodes and their rows, in slices, and ``draw`` needs nothing else, so it may run on another
thread.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.formulas.decay import WEIGHT_UNIT, rounded_weights
from clew.index.graph_rows import restricted_rows
from clew.index.structures.pair_sums import sum_over_pairs
from clew.query.draw.edges import drawn_edges, strongest_first
from clew.query.draw.formats import dot, graphml, mermaid
from clew.query.draw.page_notes import PageNote, Rows, page_notes
from clew.query.draw.webpage import Page, PageCommunity, Totals, page
from clew.query.graph.expand import Origin, expand, strongest_in_slices
from clew.query.highest import highest_in_slices
from clew.query.references.locate import locate_concept_shown
from clew.query.slices import PAUSE, Slices, elsewhere, mapped
from clew.query.suggest import close_concepts, ignored_names
from clew.text.masking.secrets import masked
from clew.values import replies, requests
from clew.values.arrays import Int32Array, Int64Array
from clew.values.requests import EDGES_MAX

PAGE_EDGES_MAX = 6_000  # a browser can still animate this many smoothly
SMALL_CELLS, SMALL_NODES = 10_000, 100


@dataclass(frozen=True, slots=True)
class Subgraph:
    """Some concepts and the rows of the notes that mention them.

    A row holds those concepts of one note that are nodes, as indexes into their sorted names.
    """

    snapshot: Snapshot  # the notes are described from it
    focus: str | None  # the concept asked for; None: the most mentioned concepts
    nodes: tuple[replies.GraphNode, ...]
    cells: Int64Array  # row after row
    lengths: Int64Array  # by row
    notes: Int32Array  # by row: the id of its note
    weights: Int64Array  # by row: the weight of its note, in units of ``WEIGHT_UNIT``
    labels: dict[int, tuple[str, ...]]  # of the communities of the nodes, largest first
    note_paths: Mapping[str, str]  # by concept name; only concepts that are notes
    unknown: tuple[str, ...] = ()  # the concept asked for, if no note mentions it
    ignored: tuple[str, ...] = ()  # the same, if the rules of the vault ignore it
    suggestions: tuple[str, ...] = ()  # concepts with names similar to that
    max_edges: int | None = None  # as asked for; None: as many as suit the format
    live: bool = False  # whether a web page of it asks for newer versions of itself

    @property
    def display_suggestions(self) -> tuple[str, ...]:
        """The display names of the suggestions."""
        return tuple(map(self.snapshot.display, self.suggestions))

    @property
    def is_small(self) -> bool:
        """Whether drawing it takes less time than handing it to another thread."""
        return len(self.cells) <= SMALL_CELLS and len(self.nodes) <= SMALL_NODES


def subgraph(snapshot: Snapshot, request: requests.GraphRequest, now_s: float) -> Slices[Subgraph]:
    """Return the subgraph around a concept, or of the most mentioned concepts.

    If no note mentions the concept, the subgraph has suggestions and no nodes.

    Raises:
        Ambiguous: several notes have the concept's name.
    """
    graph, focus = snapshot.graph, None
    unknown: tuple[str, ...] = ()
    if request.concept_name is None:
        counts = graph.note_counts.astype(np.float64)
        mentioned = np.flatnonzero(counts)
        ids = (
            yield from highest_in_slices(mentioned, counts, graph.name, request.nodes_max)
        ).tolist()
    elif (focus := (yield from locate_concept_shown(snapshot, request.concept_name))) is None:
        ids, unknown = [], (request.concept_name,)
    else:
        start = graph.concept_id(focus)
        assert start is not None
        ids = yield from _ids_around(snapshot, request, now_s, start)
    yield PAUSE
    nodes = yield from mapped(partial(_node, snapshot), ids)
    by_name = sorted(zip((node.name for node in nodes), ids, strict=True))
    yield PAUSE
    rows = partial(restricted_rows, graph, [concept_id for _, concept_id in by_name])
    is_short = len(nodes) <= SMALL_NODES
    cells, lengths, notes = rows() if is_short else (yield from elsewhere(rows))
    yield PAUSE
    note_paths = yield from mapped(partial(_first_path, snapshot), nodes)
    return Subgraph(
        snapshot=snapshot,
        focus=focus,
        nodes=tuple(nodes),
        cells=cells,
        lengths=lengths,
        notes=notes,
        weights=np.rint(snapshot.edge_weights(now_s)[notes] / WEIGHT_UNIT).astype(np.int64),
        labels=_labels(snapshot, nodes),
        note_paths={node.name: path for node, path in zip(nodes, note_paths, strict=True) if path},
        unknown=unknown,
        ignored=ignored_names(snapshot, unknown),
        suggestions=(yield from close_concepts(snapshot, unknown)),
        max_edges=request.max_edges,
        live=request.live,
    )


def _labels(snapshot: Snapshot, nodes: Iterable[replies.GraphNode]) -> dict[int, tuple[str, ...]]:
    """Return the concepts that name each community of the nodes, by its id."""
    ids = {node.community_id for node in nodes}
    rows = (row for row in snapshot.communities.by_id.values() if row.id in ids)
    return {row.id: snapshot.names_of_community(row).label for row in rows}


def _first_path(snapshot: Snapshot, node: replies.GraphNode) -> str | None:
    """Return the path of the note that a concept is; the first by path if there are several."""
    path = min(snapshot.paths_by_concept.get(node.name, ()), default=None)
    return None if path is None else masked(path)[0]


def draw(subgraph: Subgraph, format_name: str, vault: str) -> replies.GraphJson | replies.GraphText:
    """Return ``subgraph`` in the format of the request; ``vault`` is the vault's name."""
    if format_name == "html":
        text = _webpage(subgraph, vault)
    elif format_name == "mermaid":
        text = mermaid(subgraph.nodes, *_edges(subgraph, _readable(len(subgraph.nodes))))
    else:
        edges, edge_count = _edges(subgraph, EDGES_MAX)
        if format_name == "json":
            return replies.GraphJson(
                revision=subgraph.snapshot.revision,
                nodes=subgraph.nodes,
                edges=edges,
                edge_count=edge_count,
                unknown=subgraph.unknown,
                ignored=subgraph.ignored,
                suggestions=subgraph.suggestions,
                display_suggestions=subgraph.display_suggestions,
            )
        text = (dot if format_name == "dot" else graphml)(subgraph.nodes, edges)
    return replies.GraphText(
        revision=subgraph.snapshot.revision,
        format=format_name,
        text=text,
        unknown=subgraph.unknown,
        ignored=subgraph.ignored,
        suggestions=subgraph.suggestions,
        display_suggestions=subgraph.display_suggestions,
    )


def _readable(node_count: int) -> int:
    """Return how many edges a diagram may have before its lines hide each other."""
    return node_count * 3 // 2


def _webpage(subgraph: Subgraph, vault: str) -> str:
    names = {node.name: node.display_name for node in subgraph.nodes}
    edges, edge_count = _edges(subgraph, PAGE_EDGES_MAX, PAGE_EDGES_MAX)
    concept_count = int(np.count_nonzero(subgraph.snapshot.graph.note_counts))
    return page(
        Page(
            title=f"{vault}: {names[subgraph.focus]}" if subgraph.focus else vault,
            vault=vault,
            nodes=subgraph.nodes,
            edges=edges,
            communities=tuple(
                PageCommunity(number, ", ".join(names.get(name, name) for name in label))
                for number, label in subgraph.labels.items()
            ),
            note_paths=subgraph.note_paths,
            focus=subgraph.focus,
            notes=_notes(subgraph, edges),
            totals=Totals(concept_count, edge_count, len(subgraph.notes)),
            live=subgraph.live,
        )
    )


def _notes(subgraph: Subgraph, edges: Iterable[replies.GraphEdge]) -> tuple[PageNote, ...]:
    """Return the notes behind the nodes and ``edges`` that the page lists."""
    node_by_name = {node.name: at for at, node in enumerate(subgraph.nodes)}
    nodes_sorted_by_name = np.array(
        [node_by_name[name] for name in sorted(node_by_name)], dtype=np.int64
    )
    ends = [(node_by_name[edge.a], node_by_name[edge.b]) for edge in edges]
    rows = Rows(nodes_sorted_by_name[subgraph.cells], subgraph.lengths)
    return page_notes(subgraph.snapshot, subgraph.notes, rows, ends)


def _ids_around(
    snapshot: Snapshot, request: requests.GraphRequest, now_s: float, start: int
) -> Slices[list[int]]:
    """Return the ids of ``start`` and of the best concepts within ``request.depth`` steps."""
    if request.depth == 0:
        return [start]
    neighbour_count_max = request.nodes_max - 1
    neighbours = snapshot.neighbours(start, now_s)
    ranked = yield from strongest_in_slices(snapshot.graph, neighbours, neighbour_count_max)
    ids = [start, *(concept for *_, concept in ranked)]
    room = request.nodes_max - len(ids)
    if room > 0:
        origin = Origin(start, neighbours)
        reached = yield from expand(snapshot, now_s, origin, request.depth, room)
        ids += [row.concept for row in reached]
    return ids


def _node(snapshot: Snapshot, concept_id: int) -> replies.GraphNode:
    name = snapshot.graph.name(concept_id)
    return replies.GraphNode(
        name=name,
        # In a drawing, the first line of a private key would hide what follows it too.
        display_name=masked(snapshot.display(name))[0],
        community_id=snapshot.community_id(name),
        note_count=snapshot.graph.note_count(concept_id),
    )


def _edges(
    subgraph: Subgraph, default: int, most: int = EDGES_MAX
) -> tuple[tuple[replies.GraphEdge, ...], int]:
    """Return the edges to draw, and the number of all edges.

    As many are drawn as were asked for, ``most`` at most, or else ``default``. If some are left
    out, each node's strongest come before all others; see ``drawn_edges``. The edges are ordered by
    falling weight, falling count, then names.
    """
    values = np.stack([np.ones_like(subgraph.weights), subgraph.weights])
    first, second, (counts, sums) = sum_over_pairs(subgraph.cells, subgraph.lengths, values)
    order = strongest_first(sums, counts)
    edge_count = len(order)
    count_max = default if subgraph.max_edges is None else min(subgraph.max_edges, most)
    if edge_count > count_max:
        order = order[drawn_edges(first[order], second[order], count_max)]
    names = sorted(node.name for node in subgraph.nodes)
    columns = (
        map(names.__getitem__, first[order].tolist()),
        map(names.__getitem__, second[order].tolist()),
        counts[order].tolist(),
        rounded_weights(sums[order]).tolist(),
    )
    # A loop in Python lets other threads run in between; ``map`` would hold the lock to its end.
    edges = [replies.GraphEdge(*row) for row in zip(*columns, strict=True)]
    return tuple(edges), edge_count
