"""A piece of the concept graph, as data or as a drawing.

A large piece takes longer than a query may hold up others, so it is drawn in two steps: a sketch,
taken from one revision at once, and what is made of it, which needs the revision no more.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.formulas.decay import WEIGHT_UNIT, rounded_weights
from clew.index.graph_rows import restricted_rows
from clew.index.pair_sums import sum_over_pairs
from clew.query.draw.formats import dot, graphml, mermaid
from clew.query.draw.webpage import Page, PageCommunity, page
from clew.query.graph.expand import SEEDS, best, expand, first_steps, shown_from
from clew.query.graph.paths import unknown_concept
from clew.values import replies, requests
from clew.values.arrays import Int64Array
from clew.values.communities import Community

EDGES_MAX = 20_000
SMALL_CELLS, SMALL_NODES = 10_000, 100
PAGE_EDGES_MAX = 6_000  # what a browser moves smoothly


@dataclass(frozen=True, slots=True)
class Sketch:
    """What a drawing takes of one revision; all else follows from it."""

    revision: int
    focus: str | None  # the concept in the middle
    nodes: tuple[replies.GraphNode, ...]
    cells: Int64Array  # places in the sorted names of the nodes, row after row of notes
    lengths: Int64Array
    weights: Int64Array  # of the notes, in units of ``WEIGHT_UNIT``
    communities: tuple[Community, ...]  # of the nodes, the largest first
    files: Mapping[str, str]  # concept -> path of the note that it is

    @property
    def is_small(self) -> bool:
        """Whether it is drawn sooner than another thread would take it."""
        return len(self.cells) <= SMALL_CELLS and len(self.nodes) <= SMALL_NODES


def sketch(snapshot: Snapshot, request: requests.GraphRequest, now_s: float) -> Sketch:
    """Return what the graph around a concept is made of, or that of the most mentioned concepts.

    Raises:
        NotFound: no note mentions the concept.
    """
    graph, focus = snapshot.graph, None
    if request.concept_name is None:
        ids = graph.most_mentioned(request.max_nodes)
    else:
        ids = _around(snapshot, request, now_s)
        focus = graph.name(ids[0])
    cells, lengths, notes = restricted_rows(graph, sorted(ids, key=graph.name))
    nodes = tuple(_node(snapshot, concept_id) for concept_id in ids)
    shown = {node.community_id for node in nodes}
    return Sketch(
        revision=snapshot.revision,
        focus=focus,
        nodes=nodes,
        cells=cells,
        lengths=lengths,
        weights=np.rint(snapshot.weights(now_s)[notes] / WEIGHT_UNIT).astype(np.int64),
        communities=tuple(
            community for community in snapshot.communities.by_id.values() if community.id in shown
        ),
        files={
            node.name: min(snapshot.paths_by_concept[node.name])
            for node in nodes
            if node.name in snapshot.paths_by_concept
        },
    )


def drawn(sketch: Sketch, kind: str, vault: str) -> replies.GraphJson | replies.GraphText:
    """Return the drawing of a sketch in the format ``kind``; ``vault`` is the vault's name."""
    if kind == "html":
        text = _webpage(sketch, vault)
    else:
        edges = edges_of(sketch)
        if kind == "json":
            return replies.GraphJson(revision=sketch.revision, nodes=sketch.nodes, edges=edges)
        text = _WRITERS[kind](sketch.nodes, edges)
    return replies.GraphText(revision=sketch.revision, format=kind, text=text)


_WRITERS = {"mermaid": mermaid, "dot": dot, "graphml": graphml}


def _webpage(sketch: Sketch, vault: str) -> str:
    names = {node.name: node.display_name for node in sketch.nodes}
    return page(
        Page(
            title=f"{vault}: {names[sketch.focus]}" if sketch.focus else vault,
            vault=vault,
            nodes=sketch.nodes,
            edges=edges_of(sketch, PAGE_EDGES_MAX),
            communities=tuple(
                PageCommunity(row.id, ", ".join(names.get(name, name) for name in row.label))
                for row in sketch.communities
            ),
            files=sketch.files,
            focus=sketch.focus,
        )
    )


def _around(snapshot: Snapshot, request: requests.GraphRequest, now_s: float) -> list[int]:
    graph = snapshot.graph
    assert request.concept_name is not None
    name = snapshot.concept_named(request.concept_name)
    start = graph.concept_id(name) if name is not None else None
    if start is None:
        raise unknown_concept(snapshot, request.concept_name)
    ids = [start]
    if request.depth == 0:
        return ids
    around = snapshot.neighbours(start, now_s)
    ranked = best(graph, around, max(request.max_nodes - 1, SEEDS))
    ids += [concept_id for *_, concept_id in ranked[: request.max_nodes - 1]]
    room = request.max_nodes - len(ids)
    if request.depth > 1 and room > 0:
        seeds = first_steps(around, ranked)
        is_shown = shown_from(graph, start, around)
        reached = expand(snapshot, now_s, start, seeds, is_shown, request.depth, room)
        ids += [found.concept for found in reached]
    return ids


def _node(snapshot: Snapshot, concept_id: int) -> replies.GraphNode:
    name = snapshot.graph.name(concept_id)
    return replies.GraphNode(
        name=name,
        display_name=snapshot.display(name),
        community_id=snapshot.community_id(name),
        note_count=snapshot.graph.note_count(concept_id),
    )


def edges_of(sketch: Sketch, most: int = EDGES_MAX) -> tuple[replies.GraphEdge, ...]:
    """Return the edges of a sketch, the strongest first, at most ``most``."""
    values = np.stack([np.ones_like(sketch.weights), sketch.weights])
    first, second, (counts, sums) = sum_over_pairs(sketch.cells, sketch.lengths, values)
    kept = np.arange(len(sums))
    if len(sums) > most:  # what cannot be among the strongest need not be sorted
        kept = np.flatnonzero(sums >= np.partition(sums, -most)[-most])
    order = kept[np.lexsort((second[kept], first[kept], -counts[kept], -sums[kept]))][:most]
    names = sorted(node.name for node in sketch.nodes)
    return tuple(
        map(
            replies.GraphEdge,
            map(names.__getitem__, first[order].tolist()),
            map(names.__getitem__, second[order].tolist()),
            counts[order].tolist(),
            rounded_weights(sums[order]).tolist(),
        )
    )
