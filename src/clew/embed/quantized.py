"""Quantization: vectors as int8 rows, each computed from its own text alone."""

from dataclasses import dataclass

import numpy as np

from clew.values.arrays import Float32Array, Int8Array

_INT8_MAX = 127


@dataclass(frozen=True, slots=True, eq=False)
class QuantizedVectors:
    """Vectors in the order of their texts; a text without a vector has a row of zeros."""

    rows: Int8Array  # shape (text_count, dimensions), -127..127

    @property
    def scales(self) -> Float32Array:
        """The inverse of the length of each row, so that the product has unit length; 0 for zeros.

        The inner product of two scaled rows is their cosine.
        """
        wide = self.rows.astype(np.int64)
        lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide).astype(np.float64))
        scales: Float32Array = np.zeros(len(lengths), np.float32)
        np.divide(1, lengths, out=scales, where=lengths > 0, casting="same_kind")
        return scales


def quantize(directions: Float32Array) -> QuantizedVectors:
    """Quantize vectors of any length, shape (text_count, dimensions).

    The component of largest magnitude becomes 127 or -127. A vector that is zero or not finite is
    treated as missing. Each row is computed independently of the others, to the bit.
    """
    with np.errstate(all="ignore"):
        steps = _INT8_MAX / np.abs(directions).max(axis=1, initial=0)
        has_vector = np.isfinite(steps) & (steps > 0)
        scaled = np.where(has_vector[:, None], directions * steps[:, None], 0)
    return QuantizedVectors(np.rint(scaled).astype(np.int8))
