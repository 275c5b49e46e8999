"""What search needs of a note beside the note: its words, part by part, and vectors.

The parts of a note are its head (title, aliases, tags, name), which is part 0, and its chunks.
"""

from collections.abc import Mapping

from msgspec import Struct, field


class Words(Struct, frozen=True, array_like=True, gc=False):
    """How often each word stands in each part of a note: a sparse table, cell by cell."""

    words: str  # distinct, each before a line end
    places: bytes  # int32: of the word, one a cell
    parts: bytes  # int32: 0 for the head, n for the nth chunk
    counts: bytes  # int32: at least 1


class Vectors(Struct, frozen=True, array_like=True):
    """The vectors of notes, all their parts each, and of the names of concepts."""

    model: str  # fingerprint of what made them
    dimensions: int
    codes: Mapping[str, bytes]  # path -> int8 of shape (parts, dimensions); all 0: has none
    names: Mapping[str, bytes] = field(default_factory=dict)  # concept -> int8 codes
