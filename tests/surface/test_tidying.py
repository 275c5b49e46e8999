"""The index is compacted when it is next saved, and readers do not notice."""

import random
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from clew.engine import indexes, passages
from clew.engine.apply import Engine
from clew.engine.dump import dump
from clew.engine.persist.generation_files import map_index_file
from clew.engine.persist.store import Store
from clew.engine.reading.steps import Absorbed
from clew.engine.settings import EngineSettings
from clew.index import keyword
from clew.surface.indexer import saving
from clew.surface.indexer.publishing import Publisher
from clew.surface.server.child.replica import Replica
from clew.values import ipc
from clew.values.vault import Batch
from tests.answers import found, setting_of
from tests.batches import ENCODER, random_batch, vectors_for
from tests.schedulers import FakeLink
from tests.stored import read_back
from tests.vaults import read_note

EDITS_MAX = 30
PRIVATE = "---\nprivate: true\n---\n"
NOTES = {"a.md": "[[b]] tide", "b.md": "# Tide\nmoon", "secret.md": f"{PRIVATE}[[a]] tide"}


class ReplicaLink(FakeLink):
    """A server that applies the messages to its replica."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        self.replica, self.folder = Replica(EngineSettings()), folder
        self.kinds: list[type] = []  # of the messages
        self.are_new: list[bool] = []  # of the revisions that were sent whole

    def send(self, *messages: object) -> None:
        for message in messages:
            self.kinds.append(type(message))
            if isinstance(message, ipc.RevisionStarted):
                number, size_bytes = message.generation, message.size_bytes
                file = None if number is None else map_index_file(self.folder, number)
                self.replica.start_revision(file, size_bytes)
            elif isinstance(message, ipc.BatchApplied):
                self.replica.apply(message.batch)
            elif isinstance(message, ipc.RevisionPublished):
                self.are_new.append(message.is_new)
                self.replica.publish(is_new=message.is_new)

    def send_chunks(self, chunks: Iterable[bytes]) -> None:
        for chunk in chunks:
            self.replica.load_chunk(chunk)


class Served:
    """An indexer of a few notes, and the server that it sends changes to."""

    def __init__(self, folder: Path) -> None:
        self.link = ReplicaLink(str(folder / "index"))
        self.store = Store(self.link.folder, "print")
        self.saving = saving.Saving(self.store)
        self.saving.load()
        self.publisher = Publisher(self.link, self.saving)
        self.indexer, self.edits = Engine(EngineSettings()), 0
        put = tuple(read_note(path, text) for path, text in NOTES.items())
        self.indexer.apply(Batch(put=put, vectors=vectors_for(put)))
        self.publisher.publish_first(self.indexer)
        self.link.kinds.clear()
        self.link.are_new.clear()

    def edit(self) -> None:
        self.edits += 1
        put = (read_note("a.md", f"[[b]] [[new {self.edits}]] tide {self.edits}"),)
        batch = Batch(put=put, vectors=vectors_for(put))
        self.publisher.publish(Absorbed(batch, self.indexer.apply(batch), 0, 1), self.indexer)

    def edit_until_untidy(self) -> None:
        for _ in range(EDITS_MAX):
            self.edit()
            if self.indexer.indexes.needs_compaction:
                return
        pytest.fail("the index never needs to be compacted")

    def replies(self) -> list[object]:
        """Return what both kinds of clients see."""
        views, setting = self.link.replica.views, setting_of(ENCODER)
        return [
            (
                each.revision,
                dump(each.snapshot),
                found(each.snapshot, ["tide", "moon"], setting),
                each.snapshot.renames,
                each.snapshot.communities,
            )
            for each in (views.whole, views.public)
        ]


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Served:
    monkeypatch.setattr(passages, "_DEAD_MIN", 10)
    monkeypatch.setattr(indexes, "_DEAD_NOTES_MIN", 1)
    monkeypatch.setattr(saving, "QUIET_S", 0.0)
    return Served(tmp_path)


def test_a_small_change_is_sent_as_such_though_the_index_must_be_compacted(served: Served) -> None:
    served.edit_until_untidy()
    served.edit()
    assert set(served.link.kinds) == {ipc.BatchApplied}
    assert served.indexer.indexes.needs_compaction


def test_a_compaction_changes_nothing_for_readers(served: Served) -> None:
    served.edit_until_untidy()
    replica = served.link.replica
    before, held = served.replies(), replica.snapshot
    told, held_dump = replica.snapshot.revision - 1, dump(held)
    served.publisher.save(served.indexer)
    assert served.link.are_new == [False]
    for engine in (served.indexer, replica.views.whole):
        assert engine.indexes.passages.slots.dead_count == 0
    assert served.replies() == before
    assert dump(held) == held_dump
    for view in (replica.views.whole, replica.views.public):
        changes = view.changes.difference(told, view.revision)
        assert changes is not None  # a subscriber sees no overflow
        assert (changes.added, changes.modified, changes.removed) == ((), ("a.md",), ())
    served.edit()
    assert dump(replica.snapshot) == dump(served.indexer.snapshot)


def test_a_restart_after_a_compaction_applies_the_log_to_it(served: Served) -> None:
    served.edit_until_untidy()
    served.publisher.save(served.indexer)
    served.edit()
    served.store.close()
    loaded = saving.Saving(Store(served.link.folder, "print")).load()
    assert loaded is not None
    assert loaded.file is not None
    restored = read_back(loaded.file)
    for batch in loaded.log:
        restored.apply(batch)
    assert dump(restored.snapshot) == dump(served.indexer.snapshot)


def test_an_index_that_cannot_be_saved_is_compacted_in_both_processes(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.edit_until_untidy()
    before = served.replies()
    monkeypatch.setattr(served.saving, "save", lambda _: None)
    served.publisher.save(served.indexer)
    assert served.link.are_new == [False]
    assert served.link.replica.views.whole.indexes.passages.slots.dead_count == 0
    assert served.replies() == before


def test_a_compaction_is_not_put_off_for_ever(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = [1_000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    monkeypatch.setattr(saving, "QUIET_S", 2.0)
    served.edit_until_untidy()
    assert served.saving.wants_whole_in_s() == 2.0
    for _ in range(int(saving.TIDY_S_MAX) - 1):  # a note is saved each second
        now_s[0] += 1
        served.edit()
        served.publisher.save(served.indexer)
        assert not served.link.are_new
    now_s[0] += 1
    assert served.saving.wants_whole_in_s() == 0.0
    served.publisher.save(served.indexer)
    assert served.link.are_new == [False]
    assert served.saving.wants_whole_in_s() is None


@pytest.mark.slow
def test_both_processes_stay_equal_through_random_changes_and_compactions(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyword, "TAIL_MAX", 300)
    chance, indexer, replica = random.Random(7), served.indexer, served.link.replica
    compacted = 0
    for _ in range(100):
        batch = random_batch(chance, indexer)
        revision = replica.snapshot.revision
        served.publisher.publish(Absorbed(batch, indexer.apply(batch), 0, 0), indexer)
        assert replica.snapshot.revision == revision + 1
        if chance.random() < 0.2:
            before, is_due = served.replies(), indexer.indexes.needs_compaction
            served.publisher.save(indexer)
            compacted += is_due
            assert served.replies() == before
            assert dump(replica.snapshot) == dump(indexer.snapshot)
    assert compacted > 5
    assert served.link.are_new.count(False) >= compacted
    assert not any(served.link.are_new)
