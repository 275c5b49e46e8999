"""Make the vectors of notes and of concept names; an unchanged text keeps its vector."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from clew.engine.apply import Engine
from clew.index.structures.stored_map import packed_value
from clew.text.passages import EmbeddedPart, embedded_parts
from clew.values.arrays import Int8Array
from clew.values.note import Note
from clew.values.note_words import Vectors
from clew.values.packing import Unpacker, pack
from clew.values.vault import Batch, ReadNote

if TYPE_CHECKING:
    from clew.embed.encoder import Encoder

READ_CHUNKS_MAX = 200  # chunks embedded when notes are read; with more, all are embedded later
REUSED_NOTES_MAX = 1_000  # notes whose vectors are reused for unchanged text

_unpack_note: Unpacker[ReadNote] = Unpacker(ReadNote)


class NotesToEmbed(Struct, frozen=True, array_like=True, tag=True):
    """Notes in stored form, for the process that makes their vectors."""

    paths: tuple[str, ...]
    content_hashes: tuple[str, ...]  # by path
    records: tuple[bytes, ...]  # by path: the packed ``ReadNote``


class Embedder:
    """Makes the vectors that one engine lacks, once ``encoder`` is set."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.encoder: Encoder | None = None  # None: no vectors are made

    @property
    def due(self) -> list[str]:
        """The paths of notes that have no vectors of this model."""
        if self.encoder is None:
            return []
        indexes = self._engine.indexes
        lacking = indexes.passages.unembedded(self.encoder.fingerprint)
        return sorted(map(indexes.graph.path, lacking))

    @property
    def due_names(self) -> list[str]:
        """The concepts whose names have no vector of this model."""
        if self.encoder is None:
            return []
        graph, vectors = self._engine.indexes.graph, self._engine.indexes.name_vectors
        is_same_model = vectors.model == self.encoder.fingerprint
        if is_same_model and len(vectors) == np.count_nonzero(graph.note_counts):
            return []  # every name with a vector is a concept, so equal counts mean equal sets
        return vectors.unembedded(graph.concepts(), self.encoder.fingerprint)

    def due_names_among(self, names: Iterable[str]) -> list[str]:
        """Return the ``names`` that are concepts without a vector of this model."""
        if self.encoder is None:
            return []
        graph, vectors = self._engine.indexes.graph, self._engine.indexes.name_vectors
        concepts = (name for name in names if graph.concept_id(name) is not None)
        return vectors.unembedded(concepts, self.encoder.fingerprint)

    def embed(self, paths: Iterable[str]) -> Batch:
        """Embed some notes and apply the vectors; return the batch that was applied."""
        assert self.encoder is not None
        notes = [self._engine.indexes.entries[path].note for path in paths]
        batch = Batch(vectors=vectors_of(self.encoder, notes))
        self._engine.apply(batch)
        return batch

    def part_count(self, path: str) -> int:
        """Return how many vectors a note needs: one for its head and one for each chunk."""
        indexes = self._engine.indexes
        slots = indexes.passages.slots.slots_of(indexes.graph.note_ids[path])
        return int(slots.stop - slots.start)

    def to_embed(self, paths: Sequence[str]) -> "NotesToEmbed":
        """Return the notes at ``paths`` in the form that ``vectors_of_notes`` takes."""
        entries, facts = self._engine.indexes.entries, self._engine.indexes.facts
        return NotesToEmbed(
            tuple(paths),
            tuple(facts[path].content_hash for path in paths),
            tuple(bytes(packed_value(entries, path, pack)) for path in paths),
        )

    def apply_vectors(self, notes: "NotesToEmbed", vectors: Vectors) -> Batch:
        """Apply vectors of notes that have not changed since; return the batch that was applied."""
        facts = self._engine.indexes.facts
        hashes = dict(zip(notes.paths, notes.content_hashes, strict=True))
        codes = {
            path: rows
            for path, rows in vectors.codes.items()
            if path in facts and facts[path].content_hash == hashes[path]
        }
        batch = Batch(vectors=Vectors(vectors.model, vectors.dimensions, codes))
        self._engine.apply(batch)
        return batch

    def embed_names(self, concepts: Sequence[str]) -> Batch:
        """Embed the names of concepts and apply the vectors; return the batch that was applied."""
        assert self.encoder is not None
        batch = Batch(vectors=name_vectors(self.encoder, concepts))
        self._engine.apply(batch)
        return batch

    def vectors_of(self, notes: Sequence[Note], deleted: AbstractSet[str]) -> Vectors | None:
        """Return the vectors of notes just read; ``None`` without a model or with too many chunks.

        Text that was in these notes before, or in a ``deleted`` note, keeps its vector.
        """
        if self.encoder is None or not notes:
            return None
        if sum(len(note.chunks) or 1 for note in notes) > READ_CHUNKS_MAX:
            return None
        entries, passages = self._engine.indexes.entries, self._engine.indexes.passages
        note_ids = self._engine.indexes.graph.note_ids
        earlier_paths = {note.path for note in notes} | deleted
        if passages.vectors.model != self.encoder.fingerprint:
            earlier_paths = set()
        earlier = {
            path: (entries[path].note, passages.vectors_of(note_ids[path]))
            for path in sorted(earlier_paths & entries.keys())[:REUSED_NOTES_MAX]
        }
        return vectors_of(self.encoder, notes, earlier.values())


def vectors_of_notes(encoder: "Encoder", notes: NotesToEmbed) -> Vectors:
    """Return the vectors of notes; the same bytes in any process."""
    return vectors_of(encoder, [_unpack_note(record).note for record in notes.records])


def vectors_of(
    encoder: "Encoder",
    notes: Sequence[Note],
    earlier: Iterable[tuple[Note, Int8Array | None]] = (),
) -> Vectors:
    """Return the vectors of ``notes``, reusing those of equal texts in ``earlier`` notes."""
    vector_by_part: dict[EmbeddedPart, bytes] = {}
    for note, codes in earlier:
        if codes is not None:
            vector_by_part.update(zip(embedded_parts(note), map(bytes, codes), strict=True))
    parts_by_path = {note.path: embedded_parts(note) for note in notes}
    parts = {part for parts in parts_by_path.values() for part in parts}
    vector_by_text = {"": bytes(encoder.dimensions)}
    # Most parts of an edited note are unchanged, so texts are made for the other parts only.
    for part in vector_by_part.keys() - parts:
        vector_by_text[part.text] = vector_by_part[part]
    text_by_part = {part: part.text for part in parts - vector_by_part.keys()}
    new = sorted(set(text_by_part.values()) - vector_by_text.keys())
    if new:
        vector_by_text.update(zip(new, map(bytes, encoder.encode(new).rows), strict=True))
    vector_by_part.update({part: vector_by_text[text] for part, text in text_by_part.items()})
    return Vectors(
        encoder.fingerprint,
        encoder.dimensions,
        {
            path: b"".join(vector_by_part[part] for part in parts)
            for path, parts in parts_by_path.items()
        },
    )


def name_vectors(encoder: "Encoder", concepts: Sequence[str]) -> Vectors:
    """Return the vectors of the names of ``concepts``, with spaces between their words.

    The display form and the aliases of a concept change with every note, so they are not used: the
    vector depends on the name alone and is made once.
    """
    codes = encoder.encode([name.replace("-", " ") for name in concepts]).rows
    return Vectors(
        encoder.fingerprint,
        encoder.dimensions,
        {},
        dict(zip(concepts, map(bytes, codes), strict=True)),
    )
