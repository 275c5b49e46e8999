"""Embedding the notes of a long backlog in several processes, in the order of the backlog.

A vector depends only on its text and the model, so the indexer itself would make the same bytes. If
a process ends by itself, the indexer makes all remaining vectors, and processes are not used again
before its next start.
"""

import logging
import os
from collections import deque
from collections.abc import Generator, Iterator
from itertools import cycle

from clew.engine.embedding import NotesToEmbed
from clew.surface.children import module_command
from clew.surface.indexer.parallel.group import Member, MemberEnded, running_group
from clew.values.note_words import Vectors
from clew.values.packing import Unpacker

logger = logging.getLogger(__name__)

SLICES_AHEAD_MAX = 3  # per process, so that it has work while the indexer applies vectors
WAIT_SECONDS = 0.05  # the longest wait for vectors, since messages may arrive meanwhile
# The indexer itself embeds a shorter backlog, since starting processes takes half a second of CPU.
BACKLOG_NOTES_MIN = 1_000

EMBEDDING_COMMAND = module_command("clew.surface.indexer.embedding")

_unpack_vectors: Unpacker[Vectors] = Unpacker(Vectors)


class EmbeddingPool:
    """Makes vectors in ``count`` processes with the model ``model``."""

    def __init__(self, count: int, model: str) -> None:
        self._count = count
        self._model = model

    def is_worthwhile(self, note_count: int) -> bool:
        """Return whether processes should embed a backlog of so many notes."""
        return self._count > 0 and note_count >= BACKLOG_NOTES_MIN

    def embed_ahead(
        self, slices: Iterator[NotesToEmbed]
    ) -> Generator[tuple[NotesToEmbed, Vectors | None] | None, None, None]:
        """Yield slices with their vectors, which are ``None`` if the caller must make them.

        Yields ``None`` in place of a pair while no slice is ready, so that the caller can work.
        """
        queue: deque[tuple[NotesToEmbed, Member]] = deque()
        try:
            yield from self._embed_in_processes(slices, queue)
        except MemberEnded as ended:
            logger.warning("embedding process ended reason=%s: one goes on", ended.reason)
            self._count = 0
            for notes, _ in queue:
                yield notes, None

    def _embed_in_processes(
        self, slices: Iterator[NotesToEmbed], queue: deque[tuple[NotesToEmbed, Member]]
    ) -> Generator[tuple[NotesToEmbed, Vectors] | None, None, None]:
        """Yield slices with their vectors; ``queue`` holds the slices sent and not yet yielded.

        Raises:
            MemberEnded: a process ended by itself.
        """
        command = (*EMBEDDING_COMMAND, self._model, str(os.getpid()))
        with running_group(command, self._count) as members:
            turns = cycle(members)
            logger.info("starting embedding processes count=%d", self._count)
            while True:
                while len(queue) < SLICES_AHEAD_MAX * self._count and (notes := next(slices, None)):
                    queue.append((notes, next(turns)))
                    queue[-1][1].send(notes)
                if not queue:
                    return
                notes, member = queue[0]
                if not member.has_result(WAIT_SECONDS):
                    yield None
                    continue
                vectors = _unpack_vectors(member.take())
                queue.popleft()
                yield notes, vectors
