"""An approximate index of vectors: a graph that leads from any vector to those near a query.

It is built once, over the first slots of a ``VectorIndex``, and never changed, so edits cannot
lower its recall. It only returns candidates. Their scores are computed from the vectors themselves,
so dropped slots, or a graph of other vectors, can lower recall but never change a score.

The number of candidates that a query needs depends on the vectors. So the build compares results
with exact search, and chooses the least number that reaches ``RECALL_AIMED``. If none does, as for
passages that are nearly alike, there is no index; ``trial_recall`` mostly detects that in seconds,
with a graph of some vectors.

Imports usearch, so only the server and the process that builds the index import this module.

Source: Malkov and Yashunin, "Efficient and robust approximate nearest neighbor search using
Hierarchical Navigable Small World graphs", 2018.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from usearch.index import Index

from clew.index.vectors import Coverage, VectorIndex
from clew.values.arrays import BoolArray, Float64Array, Int8Array, Int64Array

# Raise ``engine.approximate.approximate_file.LAYOUT`` when one of these three changes.
CONNECTIVITY = 32
EXPANSION_ADD = 256
DIRECTION_SCALE = 200.0  # few components of a direction exceed 127 / 200
RECALL_MIN = 0.97  # of the ten nearest, expected of queries like those of the build
RECALL_AIMED = 0.98  # in a build: its few hundred queries measure within 0.01
CANDIDATE_COUNTS = (256, 384, 512, 768, 1_024, 1_536, 2_048, 3_072, 4_096)
VECTORS_A_CANDIDATE = 256  # exact scores of so many vectors take as long as one candidate
NEAREST = 10  # recall is the share of so many nearest slots
TRIAL_VECTORS = 32_768  # in the graph of a trial, which takes some ten seconds to build
_ROWS_A_BATCH = 10_000
_SCORE_ERROR = 1e-9
_INT8_MAX = 127


@dataclass(frozen=True, slots=True, eq=False)
class ApproximateIndex:
    """The graph of the vectors in ``coverage``; only one thread may use it at a time."""

    coverage: Coverage
    candidate_count: int  # of each query
    _graph: Index
    _data: memoryview | None  # held because the graph reads it in place and has no reference

    def candidates(self, query: Int8Array) -> Int64Array:
        """Return the covered slots that are probably nearest to ``query``, rising."""
        keys = self._graph.search(query, self.candidate_count, threads=1).keys
        return np.sort(keys.astype(np.int64))


def build_graph(vectors: VectorIndex, slots: Int64Array | None = None) -> Index:
    """Return the graph of all embedded vectors that are not zero, or of those in ``slots``.

    It holds unit vectors minus their mean, and compares them by inner product. For any one query,
    this gives the same order as the cosine, but needs half as many candidates.
    """
    graph = Index(
        ndim=vectors.dimensions,
        metric="ip",
        dtype="i8",
        connectivity=CONNECTIVITY,
        expansion_add=EXPANSION_ADD,
    )
    mean = _mean_direction(vectors)
    for numbers, directions in _directions(vectors):
        kept = slice(None) if slots is None else np.flatnonzero(np.isin(numbers, slots))
        steps = np.rint((directions[kept] - mean) * DIRECTION_SCALE)
        rows = np.clip(steps, -_INT8_MAX, _INT8_MAX).astype(np.int8)
        graph.add(numbers[kept].astype(np.uint64), rows, threads=1)
    return graph


def _mean_direction(vectors: VectorIndex) -> Float64Array:
    total, count = np.zeros(vectors.dimensions), 0
    for slots, directions in _directions(vectors):
        total += directions.sum(axis=0)
        count += len(slots)
    return total / max(1, count)


def _directions(vectors: VectorIndex) -> Iterator[tuple[Int64Array, Float64Array]]:
    """Yield slots and the unit vectors of their rows, a batch at a time."""
    for first in range(0, len(vectors), _ROWS_A_BATCH):
        slots = slice(first, min(first + _ROWS_A_BATCH, len(vectors)))
        rows = vectors.rows(slots)
        kept = np.flatnonzero(vectors.is_embedded[slots] & rows.any(axis=1))
        if len(kept):
            directions = rows[kept].astype(np.float64)
            directions /= np.linalg.norm(directions, axis=1, keepdims=True)
            yield first + kept, directions


def graph_bytes(graph: Index) -> bytes:
    """Return a graph as bytes, for ``open_graph``."""
    data = graph.save()
    assert data is not None
    return data


def open_graph(data: memoryview, coverage: Coverage, candidate_count: int) -> ApproximateIndex:
    """Return the graph in ``data``, which must be verified, and must not change.

    Raises:
        ValueError: the graph is of other vectors, or from another version of usearch.
    """
    try:
        graph = Index.restore(data, view=True, enable_key_lookups=False)
    except RuntimeError as error:
        raise ValueError(str(error)) from error
    if graph is None or graph.ndim != coverage.dimensions or len(graph) != coverage.vectors:
        raise ValueError("the graph of other vectors")
    return ApproximateIndex(coverage, candidate_count, graph, data)


def trial_recall(vectors: VectorIndex, queries: Sequence[Int8Array]) -> float:
    """Return the recall of a graph of ``TRIAL_VECTORS`` vectors with the most candidates allowed.

    With the same number of candidates, a larger graph has a lower recall. So if this is below
    ``RECALL_MIN``, the graph of all vectors need not be built.
    """
    slots = np.flatnonzero(vectors.is_embedded)
    if len(slots) > TRIAL_VECTORS:
        slots = slots[np.linspace(0, len(slots) - 1, TRIAL_VECTORS).astype(np.int64)]
    coverage = vectors.coverage()
    count = min(_candidate_count_max(coverage), CANDIDATE_COUNTS[-1])
    graph = build_graph(vectors, slots)
    is_tried = np.zeros(len(vectors), bool)
    is_tried[slots] = True
    trial = ApproximateIndex(coverage, count, graph, None)
    return mean_recall(trial, vectors, queries, is_tried)


def choose_candidate_count(
    graph: Index, vectors: VectorIndex, queries: Sequence[Int8Array]
) -> tuple[int, float]:
    """Return the least number of candidates that reaches ``RECALL_AIMED``, and the recall.

    The number is 0 if no number reaches it at a lower cost than exact search.
    """
    coverage, recall = vectors.coverage(), 1.0
    count_max = _candidate_count_max(coverage)
    for count in CANDIDATE_COUNTS:
        if count <= count_max:
            recall = mean_recall(ApproximateIndex(coverage, count, graph, None), vectors, queries)
            if recall >= RECALL_AIMED:
                return count, recall
    return 0, recall


def _candidate_count_max(coverage: Coverage) -> int:
    """Return the number of candidates beyond which exact search costs less."""
    return max(CANDIDATE_COUNTS[0], coverage.vectors // VECTORS_A_CANDIDATE)


def mean_recall(
    approximate: ApproximateIndex,
    vectors: VectorIndex,
    queries: Sequence[Int8Array],
    is_counted: BoolArray | None = None,
) -> float:
    """Return the mean share of the ``NEAREST`` slots among the candidates; 1.0 without queries.

    A candidate that ties with the last of the nearest slots counts too. ``is_counted``, by slot:
    whether a slot may be among the nearest; ``None``: all may.
    """
    recalls = []
    for query in queries:
        scores = vectors.similarities(query)
        if is_counted is not None:
            scores = np.where(is_counted, scores, 0.0)
        wanted = min(NEAREST, int(np.count_nonzero(scores)))
        if wanted:
            bound = np.partition(scores, -wanted)[-wanted] - _SCORE_ERROR
            found = np.count_nonzero(scores[approximate.candidates(query)] >= bound)
            recalls.append(min(1.0, found / wanted))
    return float(np.mean(recalls)) if recalls else 1.0
