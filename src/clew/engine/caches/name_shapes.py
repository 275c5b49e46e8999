"""Trigram sets of the names of concepts and notes, to find names similar to a text.

They are computed when a name is first looked for, a portion at a time, and then for new names only:
an id keeps its meaning in all copies of a graph, and a stored map never changes.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any
from weakref import ReferenceType, ref

import numpy as np

from clew.index.graph import ConceptGraph
from clew.index.structures.layered_map import GONE, LayeredMap
from clew.index.structures.stored_map import StoredMap
from clew.index.structures.string_table import StringTable
from clew.text.filename import file_name
from clew.text.similarity.names import name_shapes, rows_like
from clew.values.arrays import Int64Array, Uint16Array, Uint64Array

PORTION_NAMES = 4_096  # computed in one step, which takes some milliseconds
_PORTION_TEXTS = 1_024  # the same, of texts that are read one by one
_NO_LENGTHS, _NO_SETS = name_shapes([])

Shapes = tuple[Uint16Array, Uint64Array]  # as of ``name_shapes``
_Stored = tuple[ReferenceType[StoredMap[Any]], Int64Array, Shapes]  # a map, the rows of its keys
NamesOf = Callable[[ConceptGraph, int, int], Sequence[str]]


class NameShapes:
    """The shapes of all names of concepts, or of files, in one graph and its copies."""

    def __init__(self, names_of: NamesOf) -> None:
        """``names_of(graph, first, end)`` returns the names of the ids from first to end - 1."""
        self._names_of = names_of
        self._lineage = object()
        self._lengths, self._sets = _NO_LENGTHS, _NO_SETS

    def grow(self, graph: ConceptGraph, count: int) -> Iterator[None]:
        """Compute the missing shapes of the first ``count`` names, one portion in each step."""
        if graph.lineage is not self._lineage:
            self._lineage = graph.lineage
            self._lengths, self._sets = _NO_LENGTHS, _NO_SETS
        while (first := len(self._lengths)) < count and graph.lineage is self._lineage:
            end = min(first + PORTION_NAMES, count)
            lengths, sets = name_shapes(self._names_of(graph, first, end))
            self._lengths = np.concatenate([self._lengths, lengths])
            self._sets = np.concatenate([self._sets, sets])
            yield

    def like(self, name: str, graph: ConceptGraph, count: int) -> Int64Array:
        """Return which of the first ``count`` ids may have a name like ``name``.

        Call it after ``grow``; the result is empty if ``grow`` has begun for another graph since.
        """
        if graph.lineage is not self._lineage:
            return np.zeros(0, np.int64)  # ``grow`` has begun again for a newer graph
        return rows_like(name, self._lengths[:count], self._sets[:count])


class KeyShapes:
    """The shapes of the keys of one stored map, the base of a layered map."""

    def __init__(self) -> None:
        # Replaced as a whole, since several queries may compute them. A reference to the map itself
        # would keep the file of a dropped revision.
        self._stored: _Stored | None = None

    def like(self, name: str, keys: LayeredMap[str, Any]) -> Generator[None, None, list[str]]:
        """Return the keys that may be similar to ``name``, in steps of some milliseconds."""
        base, changes = keys.layers()
        if not isinstance(base, StoredMap):
            return (yield from texts_like(name, keys))
        stored = self._stored
        if stored is None or stored[0]() is not base:
            rows = base.rows()
            stored = ref(base), rows, (yield from _shapes_of(base.keys_table, rows))
            self._stored = stored
        _, rows, shapes = stored
        similar = base.keys_table.texts_of(rows[rows_like(name, *shapes)])
        changed = (key for key, value in changes.items() if value is not GONE)
        changed_like = yield from texts_like(name, changed)
        return [key for key in similar if key not in changes] + changed_like


def _shapes_of(table: StringTable, rows: Int64Array) -> Generator[None, None, Shapes]:
    portions = [name_shapes([])]
    for first in range(0, len(rows), PORTION_NAMES):
        portions.append(name_shapes(table.texts_of(rows[first : first + PORTION_NAMES])))
        yield
    lengths, sets = zip(*portions, strict=True)
    return np.concatenate(lengths), np.concatenate(sets)


def texts_like(name: str, texts: Iterable[str]) -> Generator[None, None, list[str]]:
    """Return the ``texts`` that may be similar to ``name``, in steps of about a millisecond."""
    similar: list[str] = []
    unread = iter(texts)
    while portion := list(islice(unread, _PORTION_TEXTS)):
        similar += (portion[row] for row in rows_like(name, *name_shapes(portion)).tolist())
        yield
    return similar


class NameCaches:
    """The shapes of the names of concepts, of the file names, titles and aliases of notes."""

    __slots__ = ("aliases", "concepts", "files", "titles")

    def __init__(self) -> None:
        self.concepts = NameShapes(ConceptGraph.concept_names)
        self.files = NameShapes(_files)
        self.titles, self.aliases = KeyShapes(), KeyShapes()


def _files(graph: ConceptGraph, first: int, end: int) -> list[str]:
    return list(map(file_name, graph.paths.span(first, end)))
