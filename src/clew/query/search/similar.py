"""Concepts near in meaning to another, by the vectors of their names."""

from clew.engine.name_vectors import NameVectors
from clew.engine.snapshot import Snapshot
from clew.query.paging import page
from clew.values.replies import rounded
from clew.values.requests import Similar
from clew.values.search_replies import SimilarReply, SimilarRow

SIMILAR_MAX = 200  # of one concept


def similar(
    snapshot: Snapshot, request: Similar, near: NameVectors | None, degraded: tuple[str, ...]
) -> SimilarReply:
    """Return the concepts nearest in meaning, at most ``SIMILAR_MAX``; equals by name.

    None for a concept that no note mentions, or of a script that the model does not know.
    ``near`` are the snapshot's vectors, ``None`` where they are of no use; ``degraded`` tells what
    does not work.

    Raises:
        InvalidParams: the cursor is not one that an earlier reply gave.
    """
    graph = snapshot.graph
    name = snapshot.concept_named(request.concept_name)
    number = graph.concept_id(name) if name is not None else None
    found: list[tuple[float, str]] = []
    if near is not None and name is not None and number is not None:
        nearest = near.nearest(name, SIMILAR_MAX)
        shown = ((rounded(similarity), other) for other, similarity in nearest)
        found = sorted((-similarity, other) for similarity, other in shown if similarity > 0)
    shown_page = page(found[:SIMILAR_MAX], request)
    ids = {other: graph.concept_id(other) for _, other in shown_page.rows}
    connected: set[int] = set()
    if number is not None:
        known = [each for each in ids.values() if each is not None]
        connected.update(graph.notes_shared_with(number, known)[0].tolist())
    return SimilarReply(
        revision=snapshot.revision,
        total=shown_page.total,
        cursor=shown_page.cursor,
        similar=tuple(
            SimilarRow(name=other, similarity=-falling, connected=ids[other] in connected)
            for falling, other in shown_page.rows
        ),
        degraded=degraded,
    )
