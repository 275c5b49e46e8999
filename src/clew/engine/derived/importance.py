"""The importance of notes and concepts, computed by PageRank from the links of one revision.

Most edits change no link, so a later revision often has the same importance. In a large vault an
earlier importance may be used until the present one is computed. Ids of notes and concepts stay the
same, so it needs no translation; newer notes and concepts get the lowest importance of all.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from msgspec import Struct

from clew.index.graph import ConceptGraph
from clew.index.structures.columns import Column, Columns, array_column
from clew.values.arrays import Float64Array, IntegerArray
from clew.values.packing import Unpacker, pack

LINKS_AT_ONCE = 100_000  # up to this many links it takes 15 ms, and is always computed at once


@dataclass(frozen=True, slots=True, eq=False)
class Importance:
    """The importance of each note and concept, 0..1; 0.0 for ids without a note or concept."""

    by_note: Float64Array
    by_concept: Float64Array
    link_changes: int  # of the graph when it was computed
    revision: int  # from which it was computed; 0 if it was read from a stored index
    _lowest: float = field(init=False, repr=False)  # the lowest value above 0

    def __post_init__(self) -> None:
        values = np.concatenate([self.by_note, self.by_concept])
        object.__setattr__(self, "_lowest", float(values.min(where=values > 0, initial=1.0)))

    def of_notes(self, note_ids: IntegerArray) -> Float64Array:
        """Return the importance of each of these notes."""
        return self._at(self.by_note, note_ids)

    def of_concepts(self, concept_ids: IntegerArray) -> Float64Array:
        """Return the importance of each of these concepts."""
        return self._at(self.by_concept, concept_ids)

    def _at(self, values: Float64Array, ids: IntegerArray) -> Float64Array:
        result = np.full(len(ids), self._lowest)
        is_known = ids < len(values)
        result[is_known] = np.maximum(values[ids[is_known]], self._lowest)
        return result


class LatestImportance:
    """The latest importance computed from any revision; the revisions of an engine share it."""

    def __init__(self, value: Importance | None = None) -> None:
        self.value = value


def is_large(graph: ConceptGraph) -> bool:
    """Return whether there are so many links that an earlier importance may be used."""
    return int(graph.note_counts.sum()) > LINKS_AT_ONCE


# -- storing --------------------------------------------------------------------------------------


class _Source(Struct, frozen=True, array_like=True):
    """The graph from which a stored importance was computed; ``None``: none is stored."""

    link_changes: int | None = None


_unpack_source: Unpacker[_Source] = Unpacker(_Source)


def importance_columns(importance: Importance | None) -> Iterator[Column]:
    """Yield an importance as columns, for ``read_importance``."""
    none = np.zeros(0)
    yield array_column("byNote", none if importance is None else importance.by_note)
    yield array_column("byConcept", none if importance is None else importance.by_concept)
    link_changes = None if importance is None else importance.link_changes
    yield "source", [pack(_Source(link_changes))]


def read_importance(columns: Columns, graph: ConceptGraph) -> Importance | None:
    """Return the importance that ``importance_columns`` wrote for ``graph``, if any.

    Raises:
        ValueError, LookupError: there is none, or it is of another graph.
    """
    link_changes = _unpack_source(columns.data("source")).link_changes
    by_note, by_concept = columns.array("byNote", "<f8"), columns.array("byConcept", "<f8")
    if len(by_note) > graph.note_slots or len(by_concept) > graph.concept_slots:
        raise ValueError("the importance of other notes or concepts")
    return None if link_changes is None else Importance(by_note, by_concept, link_changes, 0)
