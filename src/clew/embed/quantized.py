"""Quantization: vectors as int8 rows with a scale, each row computed from its own text alone."""

from dataclasses import dataclass

import numpy as np

from clew.values.arrays import Float32Array, Int8Array

_INT8_MAX = 127


@dataclass(frozen=True, slots=True, eq=False)
class QuantizedVectors:
    """Vectors in the order of their texts; ``rows * scales[:, None]`` has rows of unit length.

    A text without a vector has a row of zeros and the scale 0.
    """

    rows: Int8Array  # shape (text_count, dimensions), -127..127
    scales: Float32Array  # shape (text_count,)


def quantize(directions: Float32Array) -> QuantizedVectors:
    """Quantize vectors of any length, shape (text_count, dimensions).

    The component of largest magnitude becomes 127 or -127. The scale is the inverse of the length
    of the int8 row, so the inner product of two scaled rows is their cosine. A vector that is zero
    or not finite is treated as missing. Each row is computed independently of the others, to the
    bit.
    """
    with np.errstate(all="ignore"):
        steps = _INT8_MAX / np.abs(directions).max(axis=1, initial=0)
        has_vector = np.isfinite(steps) & (steps > 0)
        scaled = np.where(has_vector[:, None], directions * steps[:, None], 0)
    rows = np.rint(scaled).astype(np.int8)
    wide = rows.astype(np.int64)
    lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide).astype(np.float64))
    scales = np.divide(1, lengths, out=np.zeros_like(lengths), where=has_vector)
    return QuantizedVectors(rows, scales.astype(np.float32))
