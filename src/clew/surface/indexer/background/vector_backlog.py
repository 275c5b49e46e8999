"""Making missing vectors in the background, slice by slice.

The batch of a few changed notes contains their vectors. After a first index, a full sync or a
change of the model, thousands of notes have no vectors; they are made here, between other work. If
many are missing, processes on other cores make them, unless other memory-intensive background work
has the turn. The vectors of concept names come last.
"""

import logging
import time
from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING

from clew.engine.embedding import NotesToEmbed, vectors_of_notes
from clew.engine.reading.indexer import Indexer
from clew.surface.indexer.background.turn import Turn
from clew.surface.indexer.embedding.pool import EmbeddingPool
from clew.surface.indexer.publishing import Publisher
from clew.values.errors import ModelUnavailable
from clew.values.vault import Batch

if TYPE_CHECKING:
    from clew.embed.encoder import Encoder
    from clew.values.note_words import Vectors

logger = logging.getLogger(__name__)

SLICE_CHUNKS = 100  # about 25 ms of work, during which no message is received
SLICE_NAMES = 1_000  # about 25 ms of work too
# After this many notes, vectors are saved, which bounds the loss by a kill and the memory that
# unsaved vectors take. Each save writes the whole index, so there are at most eight.
SAVED_NOTES_MIN = 20_000
_SAVES_MAX = 8
RETRY_SECONDS = 60.0  # after the files of the model could not be read


