"""Trigram sets of the names of concepts and notes, by id, to find names similar to a text.

They are computed when a name is first looked for, a portion at a time, and then for new names only:
an id keeps its meaning in all copies of a graph.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from clew.index.graph import ConceptGraph
from clew.text.filename import without_extension
from clew.text.similarity.names import name_shapes, rows_like
from clew.values.arrays import Int64Array

PORTION_NAMES = 4_096  # computed in one step, which takes some milliseconds
_NO_LENGTHS, _NO_SETS = name_shapes([])

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


class NameCaches:
    """The shapes of the names of concepts, and of the file names of notes."""

    __slots__ = ("concepts", "files")

    def __init__(self) -> None:
        self.concepts = NameShapes(ConceptGraph.concept_names)
        self.files = NameShapes(_files)


def file_name(path: str) -> str:
    """Return the name of a note's file without its folder and extension."""
    return without_extension(path.rpartition("/")[2])


def _files(graph: ConceptGraph, first: int, end: int) -> list[str]:
    return list(map(file_name, graph.paths.span(first, end)))
