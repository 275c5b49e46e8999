"""Making missing vectors in the background, slice by slice.

The batch of a few changed notes contains their vectors. After a first index, a full sync or a
change of the model, thousands of notes have no vectors; they are made here, between other work. The
vectors of concept names come last.
"""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from clew.engine.reading.indexer import Indexer
from clew.surface.indexer.publishing import Publisher
from clew.values.errors import ModelUnavailable

if TYPE_CHECKING:
    from clew.embed.encoder import Encoder

logger = logging.getLogger(__name__)

SLICE_CHUNKS = 100  # about 25 ms of work, during which no message is received
SLICE_NAMES = 1_000  # about the same time


class VectorKeeper:
    """Loads the model, and makes the missing vectors of notes and concepts."""

    def __init__(self, open_model: Callable[[], "Encoder"]) -> None:
        self._open_model = open_model
        self._has_opened = False
        self._waiting: list[str] | None = None  # paths without vectors; None: not listed yet
        self._names: list[str] | None = None  # concepts without a vector; None: not listed yet
        self._made = 0  # vectors of notes made since the last save
        self._named = 0  # vectors of concepts made since the last save
        self.failure: str | None = None  # why no vectors can be made

    @property
    def is_due(self) -> bool:
        """Whether some notes may have no vectors yet."""
        return self.failure is None and self._waiting != []

    def due_in_s(self) -> float | None:
        """Return the seconds until ``settle`` is due; ``None`` until a note changes."""
        return 0.0 if self.is_due or self.are_names_due else None

    @property
    def are_names_due(self) -> bool:
        """Whether some concepts may have no vectors yet."""
        return self.failure is None and self._names != []

    def look_again(self, indexer: Indexer) -> None:
        """Record that notes changed; some of them may have no vectors."""
        if self._has_opened:
            embedder = indexer.embedder
            self._waiting, self._names = embedder.due[::-1], embedder.due_names[::-1]
        else:
            self._waiting = self._names = None

    def settle(self, indexer: Indexer, publisher: Publisher) -> None:
        """Make a slice of the missing vectors, if any are missing."""
        if not self._has_opened:
            self._has_opened = True
            try:
                indexer.embedder.encoder = self._open_model()
            except ModelUnavailable as error:
                logger.warning("no vectors reason=%s", error)
                self.failure = str(error)
        if self._waiting is None:
            self._waiting = indexer.embedder.due[::-1]
        paths, chunk_count = [], 0
        while self._waiting and chunk_count < SLICE_CHUNKS:
            path = self._waiting.pop()
            chunk_count += 1 + len(indexer.snapshot.note(path).chunks)
            paths.append(path)
        if paths:
            publisher.publish_vectors(indexer.embedder.embed(paths))
            self._made += len(paths)
        if self._made and not self._waiting:
            logger.info("embedded notes=%d", self._made)
            self._made = 0
            publisher.save_whole()
        if not self._waiting and not paths:
            self._settle_names(indexer, publisher)

    def _settle_names(self, indexer: Indexer, publisher: Publisher) -> None:
        """Make a slice of the missing vectors of names, if any are missing."""
        if self._names is None:
            self._names = indexer.embedder.due_names[::-1]
        if not self._names:
            return
        is_all = not self._named and len(self._names) <= SLICE_NAMES
        concepts = self._names[-SLICE_NAMES:]
        del self._names[-SLICE_NAMES:]
        batch = indexer.embedder.embed_names(concepts)
        self._named += len(concepts)
        if is_all:
            publisher.publish_few_vectors(batch)
        else:
            publisher.publish_vectors(batch)
        if not self._names:
            logger.info("embedded names=%d", self._named)
            self._named = 0
            if not is_all:
                publisher.save_whole()
