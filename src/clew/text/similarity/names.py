"""Similarity of names by the trigrams that they share, with the ends of a name marked.

Most names are too different from a given one, which small bit sets of their trigrams tell without
reading the names.

Source: Dice, "Measures of the amount of ecologic association between species", Ecology 1945;
signatures as in Faloutsos and Christodoulakis, "Signature files", ACM TOIS 1984.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from clew.text.terms import without_accents
from clew.values.arrays import Int64Array, Uint16Array, Uint32Array, Uint64Array

SIMILARITY_MIN = 0.35
CHARACTERS_MAX = 100  # of a name that others are compared with

_WORDS = 2  # of 64 bits, in the set of a name
_LENGTH_MAX = 65_535  # of a longer name, this is kept as its length
_BITS = 64 * _WORDS
_FACTORS = np.array([0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D], np.uint32)  # the primes of xxHash


def folded(name: str) -> str:
    """Return a name without case and accents, which many leave out."""
    plain = name.casefold()
    # Most names are in ASCII, and need no place among the words that are kept without accents.
    return plain if plain.isascii() else without_accents(plain)


def name_trigrams(name: str) -> frozenset[str]:
    """Return the distinct trigrams of a name, ``folded``; at most ``CHARACTERS_MAX``."""
    marked = _marked(folded(name[:CHARACTERS_MAX])[:CHARACTERS_MAX])
    return frozenset(marked[at : at + 3] for at in range(len(marked) - 2))


def name_similarity(trigrams: frozenset[str], other: str) -> float:
    """Return Dice's coefficient of the trigrams of a name and of ``other``, 0..1 or little more.

    Trigrams that ``other`` has twice count twice in its length.
    """
    marked = _marked(folded(other))
    shared = sum(trigram in marked for trigram in trigrams)
    return 2 * shared / (len(trigrams) + len(marked) - 2)


def name_shapes(names: Sequence[str]) -> tuple[Uint16Array, Uint64Array]:
    """Return the length of each name and the set of its trigrams, ``_WORDS`` numbers each."""
    marked = [_marked(folded(name)) for name in names]
    lengths = np.fromiter(map(len, marked), np.int64, len(marked)) - 2
    if not marked:
        return lengths.astype(np.uint16), np.zeros((0, _WORDS), np.uint64)
    joined = "\n".join([*marked, ""])
    codes = _codes(joined)
    starts = np.cumsum(lengths + 3) - (lengths + 3)
    bits = _bits(codes)
    is_trigram = np.ones(len(bits), np.bool_)
    for past in range(3):  # the runs that reach beyond the end of a name
        outside = starts + lengths + past
        is_trigram[outside[outside < len(bits)]] = False
    masks = np.where(is_trigram, np.uint64(1) << (bits & 63).astype(np.uint64), np.uint64(0))
    sets = np.empty((len(marked), _WORDS), np.uint64)
    for word in range(_WORDS):
        chosen = np.where(bits >> 6 == word, masks, np.uint64(0))
        sets[:, word] = np.bitwise_or.reduceat(chosen, starts)
    return np.minimum(lengths, _LENGTH_MAX).astype(np.uint16), sets


def rows_like(name: str, lengths: Uint16Array, sets: Uint64Array) -> Int64Array:
    """Return the rows of all names that may be similar to ``name``, by their ``name_shapes``."""
    trigrams = name_trigrams(name)
    # Several trigrams of the name may share a bit, and any of them may be the one that is shared.
    counts = Counter(_bits(_codes("".join(trigrams)))[::3].tolist())
    shared = np.zeros(len(sets), np.int64)
    for bit, count in counts.items():
        has_bit = sets[:, bit // 64] >> np.uint64(bit % 64) & np.uint64(1)
        shared += count * has_bit.astype(np.int64)
    totals = lengths.astype(np.int64) + len(trigrams)
    rows: Int64Array = np.flatnonzero(2 * shared >= SIMILARITY_MIN * totals)
    return rows


def _codes(text: str) -> Uint32Array:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def _bits(codes: Uint32Array) -> Uint32Array:
    """Return for each run of three characters the number of its bit in the set of a name."""
    runs = (codes[at : len(codes) - 2 + at] * factor for at, factor in enumerate(_FACTORS))
    first, second, third = runs
    bits: Uint32Array = (first + second + third) >> np.uint32(32 - _BITS.bit_length() + 1)
    return bits


def _marked(name: str) -> str:
    return f"^{name}$"
