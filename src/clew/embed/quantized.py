"""Vectors as they are kept: codes of one byte with a scale, each made from its text alone."""

from dataclasses import dataclass

import numpy as np

from clew.values.arrays import Float32Array, Int8Array

_CODE_MAX = 127


@dataclass(frozen=True, slots=True, eq=False)
class QuantizedVectors:
    """Vectors of texts, in the texts' order; ``rows * scales[:, None]`` has rows of unit length.

    A text without a vector has the scale 0 and codes of 0.
    """

    rows: Int8Array  # shape (text_count, dimensions), -127..127
    scales: Float32Array  # shape (text_count,)


def quantize(directions: Float32Array) -> QuantizedVectors:
    """Return vectors of the given directions, shape (text_count, dimensions), of any length.

    The largest part of each becomes 127 or -127. The scale is the inverse of the codes' length, so
    that a product of two vectors is the cosine of their codes. Zero and what is not finite is no
    vector. A row's outcome depends on no other row, to the bit.
    """
    with np.errstate(all="ignore"):
        steps = _CODE_MAX / np.abs(directions).max(axis=1, initial=0)
        has_vector = np.isfinite(steps) & (steps > 0)
        scaled = np.where(has_vector[:, None], directions * steps[:, None], 0)
    codes = np.rint(scaled).astype(np.int8)
    wide = codes.astype(np.int64)
    lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide).astype(np.float64))
    scales = np.divide(1, lengths, out=np.zeros_like(lengths), where=has_vector)
    return QuantizedVectors(codes, scales.astype(np.float32))
