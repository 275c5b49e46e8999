"""When missing vectors are made in the background, sent to the server and saved."""

import errno
import math
import os
import signal
import time
from pathlib import Path

import pytest

from clew.embed.encoder import Encoder
from clew.embed.models import open_model
from clew.engine.apply import Engine
from clew.engine.dump import dump
from clew.engine.persist.generation_files import INDEX_FILE
from clew.engine.persist.store import Store
from clew.engine.reading.indexer import Indexer
from clew.engine.settings import IndexerSettings
from clew.surface.indexer.background import vector_backlog as vectors_module
from clew.surface.indexer.background.turn import Turn
from clew.surface.indexer.background.vector_backlog import VectorBacklog
from clew.surface.indexer.embedding import pool as pool_module
from clew.surface.indexer.embedding.pool import EmbeddingPool
from clew.surface.indexer.publishing import Publisher
from clew.surface.indexer.saving import Saving
from clew.surface.server.child.replica import Replica
from clew.values import ipc
from clew.values.errors import ModelUnavailable
from clew.values.vault import Batch
from tests.encoders import FakeEncoder
from tests.processes import children, wait_until_ended
from tests.schedulers import FakeLink
from tests.stored import read_back, stored
from tests.vaults import read_note

NOTES = {f"{number}.md": f"word{number} " * 200 + f"\n\nmore{number}" for number in range(9)}


class Rig:
    """A backlog of vectors, an indexer whose notes have no vectors yet, and fakes around them."""

    def __init__(self, home: Path) -> None:
        self.store = Store(str(home / "index"), "print")
        self.link, self.encoder, self.opened = FakeLink(), FakeEncoder(), 0
        self.settings = IndexerSettings(str(home))
        self.indexer = Indexer(self.settings)
        self.apply(Batch(put=tuple(read_note(*item) for item in NOTES.items())))
        self.publisher = Publisher(self.link, Saving(self.store))
        self.publisher.publish_first(self.indexer.engine)
        self.publisher.save(self.indexer.engine)
        self.link.sent.clear()
        self.backlog = VectorBacklog(self.open_model)

    def open_model(self) -> Encoder:
        self.opened += 1
        return self.encoder

    def apply(self, batch: Batch) -> None:
        self.indexer.engine.apply(batch)

    def settle(self) -> None:
        self.backlog.settle(self.indexer, self.publisher)
        self.publisher.save(self.indexer.engine)

    def rested(self) -> int:
        """Settle until nothing is due; return the number of rounds."""
        for times in range(100):
            if self.backlog.due_in_s() is None:
                return times
            assert self.backlog.due_in_s() == 0.0
            self.settle()
        raise AssertionError("it never rests")

    @property
    def batches(self) -> list[Batch]:
        """The batches sent to the server."""
        return [each.batch for each in self.link.sent if isinstance(each, ipc.BatchApplied)]

    def saved(self) -> Engine:
        """Return what would be loaded after a restart."""
        stored = self.store.load()
        assert stored is not None
        assert not stored.records
        return read_back(stored.files[INDEX_FILE])


class SharedRig(Rig):
    """A rig whose vectors are made by the model in the package, and by processes that load it."""

    def __init__(self, home: Path) -> None:
        self.turn = Turn()
        super().__init__(home)
        self.real_encoder = open_model("builtin")

    def open_model(self) -> Encoder:
        return self.real_encoder

    def restart(self, count: int) -> None:
        """Forget all vectors, and make them anew with ``count`` processes."""
        self.indexer = Indexer(self.settings)
        self.apply(Batch(put=tuple(read_note(*item) for item in NOTES.items())))
        pool = EmbeddingPool(count, "builtin")
        self.backlog = VectorBacklog(self.open_model, pool)
        self.backlog.turn = self.turn


@pytest.fixture
def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rig:
    monkeypatch.setattr(vectors_module, "SLICE_CHUNKS", 4)
    return Rig(tmp_path)


