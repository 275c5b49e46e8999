"""The words and vectors of notes, in the form that the engine accepts.

Part 0 of a note is its head (title, aliases, tags, file name); part n is its nth chunk.
"""

from collections.abc import Mapping

from msgspec import Struct, field


class Words(Struct, frozen=True, array_like=True, gc=False):
    """The count of each word in each part of a note: a sparse matrix in coordinate form."""

    words: str  # the distinct words, each followed by a line end
    places: bytes  # int32 per cell: index of the word
    parts: bytes  # int32 per cell: number of the part
    counts: bytes  # int32 per cell: weighted count, at least 1


class Vectors(Struct, frozen=True, array_like=True):
    """Quantized vectors of parts of notes, and of concept names."""

    model: str  # fingerprint of the model
    dimensions: int
    codes: Mapping[str, bytes]  # path -> int8 (parts, dimensions); a row of 0 means no vector
    names: Mapping[str, bytes] = field(default_factory=dict)  # concept -> int8 (dimensions,)