class VectorBacklog:
    """Loads the model, and makes the missing vectors of notes and concepts."""

    def __init__(
        self,
        open_model: Callable[[], "Encoder"],
        pool: EmbeddingPool | None = None,
    ) -> None:
        self._open_model = open_model
        self._pool = pool or EmbeddingPool(0, "")
        self.turn = Turn()  # shared with the other tasks of one indexer
        # Slices with their vectors from other processes; None while no process runs.
        self._pool_slices: (
            Generator[tuple[NotesToEmbed, Vectors | None] | None, None, None] | None
        ) = None
        self._paths_ahead: set[str] = set()  # of notes sent to the processes, and not embedded yet
        self._has_opened = False
        self._retries_at_s: float | None = None  # on the monotonic clock
        self._waiting: list[str] | None = None  # paths without vectors; None: not listed yet
        self._names: list[str] | None = None  # concepts without a vector; None: not listed yet
        self._unsaved_note_count = 0  # vectors of notes made since the last save
        self._unsaved_name_count = 0  # vectors of concepts made since the last save
        self.failure: str | None = None  # why no vectors can be made

    @property
    def is_due(self) -> bool:
        """Whether some notes may have no vectors yet."""
        return self.failure is None and (self._waiting != [] or self._pool_slices is not None)

    def due_in_s(self) -> float | None:
        """Return the seconds until ``settle`` is due; ``None`` until a note changes."""
        if self._retries_at_s is not None:
            return max(0.0, self._retries_at_s - time.monotonic())
        return 0.0 if self.is_due or self.are_names_due else None

    @property
    def are_names_due(self) -> bool:
        """Whether some concepts may have no vectors yet."""
        return self.failure is None and self._names != []

    def look_again(self, indexer: Indexer, *, is_one_batch: bool = False) -> None:
        """Record that notes changed; some of them may have no vectors.

        After one batch only the names that it touched are looked at: a large vault has so many
        concepts that to list them takes a tenth of a second.
        """
        if not self._has_opened:
            self._waiting = self._names = None
            return
        self._waiting = self._missing(indexer)
        if self._names is None or not is_one_batch:
            self._names = indexer.embedder.due_names[::-1]
        else:
            due, listed = indexer.embedder.due_names_among(indexer.engine.touched), {*self._names}
            self._names += [name for name in due if name not in listed]

    def settle(self, indexer: Indexer, publisher: Publisher) -> None:
        """Make a slice of the missing vectors, those of notes first."""
        if not self._has_opened:
            self._open(indexer)
        if self.failure is not None:
            return
        if self._waiting is None:
            self._waiting = self._missing(indexer)
        batch = self._batch_from_processes(indexer)
        if batch is None and (paths := self._next_paths(indexer)):
            batch = indexer.embedder.embed(paths)
        if batch is not None and batch.vectors is not None:
            publisher.publish_vectors(batch)
            self._unsaved_note_count += len(batch.vectors.codes)
        note_count = len(indexer.engine.indexes.entries)
        is_long_unsaved = self._unsaved_note_count > max(SAVED_NOTES_MIN, note_count // _SAVES_MAX)
        if is_long_unsaved or (self._unsaved_note_count and not self.is_due):
            logger.info("embedded notes=%d", self._unsaved_note_count)
            self._unsaved_note_count = 0
            publisher.save_whole()
        if batch is None:
            self._settle_names(indexer, publisher)

    def _open(self, indexer: Indexer) -> None:
        """Load the model; if its files cannot be read now, let it be tried again later."""
        self._has_opened, self._retries_at_s, self.failure = True, None, None
        try:
            indexer.embedder.encoder = self._open_model()
        except (ModelUnavailable, OSError) as error:
            logger.warning("no vectors reason=%s", error)
            self.failure = str(error)
            if isinstance(error, OSError):  # no descriptor to spare, perhaps
                self._has_opened = False
                self._retries_at_s = time.monotonic() + RETRY_SECONDS

    def _missing(self, indexer: Indexer) -> list[str]:
        """Return the notes that need vectors from this process, in reverse order of paths."""
        return [path for path in reversed(indexer.embedder.due) if path not in self._paths_ahead]

    def _next_paths(self, indexer: Indexer) -> list[str]:
        """Remove the paths of the next slice from the waiting ones, and return them."""
        paths: list[str] = []
        chunk_count = 0
        while self._waiting and chunk_count < SLICE_CHUNKS:
            path = self._waiting.pop()
            chunk_count += indexer.embedder.part_count(path)
            paths.append(path)
        return paths

    def _batch_from_processes(self, indexer: Indexer) -> Batch | None:
        """Apply the next vectors from other processes; ``None`` if no process runs.

        The batch is empty if the next vectors are not ready yet.
        """
        if self._pool_slices is None:
            is_long = self._pool.is_worthwhile(len(self._waiting or ()))
            if not is_long or not self.turn.is_free_for(self):
                return None
            self.turn.take(self)
            self._pool_slices = self._pool.embed_ahead(self._slices(indexer))
        try:
            slice_with_vectors = next(self._pool_slices)
        except StopIteration:
            self._pool_slices = None
            self.turn.end(self)
            # Notes that changed while they were embedded still have no vectors.
            self._waiting = self._missing(indexer)
            return None
        if slice_with_vectors is None:
            return Batch()
        notes, vectors = slice_with_vectors
        self._paths_ahead.difference_update(notes.paths)
        encoder = indexer.embedder.encoder
        assert encoder is not None
        if vectors is None or vectors.model != encoder.fingerprint:
            vectors = vectors_of_notes(encoder, notes)
        return indexer.embedder.apply_vectors(notes, vectors)

    def _slices(self, indexer: Indexer) -> Iterator[NotesToEmbed]:
        """Yield slices of the waiting notes until none are left."""
        while paths := self._next_paths(indexer):
            self._paths_ahead.update(paths)
            yield indexer.embedder.to_embed(paths)

    def _settle_names(self, indexer: Indexer, publisher: Publisher) -> None:
        """Make a slice of the missing vectors of names, if any are missing."""
        if self._names is None:
            self._names = indexer.embedder.due_names[::-1]
        if not self._names:
            return
        is_all = not self._unsaved_name_count and len(self._names) <= SLICE_NAMES
        concepts = self._names[-SLICE_NAMES:]
        del self._names[-SLICE_NAMES:]
        batch = indexer.embedder.embed_names(concepts)
        self._unsaved_name_count += len(concepts)
        if is_all:
            publisher.publish_logged(batch)
        else:
            publisher.publish_vectors(batch)
        if not self._names:
            logger.info("embedded names=%d", self._unsaved_name_count)
            self._unsaved_name_count = 0
            if not is_all:
                publisher.save_whole()
