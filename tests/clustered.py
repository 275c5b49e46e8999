"""Vectors in clusters, as texts about a number of subjects have, and vector indexes of them."""

import numpy as np

from clew.embed.quantized import quantize
from clew.index.approximate import ApproximateIndex, build_graph, graph_bytes, open_graph
from clew.index.vectors import VectorIndex
from clew.values.arrays import Float32Array, Float64Array, Int8Array

DIMENSIONS = 64
CLUSTERS = 40
SPREAD = 0.7  # of a vector around the centre of its cluster, of length 1


def clustered(count: int, seed: int = 0) -> Int8Array:
    """Return quantized vectors in clusters; the centres are the same for every seed."""
    return quantize(_directions(count, seed)).rows


def _directions(count: int, seed: int) -> Float32Array:
    rng = np.random.default_rng(seed)
    centres = _unit(np.random.default_rng(99).standard_normal((CLUSTERS, DIMENSIONS)))
    noise = _unit(rng.standard_normal((count, DIMENSIONS)))
    shares = rng.uniform(0.2, SPREAD, (count, 1))
    directions = centres[rng.integers(CLUSTERS, size=count)] + shares * noise
    return directions.astype(np.float32)


def _unit(rows: Float64Array) -> Float64Array:
    units: Float64Array = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return units


def index_of(rows: Int8Array, model: str = "m") -> VectorIndex:
    """Return a vector index in which slot ``n`` has row ``n``."""
    index = VectorIndex()
    index.extend(len(rows))
    index.set_model(model, rows.shape[1])
    index.put(slice(0, len(rows)), rows)
    return index


def approximate_of(vectors: VectorIndex, candidate_count: int) -> ApproximateIndex:
    """Return the approximate index of vectors, as it is read from its bytes."""
    data = memoryview(graph_bytes(build_graph(vectors)))
    return open_graph(data, vectors.coverage(), candidate_count)