def test_vectors_are_made_slice_by_slice_until_every_note_has_its_own(rig: Rig) -> None:
    assert rig.backlog.is_due
    assert rig.rested() > 3
    assert rig.backlog.due_in_s() is None
    assert rig.indexer.embedder.due == []
    told = [path for batch in rig.batches if batch.vectors for path in batch.vectors.codes]
    assert told == sorted(NOTES)
    assert all(batch == Batch(vectors=batch.vectors) for batch in rig.batches)
    assert rig.opened == 1


def test_the_server_has_the_vectors_of_the_indexer(rig: Rig) -> None:
    replica = Replica(rig.settings.engine)
    replica.apply(Batch(put=tuple(read_note(*item) for item in NOTES.items())))
    rig.rested()
    for batch in rig.batches:
        replica.apply(batch)
    assert dump(replica.snapshot) == dump(rig.indexer.snapshot)


def test_vectors_are_saved_once_all_are_made(rig: Rig) -> None:
    before = dump(rig.saved().snapshot)
    rig.settle()
    assert dump(rig.saved().snapshot) == before
    rig.rested()
    assert dump(rig.saved().snapshot) == dump(rig.indexer.snapshot)
    assert dump(rig.indexer.snapshot) != before
    generations = rig.store.generation_bytes
    rig.settle()
    rig.settle()
    assert rig.store.generation_bytes == generations


def test_a_long_backlog_is_saved_before_its_end(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors_module, "SLICE_CHUNKS", 1)  # one note a slice
    monkeypatch.setattr(vectors_module, "SAVED_NOTES_MIN", 2)
    saved_counts = []
    while rig.backlog.is_due:
        rig.settle()
        saved_counts.append(int(rig.saved().indexes.passages.vectors.is_embedded.sum()))
    assert len(set(saved_counts)) == len(NOTES) // 3 + 1
    assert rig.saved().indexes.passages.vectors.is_embedded.all()


def test_changed_notes_without_vectors_get_theirs(rig: Rig) -> None:
    rig.rested()
    rig.encoder.take_encoded()
    rig.apply(Batch(put=(read_note("new.md", "new"),), dropped=("1.md",)))
    assert not rig.backlog.is_due
    rig.backlog.look_again(rig.indexer)
    assert rig.backlog.is_due
    rig.rested()
    assert rig.encoder.take_encoded() == ["new\nnew"]
    assert rig.indexer.embedder.due == []


def test_notes_deleted_meanwhile_are_no_error(rig: Rig) -> None:
    rig.settle()
    rig.apply(Batch(dropped=("7.md", "8.md")))
    rig.backlog.look_again(rig.indexer)
    rig.rested()
    assert rig.indexer.embedder.due == []


def test_a_change_between_slices_makes_no_vector_twice(rig: Rig) -> None:
    rig.settle()
    rig.backlog.look_again(rig.indexer)
    rig.rested()
    told = rig.encoder.take_encoded()
    assert len(told) == len(set(told))


def test_a_model_that_cannot_be_opened_is_reported_and_not_retried_for_ever(rig: Rig) -> None:
    def unavailable() -> FakeEncoder:
        rig.opened += 1
        raise ModelUnavailable("no such model", "get one")

    rig.backlog = VectorBacklog(unavailable)
    assert rig.rested() == 1
    assert rig.backlog.failure is not None
    assert "no such model" in rig.backlog.failure
    rig.backlog.look_again(rig.indexer)
    rig.settle()
    assert (rig.opened, rig.backlog.due_in_s(), rig.batches) == (1, None, [])


