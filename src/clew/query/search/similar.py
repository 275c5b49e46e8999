"""Concepts similar in meaning to another, by the vectors of their names."""

from collections.abc import Sequence
from typing import TypeAlias

from clew.engine.name_vectors import NameVectors
from clew.engine.snapshot import Snapshot
from clew.index.graph_rows import notes_shared_with
from clew.query.notes.references import locate_concept
from clew.query.paging import page
from clew.query.slices import Slices
from clew.query.suggest import close_concepts, ignored_names
from clew.values.replies import rounded
from clew.values.requests import Similar
from clew.values.search_replies import SimilarReply, SimilarRow

SIMILAR_MAX = 200  # concepts similar to one concept
# The 95th percentile of the similarity of unrelated names, by the model of the package: of the
# concepts of each two of seven vaults about different subjects (.13 to .33, mean .18).
SIMILARITY_MIN = 0.18

Falling: TypeAlias = tuple[float, str]  # minus the similarity, and the concept: best sorts first


def similar(
    snapshot: Snapshot, request: Similar, vectors: NameVectors | None, degraded: tuple[str, ...]
) -> Slices[SimilarReply]:
    """Return the concepts most similar in meaning, at most ``SIMILAR_MAX``; ties by name.

    All are at least ``SIMILARITY_MIN`` similar. A concept in a script that the model does not know
    has no similar concepts; one that no note mentions has suggestions instead. ``vectors`` are the
    snapshot's, or ``None`` if they cannot be used; ``degraded`` names the parts that do not work.

    Raises:
        InvalidParams: the cursor is not one that a reply to this request gave.
        Ambiguous: several notes have the name.
    """
    graph = snapshot.graph
    name = locate_concept(snapshot, request.concept_name)
    unknown = (request.concept_name,) if name is None else ()
    suggestions = yield from close_concepts(snapshot, unknown)
    concept_id = graph.concept_id(name) if name is not None else None
    nearest: Sequence[Falling] = ()
    if vectors is not None and name is not None and concept_id is not None:
        nearest = _nearest(vectors, name)
    shown = page(nearest, request, lambda row: row, tuple[float, str])
    connected = _connected(snapshot, concept_id, [other for _, other in shown.rows])
    return SimilarReply(
        revision=snapshot.revision,
        total=shown.total,
        start=shown.start,
        cursor=shown.cursor,
        similar=tuple(
            SimilarRow(
                name=other,
                display_name=snapshot.display(other),
                similarity=-falling,
                connected=other in connected,
            )
            for falling, other in shown.rows
        ),
        unknown=unknown,
        ignored=ignored_names(snapshot, unknown),
        suggestions=suggestions,
        display_suggestions=tuple(map(snapshot.display, suggestions)),
        degraded=degraded,
    )


def _nearest(vectors: NameVectors, name: str) -> list[Falling]:
    similarities = ((rounded(value), other) for other, value in vectors.nearest(name, SIMILAR_MAX))
    rows = sorted((-value, other) for value, other in similarities if value >= SIMILARITY_MIN)
    return rows[:SIMILAR_MAX]


def _connected(snapshot: Snapshot, concept_id: int | None, others: Sequence[str]) -> set[str]:
    """Return which of ``others`` share a note with a concept."""
    graph = snapshot.graph
    if concept_id is None:
        return set()
    id_by_name = {other: graph.concept_id(other) for other in others}
    ids = [other_id for other_id in id_by_name.values() if other_id is not None]
    rows = snapshot.around.rows_with(concept_id)
    indexes, _ = notes_shared_with(graph, rows, ids)
    connected_ids = {ids[index] for index in set(indexes.tolist())}
    return {other for other, other_id in id_by_name.items() if other_id in connected_ids}
