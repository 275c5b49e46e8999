"""The search indexes of one vault: slots for the parts of notes, their words, their vectors."""

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from clew.index.keyword import TAIL_MAX, KeywordIndex
from clew.index.slots import DEAD, Slots
from clew.index.vectors import VectorIndex
from clew.values.arrays import AnyArray, Int8Array, Int32Array
from clew.values.note_words import Vectors, Words

_DEAD_SHARE_MAX = 0.5
_DEAD_MIN = 1_000


class Passages:
    """Keeps the slots, the keyword index and the vector index of one vault consistent."""

    def __init__(self, stemmer: str) -> None:
        self.slots = Slots()
        self.keyword = KeywordIndex(stemmer)
        self.vectors = VectorIndex()

    def copy(self) -> "Passages":
        """Return the same passages, in constant time; later changes do not reach them."""
        other = Passages.__new__(Passages)
        other.slots, other.keyword = self.slots.copy(), self.keyword.copy()
        other.vectors = self.vectors.copy()
        return other

    @property
    def needs_compaction(self) -> bool:
        """Whether there are enough dead slots for ``compact`` to make queries faster."""
        dead = self.slots.dead_count
        return len(self.keyword.tail[0]) > TAIL_MAX or (
            dead > _DEAD_MIN and dead > _DEAD_SHARE_MAX * len(self.slots)
        )

    @property
    def chunk_count(self) -> int:
        """The number of chunks of all notes."""
        return int(np.count_nonzero((self.slots.note_ids != DEAD) & (self.slots.parts > 0)))

    def put(self, path: str, note_id: int, part_count: int, words: Words) -> None:
        """Index the words of a note; an earlier version of it is dropped."""
        self.drop(path)
        first = self.slots.put(path, note_id, part_count)
        self.keyword.put(first, part_count, words)
        self.vectors.extend(part_count)

    def drop(self, path: str) -> None:
        """Drop a note, if it is indexed."""
        self.vectors.drop(self.slots.drop(path))

    def embed(self, vectors: Vectors) -> None:
        """Store the vectors of indexed notes.

        Raises:
            ValueError: a note has not exactly one vector for each of its parts.
        """
        self.vectors.set_model(vectors.model, vectors.dimensions)
        for path, codes in vectors.codes.items():
            rows = np.frombuffer(codes, np.int8).reshape(-1, vectors.dimensions)
            self.vectors.put(self.slots.slots_of(path), rows)

    def vectors_of(self, path: str) -> Int8Array | None:
        """Return the vectors of a note's parts; ``None`` while some are missing."""
        slots = self.slots.slots_of(path)
        return self.vectors.rows[slots] if self.vectors.is_embedded[slots].all() else None

    def words_in_use(self, groups: Sequence[Sequence[int]]) -> list[list[int]]:
        """Return the word ids of each group that occur in some note.

        The vocabulary keeps the words of deleted notes until the next ``compact``.
        """
        alive, keyword = self.slots.note_ids != DEAD, self.keyword
        tail_words, tail_slots, _ = keyword.tail
        is_asked = np.zeros(keyword.word_count, np.bool_)
        is_asked[list(chain.from_iterable(groups))] = True
        asked = np.flatnonzero(is_asked[tail_words])
        tail_words_in_use = set(tail_words[asked[alive[tail_slots[asked]]]].tolist())

        def is_in_use(word: int) -> bool:
            return word in tail_words_in_use or bool(
                alive[keyword.slots[keyword.sorted_range(word)]].any()
            )

        return [list(filter(is_in_use, words)) for words in groups]

    def unembedded(self, model: str) -> list[str]:
        """Return the paths of notes that lack vectors of ``model``, sorted."""
        if model != self.vectors.model:
            return sorted(path for path, _ in self.slots.items())
        if (self.vectors.is_embedded | (self.slots.note_ids == DEAD)).all():
            return []
        has_vector = self.vectors.is_embedded
        return sorted(path for path, slots in self.slots.items() if not has_vector[slots].all())

    def compact(self, paths: list[str]) -> None:
        """Remove dead slots and merge the tail; ``paths`` are all notes, sorted."""
        kept = self.slots.compact(paths)
        self.keyword.compact(kept)
        self.vectors.compact(kept)

    # -- serialization ------------------------------------------------------------------------

    def columns(self, position_by_note_id: Int32Array) -> dict[str, AnyArray]:
        """Return everything but the vocabulary as arrays.

        Note ids are replaced by positions, as ``position_by_note_id`` has them.
        """
        notes = self.slots.note_ids.astype("<i4")
        alive = notes != DEAD
        notes[alive] = position_by_note_id[notes[alive]]
        return {
            "notes": notes,
            "parts": self.slots.parts,
            "starts": self.keyword.starts,
            "slots": self.keyword.slots,
            "counts": self.keyword.counts,
            **dict(zip(_TAIL, self.keyword.tail, strict=True)),
            "lengths": self.keyword.lengths,
            "codes": self.vectors.rows.ravel(),
            "known": self.vectors.is_embedded,
        }

    def load(
        self, columns: Mapping[str, bytes], model: str, dimensions: int, paths: Sequence[str]
    ) -> None:
        """Load the arrays that ``columns`` returned; the vocabulary was loaded before.

        ``paths`` are the notes by position.

        Raises:
            ValueError, LookupError: the arrays do not fit together.
        """
        arrays = {
            name: np.frombuffer(columns.get(name, b""), dtype) for name, dtype in _TYPES.items()
        }
        self.slots.load(arrays["notes"], arrays["parts"], paths)
        self.keyword.replace_postings(
            arrays["starts"], arrays["slots"], arrays["counts"], arrays["lengths"]
        )
        self.keyword.append_to_tail(*(arrays[name] for name in _TAIL))
        if columns.get("known", b"").strip(b"\0\1"):
            raise ValueError("the column `known` holds bytes other than 0 and 1")
        codes = arrays["codes"].reshape(len(arrays["known"]), dimensions)
        self.vectors.load(model, dimensions, codes, arrays["known"])
        if not len(self.slots) == len(arrays["lengths"]) == len(arrays["known"]):
            raise ValueError("the columns have different numbers of slots")


_TAIL = ("tailWords", "tailSlots", "tailCounts")
_TYPES = {
    "notes": "<i4",
    "parts": "<i4",
    "starts": "<i8",
    "slots": "<i4",
    "counts": "<u2",
    "tailWords": "<i4",
    "tailSlots": "<i4",
    "tailCounts": "<u2",
    "lengths": "<i4",
    "codes": "i1",
    "known": "?",
}
