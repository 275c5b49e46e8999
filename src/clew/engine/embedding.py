"""Vectors of notes: each part of each note, and no text twice. Vectors of concepts' names."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

import numpy as np

from clew.engine.apply import Engine
from clew.text.passages import embedded_texts
from clew.values.arrays import Int8Array
from clew.values.note import Note
from clew.values.note_words import Vectors
from clew.values.vault import Batch

if TYPE_CHECKING:
    from clew.embed.encoder import Encoder

READ_CHUNKS_MAX = 200  # of a round of reading; of more, the vectors follow later
KEPT_NOTES_MAX = 1_000  # whose vectors are looked through for text that did not change


class Embedder:
    """Makes the vectors that one engine lacks, once it is given a model."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.encoder: Encoder | None = None  # None: no vectors are made

    @property
    def due(self) -> list[str]:
        """The paths of notes whose vectors are not known, or made by another model."""
        if self.encoder is None:
            return []
        return self._engine.indexes.passages.unembedded(self.encoder.fingerprint)

    @property
    def due_names(self) -> list[str]:
        """The concepts whose names have no vectors, or some of another model."""
        if self.encoder is None:
            return []
        graph, near = self._engine.indexes.graph, self._engine.indexes.name_vectors
        is_same_model = near.model == self.encoder.fingerprint
        if is_same_model and len(near) == np.count_nonzero(graph.note_counts()):
            return []  # what has a vector is a concept, so they are the same
        return near.unembedded(graph.concepts(), self.encoder.fingerprint)

    def embed(self, paths: Iterable[str]) -> Batch:
        """Make vectors of some notes and apply them; return the batch that they are."""
        assert self.encoder is not None
        notes = [self._engine.indexes.entries[path].note for path in paths]
        batch = Batch(vectors=vectors_of(self.encoder, notes))
        self._engine.apply(batch)
        return batch

    def embed_names(self, concepts: Sequence[str]) -> Batch:
        """Make vectors of the names of concepts and apply them; return the batch they are."""
        assert self.encoder is not None
        batch = Batch(vectors=name_vectors(self.encoder, concepts))
        self._engine.apply(batch)
        return batch

    def vectors_of(self, notes: Sequence[Note], gone: AbstractSet[str]) -> Vectors | None:
        """Return the vectors of notes just read, if they are few; the rest can wait.

        What stood there before, or in a note that is ``gone``, is not embedded again.
        """
        if self.encoder is None or not notes:
            return None
        if sum(len(note.chunks) or 1 for note in notes) > READ_CHUNKS_MAX:
            return None
        entries, passages = self._engine.indexes.entries, self._engine.indexes.passages
        before = {note.path for note in notes} | gone
        if passages.vectors.model != self.encoder.fingerprint:
            before = set()
        known = {
            path: (entries[path].note, passages.codes_of(path))
            for path in sorted(before & entries.keys())[:KEPT_NOTES_MAX]
        }
        return vectors_of(self.encoder, notes, known.values())


def vectors_of(
    encoder: "Encoder",
    notes: Sequence[Note],
    known: Iterable[tuple[Note, Int8Array | None]] = (),
) -> Vectors:
    """Return the vectors of ``notes``; texts that ``known`` notes hold take theirs."""
    codes_of: dict[str, bytes] = {"": bytes(encoder.dimensions)}
    for note, codes in known:
        if codes is not None:
            codes_of.update(zip(embedded_texts(note), map(bytes, codes), strict=True))
    texts = {note.path: embedded_texts(note) for note in notes}
    new = sorted({text for each in texts.values() for text in each} - codes_of.keys())
    if new:
        codes_of.update(zip(new, map(bytes, encoder.encode(new).rows), strict=True))
    return Vectors(
        encoder.fingerprint,
        encoder.dimensions,
        {path: b"".join(codes_of[text] for text in each) for path, each in texts.items()},
    )


def name_vectors(encoder: "Encoder", concepts: Sequence[str]) -> Vectors:
    """Return the vectors of the names of ``concepts``, as people say them.

    How a name is mostly written, and what else it is called, changes with every note: that plays
    no part, so no vector is ever made twice.
    """
    codes = encoder.encode([name.replace("-", " ") for name in concepts]).rows
    return Vectors(
        encoder.fingerprint,
        encoder.dimensions,
        {},
        dict(zip(concepts, map(bytes, codes), strict=True)),
    )
