"""The index that shows no private note equals one of a vault without these notes, byte for byte.

After any sequence of changes: notes are saved, renamed, deleted, made private and public again.
"""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from clew.engine.apply import Engine
from clew.engine.embedding import name_vectors
from clew.engine.private.two_views import TwoViews
from clew.engine.settings import EngineSettings
from clew.values.vault import Batch, ReadNote
from tests.engine.test_incremental import PATHS, VaultMachine
from tests.examples import examples
from tests.stored import read_back, stored
from tests.vaults import NOW_S, read_note

pytestmark = pytest.mark.slow

PATTERNS = ("y/", "x/p.png")
FLAG = "private: true\n"


class PrivateMachine(VaultMachine):
    """The changes of a vault in which notes are private by a key, or by their path."""

    def __init__(self) -> None:
        super().__init__()
        self.settings = EngineSettings(sources=self.sources, private=PATTERNS)
        self.views = TwoViews(self.settings)

    @property
    def engine(self) -> Engine:
        """The engine of all notes."""
        return self.views.whole

    @engine.setter
    def engine(self, engine: Engine) -> None:
        """Ignore an engine that ``VaultMachine`` makes."""

    def apply(self, batch: Batch) -> None:
        self.views.apply(batch)

    @rule(path=PATHS)
    def toggle_private(self, path: str) -> None:
        if path not in self.notes:
            return
        text = self.notes[path].note.text
        without = text.replace(FLAG, "", 1)
        text = without if without != text else text.replace("---\n", f"---\n{FLAG}", 1)
        self.notes[path] = read_note(path, text)
        self.forget(path)
        self.apply(Batch(put=(self.notes[path],)))

    @rule(path=PATHS)
    def mark_read(self, path: str) -> None:
        self.apply(Batch(reads_s={path: NOW_S}))

    @rule()
    def embed_names(self) -> None:
        names = sorted(self.engine.indexes.graph.concepts())
        model = name_vectors(self.encoder, names)
        self.remember(model)
        self.apply(Batch(vectors=model))

    @rule()
    def compact(self) -> None:
        indexer = read_back(stored(self.engine.indexes), self.settings)
        indexer.compact()
        self.receive(stored(indexer.indexes), is_new=False)

    @rule(is_new=st.booleans())
    def store(self, is_new: bool) -> None:
        self.receive(stored(self.engine.indexes), is_new=is_new)

    @rule()
    def come_back_from_disk(self) -> None:
        self.receive(stored(self.engine.indexes), is_new=True)

    def receive(self, file: memoryview, *, is_new: bool) -> None:
        """Go on with a revision that is received as a file, as the server does."""
        views = TwoViews(self.settings, self.engine.dates.events)
        views.adopt(file)
        views.continue_from(self.views, is_new=is_new)
        self.views = views

    def is_private(self, read: ReadNote) -> bool:
        return FLAG in read.note.text or "y/" in read.note.path

    @invariant()
    def public_equals_rebuild(self) -> None:
        public = {path: read for path, read in self.notes.items() if not self.is_private(read)}
        self.check(self.views.public, public, self.others - {"x/p.png"})

    def teardown(self) -> None:
        self.asks = True
        try:
            self.public_equals_rebuild()
        finally:
            super().teardown()

    @invariant()
    def numbers_are_equal(self) -> None:
        whole, public = self.views.whole, self.views.public
        assert (whole.revision, whole.content_changes) == (public.revision, public.content_changes)
        assert whole.snapshot.revision == public.snapshot.revision

    @invariant()
    def public_concepts_have_the_vectors_of_their_names(self) -> None:
        whole = {n: bytes(row) for n, row in self.engine.indexes.name_vectors.items()}
        public = {n: bytes(row) for n, row in self.views.public.indexes.name_vectors.items()}
        mentioned = set(self.views.public.indexes.graph.concepts())
        assert whole.keys() & mentioned <= public.keys() <= mentioned
        assert all(row == whole.get(name, row) for name, row in public.items())


PrivateMachine.TestCase.settings = examples(40, long=400, stateful_step_count=25)
test_the_public_index_equals_a_rebuild_without_private_notes = PrivateMachine.TestCase