def test_a_model_whose_files_cannot_be_read_now_is_tried_again(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse_once() -> Encoder:
        if rig.opened == 0:
            rig.opened += 1
            raise OSError(errno.EMFILE, "too many open files")
        return rig.open_model()

    rig.backlog = VectorBacklog(refuse_once)
    rig.settle()
    assert (rig.backlog.due_in_s() or 0.0) > 1.0
    assert "too many open files" in (rig.backlog.failure or "")
    monkeypatch.setattr(time, "monotonic", lambda: math.inf)
    rig.rested()
    assert (rig.opened, rig.backlog.failure) == (2, None)
    assert rig.saved().indexes.passages.unembedded("fake") == []


def test_a_vault_that_has_all_its_vectors_is_not_saved_again(rig: Rig) -> None:
    rig.rested()
    rig.link.sent.clear()
    saved = rig.store.load()
    assert saved is not None
    rig.backlog = VectorBacklog(rig.open_model)
    assert rig.rested() == 1
    assert rig.link.sent == []


def test_after_a_restart_only_missing_vectors_are_made(rig: Rig) -> None:
    rig.rested()
    back = rig.saved()
    assert back.indexes.passages.unembedded("fake") == []
    assert len(back.indexes.passages.unembedded("another")) == len(NOTES)


# -- processes ----------------------------------------------------------------------------------


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SharedRig:
    monkeypatch.setattr(vectors_module, "SLICE_CHUNKS", 4)
    monkeypatch.setattr(pool_module, "BACKLOG_NOTES_MIN", 2)
    monkeypatch.setattr(pool_module, "WAIT_SECONDS", 60.0)  # so that each round makes a slice
    return SharedRig(tmp_path)


@pytest.mark.slow
def test_the_vectors_have_the_same_bytes_and_order_with_any_number_of_processes(
    shared: SharedRig,
) -> None:
    files, orders = set(), []
    for count in (0, 1, 3):
        shared.restart(count)
        shared.rested()
        files.add(bytes(stored(shared.indexer.engine.indexes)))
        orders.append(
            [path for batch in shared.batches if batch.vectors for path in batch.vectors.codes]
        )
        shared.link.sent.clear()
    assert len(files) == 1
    assert orders == [sorted(NOTES)] * 3


@pytest.mark.slow
@pytest.mark.parametrize("victim", ["a process", "the first process"])
def test_a_killed_process_loses_no_vector(
    shared: SharedRig,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    victim: str,
) -> None:
    monkeypatch.setattr(vectors_module, "SLICE_CHUNKS", 1)  # so that some slices are not sent yet
    shared.restart(2)
    before = set(children(os.getpid()))
    shared.settle()
    (parent,) = set(children(os.getpid())) - before
    forked = children(parent)
    killed = [parent, *forked] if victim == "the first process" else forked[:1]
    os.kill(killed[0], signal.SIGKILL)
    for pid in killed:
        wait_until_ended(pid)
    shared.rested()
    assert "embedding process ended" in caplog.text
    assert shared.indexer.embedder.due == []


@pytest.mark.slow
def test_processes_that_cannot_be_started_are_done_without(
    shared: SharedRig, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for command in (("/no/such/program",), ("false",)):
        monkeypatch.setattr(pool_module, "EMBEDDING_COMMAND", command)
        shared.restart(2)
        shared.rested()
        assert "embedding process ended" in caplog.text
        assert shared.indexer.embedder.due == []


@pytest.mark.slow
def test_notes_that_change_while_they_are_embedded_get_the_vectors_of_their_new_text(
    shared: SharedRig,
) -> None:
    shared.restart(2)
    shared.settle()
    gone, changed = sorted(NOTES)[1:3]  # both were sent to the processes
    shared.apply(Batch(put=(read_note(changed, "short now"),), dropped=(gone,)))
    shared.backlog.look_again(shared.indexer)
    shared.rested()
    fresh = Indexer(shared.settings)
    kept = {**NOTES, changed: "short now"}
    del kept[gone]
    fresh.engine.apply(Batch(put=tuple(read_note(*item) for item in kept.items())))
    fresh.embedder.encoder = shared.real_encoder
    fresh.embedder.embed(fresh.embedder.due)
    fresh.embedder.embed_names(fresh.embedder.due_names)
    assert dump(shared.indexer.snapshot) == dump(fresh.snapshot)


@pytest.mark.slow
def test_processes_wait_for_their_turn(shared: SharedRig) -> None:
    shared.restart(2)
    other = object()
    shared.turn.take(other)
    before = set(children(os.getpid()))
    shared.settle()
    assert set(children(os.getpid())) == before
    assert len(shared.batches) == 1  # made by this process
    shared.turn.end(other)
    shared.settle()
    assert len(set(children(os.getpid())) - before) == 1
    assert not shared.turn.is_free_for(other)
    shared.rested()
    assert shared.turn.is_free_for(other)
