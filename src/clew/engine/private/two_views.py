"""The index of all notes, and beside it an index of the public notes alone.

Clients that may not see private notes query the second index. It equals the index of a vault
without these notes, so no query has to leave out their words, names, links and counts. Both indexes
are read from the same file, whose memory they share, and are then changed by the same batches.
While no note is private, there is only one index.
"""

from typing import TYPE_CHECKING

from clew.engine.apply import Engine
from clew.engine.communities.current import Communities
from clew.engine.note_dates import SharedDates
from clew.engine.persist.index_file import read_indexes, serialize
from clew.engine.private.patterns import private_by_path
from clew.engine.settings import EngineSettings
from clew.values.note_words import Vectors
from clew.values.vault import NO_EVENTS, Batch, NoteEvents

if TYPE_CHECKING:
    from clew.index.approximate import ApproximateIndex


class TwoViews:
    """The engine of all notes and, once a note is private, the engine of the others.

    Invariant: the dump of ``public`` equals that of an index built without the private notes.
    """

    def __init__(self, settings: EngineSettings, events: NoteEvents = NO_EVENTS) -> None:
        self.whole = Engine(settings, events)
        self._public: Engine | None = None  # None: no note was private so far
        self._is_private_path = private_by_path(settings.private)

    @property
    def public(self) -> Engine:
        """The index of the notes that are not private."""
        return self._public or self.whole

    @property
    def are_two(self) -> bool:
        """Whether the public notes have an index of their own."""
        return self._public is not None

    def is_private(self, path: str) -> bool:
        """Return whether the file at ``path`` is private, whether or not it is indexed."""
        return path in self.whole.indexes.lists.private or self._is_private_path(path)

    def adopt(self, file: memoryview) -> None:
        """Use the indexes of ``file``, whose memory must not change.

        Raises:
            ValueError, LookupError: the file has no indexes.
        """
        self.whole.adopt(read_indexes(file, self.whole.settings))
        self._public = None
        if self.whole.indexes.lists.private:
            self._separate(file)

    def apply(self, batch: Batch) -> None:
        """Make ``batch`` the next revision of both."""
        self.whole.apply(batch)
        if self._public is not None:
            self._public.apply(self._public_part(self._public, batch))
            self._public.take_name_vectors(self.whole)
            self._public.follow(self.whole)
        elif private := self.whole.indexes.lists.private:
            public = self._separate(memoryview(b"".join(serialize(self.whole.indexes))))
            # Until now all notes were public. A log that began here would tell that one is not.
            public.continue_history(self.whole, hidden=private)

    def continue_from(self, other: "TwoViews", *, is_new: bool) -> None:
        """Continue the history of ``other``, engine by engine; see ``Engine.continue_from``."""
        self.whole.continue_from(other.whole, is_new=is_new)
        if self._public is not None:
            self._public.continue_from(other.public, is_new=is_new)
            self._public.follow(self.whole)
            if not other.are_two:
                self._public.begin_changes()

    def use_approximate(self, approximate: "ApproximateIndex | None") -> "ApproximateIndex | None":
        """Search vectors by ``approximate`` where it fits; return it if it fits the whole index."""
        used = self.whole.use_approximate(approximate)
        if self._public is not None:
            self._public.use_approximate(used)
            self._public.follow(self.whole)
        return used

    def use_communities(self, communities: Communities) -> None:
        """Let queries see these communities of all notes; each view shows the concepts it has."""
        self.whole.communities = communities
        if self._public is not None:
            self._public.communities = communities
            self._public.follow(self.whole)

    def _separate(self, file: memoryview) -> Engine:
        """Begin the index of the public notes from ``file``, which has the index of all notes."""
        public = Engine(self.whole.settings)
        public.dates = SharedDates(self.whole.dates)
        public.adopt(read_indexes(file, self.whole.settings))
        private = sorted(public.indexes.lists.private)
        notes = tuple(path for path in private if path in public.indexes.facts)
        others = tuple(path for path in private if path not in public.indexes.facts)
        public.apply(Batch(dropped=notes, others_dropped=others))
        public.communities = self.whole.communities
        public.follow(self.whole)
        public.begin_changes()
        self._public = public
        return public

    def _public_part(self, public: Engine, batch: Batch) -> Batch:
        """Return the changes by ``batch`` to public notes; it is applied to all notes already."""
        whole, facts = self.whole.indexes, public.indexes.facts
        private = whole.lists.private
        put = tuple(read for read in batch.put if read.note.path not in private)
        private_put = tuple(read.note.path for read in batch.put if read.note.path in private)
        dropped = tuple(path for path in (*batch.dropped, *private_put) if path in facts)
        added = [read.note.path for read in put if read.note.path not in facts]
        commits = {path: whole.commits[path] for path in added if path in whole.commits}
        return Batch(
            put=put,
            dropped=dropped,
            others_put=self._public_paths(batch.others_put),
            others_dropped=self._public_paths(batch.others_dropped),
            rules=batch.rules,
            daily_notes=batch.daily_notes,
            rule_files=batch.rule_files,
            reads_s=batch.reads_s,
            edits_s=batch.edits_s,
            words=batch.words,
            vectors=self._public_vectors(batch.vectors),
            commits={**commits, **batch.commits},
            puts_mentions_off=batch.puts_mentions_off,
            code=batch.code,
            code_dropped=batch.code_dropped,
        )

    def _public_vectors(self, vectors: Vectors | None) -> Vectors | None:
        private = self.whole.indexes.lists.private
        if vectors is None or private.keys().isdisjoint(vectors.codes):
            return vectors
        codes = {path: rows for path, rows in vectors.codes.items() if path not in private}
        return Vectors(vectors.model, vectors.dimensions, codes, vectors.names)

    def _public_paths(self, paths: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(path for path in paths if not self._is_private_path(path))
