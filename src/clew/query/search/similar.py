"""Concepts similar in meaning to another, by the vectors of their names."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from clew.engine.name_vectors import NameVectors
from clew.engine.snapshot import Snapshot
from clew.index.graph_rows import notes_shared_with
from clew.query.paging import page
from clew.query.references.locate import locate_concept_shown
from clew.query.slices import Slices
from clew.query.suggest import close_concepts, ignored_names
from clew.values.replies import rounded
from clew.values.requests import Similar
from clew.values.search_replies import SimilarReply, SimilarRow

SIMILAR_MAX = 200  # concepts similar to one concept
# The 95th percentile of the similarity of unrelated names, by the model of the package: of the
# concepts of each two of seven vaults about different subjects (.13 to .33, mean .18).
SIMILARITY_MIN = 0.18
# For names with words that the model does not know. Names that are so similar have one of these
# words too, and few others do (44 of 423 names of a vault about software: "django admin" to
# "django" .88, "mongoose" to "mongodb" .80; without these words "npm" to "lstm" .35, "virtual
# machine" to "vue" .38). How far a similarity stands out from all those of its name does not tell
# these apart.
UNKNOWN_WORDS_MIN = 0.5

Falling: TypeAlias = tuple[float, str]  # minus the similarity, and the concept: best sorts first


@dataclass(frozen=True, slots=True)
class NameModel:
    """The vectors of a snapshot's names, and whether the model knows the words of a name."""

    vectors: NameVectors
    knows: Callable[[str], bool]


def similar(
    snapshot: Snapshot, request: Similar, model: NameModel | None, degraded: tuple[str, ...]
) -> Slices[SimilarReply]:
    """Return the concepts most similar in meaning, at most ``SIMILAR_MAX``; ties by name.

    All are at least ``SIMILARITY_MIN`` similar, ``UNKNOWN_WORDS_MIN`` where the model does not know
    the words of one of both names. A concept in a script that the model does not know has no
    similar concepts; one that no note mentions has suggestions instead. ``model`` is ``None`` if it
    cannot be used; ``degraded`` names the parts that do not work.

    Raises:
        InvalidParams: the cursor is not one that a reply to this request gave.
        Ambiguous: several notes have the name.
    """
    graph = snapshot.graph
    name = yield from locate_concept_shown(snapshot, request.concept_name)
    unknown = (request.concept_name,) if name is None else ()
    suggestions = yield from close_concepts(snapshot, unknown)
    concept_id = graph.concept_id(name) if name is not None else None
    nearest: Sequence[Falling] = ()
    if model is not None and name is not None and concept_id is not None:
        nearest = _nearest(model, name)
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
        known_to_model=model is None or name is None or model.knows(name),
        unknown=unknown,
        ignored=ignored_names(snapshot, unknown),
        suggestions=suggestions,
        display_suggestions=tuple(map(snapshot.display, suggestions)),
        degraded=degraded,
    )


def _nearest(model: NameModel, name: str) -> list[Falling]:
    rows = ((rounded(value), other) for other, value in model.vectors.nearest(name, SIMILAR_MAX))
    is_known = model.knows(name)
    near = sorted(
        (-value, other)
        for value, other in rows
        if value >= UNKNOWN_WORDS_MIN
        or (value >= SIMILARITY_MIN and is_known and model.knows(other))
    )
    return near[:SIMILAR_MAX]


def _connected(snapshot: Snapshot, concept_id: int | None, others: Sequence[str]) -> set[str]:
    """Return which of ``others`` share a note with a concept."""
    graph = snapshot.graph
    if concept_id is None:
        return set()
    id_by_name = {other: graph.concept_id(other) for other in others}
    ids = [other_id for other_id in id_by_name.values() if other_id is not None]
    rows = snapshot.neighbour_cache.rows_with(concept_id)
    indexes, _ = notes_shared_with(rows, ids)
    connected_ids = {ids[index] for index in set(indexes.tolist())}
    return {other for other, other_id in id_by_name.items() if other_id in connected_ids}
