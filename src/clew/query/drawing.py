"""A piece of the concept graph, as data or as text for another program."""

from collections.abc import Sequence

from clew.engine.snapshot import Snapshot
from clew.query import formats
from clew.query.expand import SEEDS, best, expand, first_steps, hidden_from
from clew.query.paths import unknown_concept
from clew.values import replies, requests
from clew.values.replies import rounded

EDGES_MAX = 20_000

_WRITERS = {"mermaid": formats.mermaid, "dot": formats.dot, "graphml": formats.graphml}


def graph(
    snapshot: Snapshot, request: requests.GraphRequest, now_s: float
) -> replies.GraphJson | replies.GraphText:
    """Return the graph around a concept, or of the concepts that most notes mention.

    Raises:
        NotFound: no note mentions the concept.
    """
    if request.concept_name is None:
        ids = _most_mentioned(snapshot, request.max_nodes)
    else:
        ids = _around(snapshot, request, now_s)
    nodes = tuple(_node(snapshot, concept_id) for concept_id in ids)
    edges = _edges(snapshot, now_s, ids)
    if request.format == "json":
        return replies.GraphJson(revision=snapshot.revision, nodes=nodes, edges=edges)
    return replies.GraphText(
        revision=snapshot.revision,
        format=request.format,
        text=_WRITERS[request.format](nodes, edges),
    )


def _most_mentioned(snapshot: Snapshot, most: int) -> list[int]:
    graph = snapshot.graph
    ranked = sorted(
        (-graph.note_count(concept_id), name, concept_id)
        for name in graph.concepts()
        if (concept_id := graph.concept_id(name)) is not None
    )
    return [concept_id for _, _, concept_id in ranked[:most]]


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
    places = best(graph, around, max(request.max_nodes - 1, SEEDS))
    ids += [int(around.ids[at]) for at in places][: request.max_nodes - 1]
    room = request.max_nodes - len(ids)
    if request.depth > 1 and room > 0:
        seeds = first_steps(around, places)
        hidden = hidden_from(graph, start, around)
        reached = expand(snapshot, now_s, start, seeds, hidden, request.depth, room)
        ids += [found.concept for found in reached]
    return ids


def _node(snapshot: Snapshot, concept_id: int) -> replies.GraphNode:
    name = snapshot.graph.name(concept_id)
    return replies.GraphNode(
        name=name,
        display_name=snapshot.display(name),
        community_id=None,
        note_count=snapshot.graph.note_count(concept_id),
    )


def _edges(snapshot: Snapshot, now_s: float, ids: Sequence[int]) -> tuple[replies.GraphEdge, ...]:
    """Return the edges among ``ids``, the strongest first, at most ``EDGES_MAX``."""
    graph = snapshot.graph
    wanted = set(ids)
    edges = []
    for concept_id in ids:
        name = graph.name(concept_id)
        around = snapshot.neighbours(concept_id, now_s)
        for other, count, score in zip(
            around.ids.tolist(), around.counts.tolist(), around.scores.tolist(), strict=True
        ):
            if other in wanted and name < (other_name := graph.name(other)):
                edges.append(
                    replies.GraphEdge(
                        a=name,
                        b=other_name,
                        co_occurrence_count=count,
                        weighted_score=rounded(score),
                    )
                )
    edges.sort(key=lambda edge: (-edge.weighted_score, -edge.co_occurrence_count, edge.a, edge.b))
    return tuple(edges[:EDGES_MAX])
