"""The parts of all notes as search sees them: slots, and the indexes that are by slot."""

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
    """Slots, words and vectors of one vault, kept in step."""

    def __init__(self, stemmer: str) -> None:
        self.slots = Slots()
        self.keyword = KeywordIndex(stemmer)
        self.vectors = VectorIndex()

    @property
    def needs_compaction(self) -> bool:
        """Whether so much was edited that reading takes longer for it: time for ``compact``."""
        dead = self.slots.dead_count
        return len(self.keyword.tail[0]) > TAIL_MAX or (
            dead > _DEAD_MIN and dead > _DEAD_SHARE_MAX * len(self.slots)
        )

    @property
    def chunk_count(self) -> int:
        """How many chunks the notes have."""
        return int(np.count_nonzero((self.slots.note_ids != DEAD) & (self.slots.parts > 0)))

    def put(self, path: str, note_id: int, part_count: int, words: Words) -> None:
        """Enter a note, instead of what was known of it."""
        self.drop(path)
        first = self.slots.put(path, note_id, part_count)
        self.keyword.put(first, part_count, words)
        self.vectors.extend(part_count)

    def drop(self, path: str) -> None:
        """Take a note out, if it is known."""
        self.vectors.drop(self.slots.drop(path))

    def embed(self, vectors: Vectors) -> None:
        """Enter the vectors of notes that are known.

        Raises:
            ValueError: there is not one vector for each part of a note.
        """
        self.vectors.set_model(vectors.model, vectors.dimensions)
        for path, codes in vectors.codes.items():
            rows = np.frombuffer(codes, np.int8).reshape(-1, vectors.dimensions)
            self.vectors.put(self.slots.slots_of(path), rows)

    def codes_of(self, path: str) -> Int8Array | None:
        """Return the vectors of a note's parts; ``None`` while they are not known."""
        slots = self.slots.slots_of(path)
        return self.vectors.rows[slots] if self.vectors.is_embedded[slots].all() else None

    def standing(self, groups: Sequence[Sequence[int]]) -> list[list[int]]:
        """Return the words of each group, by id, that stand in some note.

        Those of notes that are gone are remembered yet.
        """
        alive, keyword = self.slots.note_ids != DEAD, self.keyword
        tail_words, tail_slots, _ = keyword.tail
        is_asked = np.zeros(len(keyword.words), np.bool_)
        is_asked[list(chain.from_iterable(groups))] = True
        asked = np.flatnonzero(is_asked[tail_words])
        late = set(tail_words[asked[alive[tail_slots[asked]]]].tolist())

        def stands(word: int) -> bool:
            return word in late or bool(alive[keyword.slots[keyword.sorted_range(word)]].any())

        return [list(filter(stands, words)) for words in groups]

    def unembedded(self, model: str) -> list[str]:
        """Return the paths of notes whose vectors by ``model`` are not known, in order."""
        if model != self.vectors.model:
            return sorted(path for path, _ in self.slots.items())
        if (self.vectors.is_embedded | (self.slots.note_ids == DEAD)).all():
            return []
        known = self.vectors.is_embedded
        return sorted(path for path, slots in self.slots.items() if not known[slots].all())

    def compact(self, paths: list[str]) -> None:
        """Let go of what is dead and sort what was added; ``paths`` are all notes, in order."""
        kept = self.slots.compact(paths)
        self.keyword.compact(kept)
        self.vectors.compact(kept)

    # -- sealing ------------------------------------------------------------------------------

    def columns(self, place_of_note: Int32Array) -> dict[str, AnyArray]:
        """Return all but the words themselves as arrays; notes by their places instead of ids.

        ``place_of_note`` has the place of each note by its id.
        """
        notes = self.slots.note_ids.astype("<i4")
        alive = notes != DEAD
        notes[alive] = place_of_note[notes[alive]]
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

    def adopt(
        self, columns: Mapping[str, bytes], model: str, dimensions: int, paths: Sequence[str]
    ) -> None:
        """Take over what ``columns`` gave, beside words that are known; ``paths`` by place.

        Raises:
            ValueError, LookupError: they do not fit together.
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
            raise ValueError("what is known is neither true nor false")
        codes = arrays["codes"].reshape(len(arrays["known"]), dimensions)
        self.vectors.load(model, dimensions, codes, arrays["known"])
        if not len(self.slots) == len(arrays["lengths"]) == len(arrays["known"]):
            raise ValueError("slots of another index")


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
