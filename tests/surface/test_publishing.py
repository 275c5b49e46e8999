"""The messages of the publisher keep the server's index equal to the indexer's, and as small."""

import errno
import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
import pytest

from clew.engine import passages
from clew.engine.apply import Engine
from clew.engine.dump import dump
from clew.engine.persist.generation_files import map_index_file
from clew.engine.persist.store import Store
from clew.engine.reading.steps import Absorbed
from clew.engine.settings import EngineSettings, IndexerSettings
from clew.index import keyword
from clew.surface.indexer import saving
from clew.surface.indexer.publishing import Publisher, fingerprint, layout
from clew.values import ipc
from clew.values.vault import Batch, CommitDates
from tests.schedulers import FakeLink
from tests.stored import read_back, stored
from tests.vaults import read_note

NOTES = 40
EDITS = 300
CELLS_MAX = 400
DEAD_MAX = 30
RECORDS_MAX = 10  # of the log
SLOTS_A_NOTE = 2


class Server(FakeLink):
    """The other end of a link, which applies the messages."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        self.folder = folder
        self.engine, self.opened = Engine(EngineSettings()), 0

    def send(self, *messages: object) -> None:
        for message in messages:
            if isinstance(message, ipc.RevisionStarted):
                if message.generation is None:
                    continue  # its chunks follow
                file = map_index_file(self.folder, message.generation)
                self.engine, self.opened = read_back(file), self.opened + 1
            elif isinstance(message, ipc.BatchApplied):
                self.engine.apply(message.batch)

    def send_chunks(self, chunks: Iterable[bytes]) -> None:
        self.engine = read_back(memoryview(b"".join(chunks)))


class Sends(Server):
    """The same, which also keeps what was sent together."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self.sends: list[tuple[object, ...]] = []

    def send(self, *messages: object) -> None:
        self.sends.append(messages)
        super().send(*messages)


def publishing_to(server: Server) -> tuple[Publisher, saving.Saving, Store]:
    """Return a publisher that begins with nothing saved, how it saves, and where."""
    store = Store(server.folder, "print")
    kept = saving.Saving(store)
    assert kept.load() is None
    return Publisher(server, kept), kept, store


def size_of(engine: Engine) -> tuple[int, ...]:
    """Return the number of slots that a query reads, live and dead ones."""
    kept = engine.indexes.passages
    return (
        len(kept.slots),
        kept.slots.dead_count,
        len(kept.keyword.tail[0]),
        len(kept.keyword.words),
    )


@pytest.mark.slow
def test_after_many_edits_the_server_is_as_compact_as_the_indexer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyword, "TAIL_MAX", CELLS_MAX)
    monkeypatch.setattr(passages, "_DEAD_MIN", DEAD_MAX)
    monkeypatch.setattr(saving, "LOG_RECORDS_MAX", RECORDS_MAX)
    monkeypatch.setattr(saving, "QUIET_S", 0.0)
    server, indexer = Server(str(tmp_path / "index")), Engine(EngineSettings())
    publisher, kept, _ = publishing_to(server)
    indexer.apply(Batch(put=tuple(read_note(f"{n}.md", f"word{n}") for n in range(NOTES))))
    publisher.publish_first(indexer)
    for edit in range(EDITS):
        batch = Batch(put=(read_note("7.md", f"again{edit} and [[again]]"),))
        publisher.publish(Absorbed(batch, indexer.apply(batch), 0, 1), indexer)
        publisher.save(indexer)
        assert size_of(server.engine) == size_of(indexer)
        assert size_of(server.engine)[1] <= max(DEAD_MAX, size_of(server.engine)[0] / 10) + 2
        assert size_of(server.engine)[2] <= CELLS_MAX + 20
    assert kept.failure is None
    # The whole index was written when the log was full, or enough slots were dead.
    assert 1 < server.opened <= EDITS / RECORDS_MAX + EDITS * SLOTS_A_NOTE / DEAD_MAX
    assert dump(server.engine.snapshot) == dump(indexer.snapshot)


def test_a_vault_that_is_never_quiet_is_saved_when_its_log_is_twice_as_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saving, "LOG_RECORDS_MAX", RECORDS_MAX)
    monkeypatch.setattr(saving, "QUIET_S", 3_600.0)
    server, indexer = Server(str(tmp_path / "index")), Engine(EngineSettings())
    publisher, kept, _ = publishing_to(server)
    indexer.apply(Batch(put=(read_note("7.md", "text"),)))
    publisher.publish_first(indexer)
    logged = []
    for edit in range(5 * RECORDS_MAX):
        batch = Batch(put=(read_note("7.md", f"again{edit}"),))
        publisher.publish(Absorbed(batch, indexer.apply(batch), 0, 1), indexer)
        publisher.save(indexer)
        logged.append(kept.log_records)
    assert max(logged) == 2 * RECORDS_MAX
    assert logged.count(0) == 2


def test_a_small_index_is_saved_after_fewer_changes_than_a_large_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saving, "LOG_RECORDS_MAX", 30)
    monkeypatch.setattr(saving, "LOG_RECORDS_MIN", 10)
    monkeypatch.setattr(saving, "QUIET_S", 0.0)
    publisher, kept, store = publishing_to(Server(str(tmp_path / "index")))
    publisher.publish_first(Engine(EngineSettings()))
    for bytes_a_record, expected in ((10**9, 10), (store.generation_bytes // 20, 20), (1, 30)):
        monkeypatch.setattr(saving, "SAVED_BYTES_A_RECORD", bytes_a_record)
        while kept.wants_whole_in_s() is None:
            kept.log(Batch())
        assert kept.log_records == expected + 1


def test_a_small_change_is_one_send_with_what_comes_before_it_and_tells_of_names(
    tmp_path: Path,
) -> None:
    server, indexer = Sends(str(tmp_path / "index")), Engine(EngineSettings())
    publisher, _, store = publishing_to(server)
    indexer.apply(Batch(put=(read_note("zorro.md", "text"),)))
    publisher.publish_first(indexer)
    server.sends.clear()
    batch = Batch(put=(read_note("a.md", "seen by zorro"),))
    first = ipc.ParsingStarted(())
    publisher.publish(Absorbed(batch, indexer.apply(batch), 1, 0), indexer, [first])
    ((sent, applied),) = server.sends
    assert sent == first
    assert isinstance(applied, ipc.BatchApplied)
    found = applied.batch.found_names
    assert found is not None
    assert found.held == {"a.md": ("zorro",)}
    store.close()
    loaded = saving.Saving(Store(str(tmp_path / "index"), "print")).load()
    assert loaded is not None
    assert loaded.log == [applied.batch]


def test_a_note_saved_in_a_round_is_logged_without_the_names_found_in_it(tmp_path: Path) -> None:
    """At a restart, slices of the round come before it, and may have more names."""
    server, indexer = Sends(str(tmp_path / "index")), Engine(EngineSettings())
    publisher, kept, store = publishing_to(server)
    indexer.apply(Batch(put=(read_note("zorro.md", "text"),)))
    publisher.publish_first(indexer)
    kept.log(Batch(put=(read_note("ruddle.md", "read, and not applied yet"),)))
    batch = Batch(put=(read_note("a.md", "seen by zorro and ruddle"),))
    indexer.apply(batch)
    publisher.publish_saved(batch, indexer)
    assert dump(server.engine.snapshot) == dump(indexer.snapshot)
    indexer.apply(Batch(put=(read_note("ruddle.md", "read, and not applied yet"),)))
    store.close()
    loaded = saving.Saving(Store(str(tmp_path / "index"), "print")).load()
    assert loaded is not None
    assert loaded.file is not None
    restored = read_back(loaded.file)
    for logged in loaded.log:
        restored.apply(logged)
    assert dump(restored.snapshot) == dump(indexer.snapshot)
    assert restored.indexes.mentions.held["a.md"] == ("ruddle", "zorro")


def test_a_note_saved_while_the_server_lacks_slices_is_found_at_once_and_at_the_end(
    tmp_path: Path,
) -> None:
    """The names in texts that the server lacks are not those in the texts that it has."""
    server, indexer = Sends(str(tmp_path / "index")), Engine(EngineSettings())
    publisher, *_ = publishing_to(server)
    indexer.apply(Batch(put=(read_note("zorro.md", "text"), read_note("old.md", "text"))))
    publisher.publish_first(indexer)
    expected = read_back(stored(indexer.indexes))
    slice_of_round = Batch(put=(read_note("ruddle.md", "text"), read_note("old.md", "by kestrel")))
    indexer.apply(slice_of_round)
    publisher.run_ahead()
    saved = Batch(put=(read_note("a.md", "zorro and ruddle"), read_note("kestrel.md", "text")))
    indexer.apply(saved)
    publisher.publish_saved(saved, indexer)
    expected.apply(saved)
    assert dump(server.engine.snapshot) == dump(expected.snapshot)
    vectors = Batch(commits={"a.md": CommitDates(None, 5.0, "hash")})
    indexer.apply(vectors)
    publisher.publish_vectors(vectors)
    batch = Batch(put=(read_note("small.md", "text"),))
    publisher.publish(Absorbed(batch, indexer.apply(batch), 1, 0), indexer)
    assert dump(server.engine.snapshot) == dump(indexer.snapshot)
    assert server.opened == 2


@pytest.mark.parametrize("is_restored", [True, False])
def test_what_was_applied_before_the_vault_was_lost_is_sent_whole(
    tmp_path: Path, is_restored: bool
) -> None:
    server, indexer = Sends(str(tmp_path / "index")), Engine(EngineSettings())
    publisher, kept, _ = publishing_to(server)
    indexer.apply(Batch(put=(read_note("a.md", "text"),)))
    publisher.publish_first(indexer)
    if is_restored:  # and queries see nothing yet
        publisher = Publisher(server, kept)
        publisher.record_restored(kept.generation)
    indexer.apply(Batch(put=(read_note("b.md", "text"),)))
    publisher.run_ahead()
    publisher.publish_first(indexer)  # as when the vault is lost
    publisher.save(indexer)
    assert server.sends[-1] == (ipc.RevisionPublished(is_new=True, is_whole=True),)
    assert dump(server.engine.snapshot) == dump(indexer.snapshot)


def test_a_small_change_after_a_portion_that_was_not_stored_is_sent_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, indexer = Server(str(tmp_path / "index")), Engine(EngineSettings())
    publisher, kept, _ = publishing_to(server)
    indexer.apply(Batch(put=(read_note("first.md", "text"),)))
    publisher.publish_first(indexer)
    indexer.apply(Batch(put=(read_note("portion.md", "text"),)))
    with monkeypatch.context() as full_disk:
        full_disk.setattr(kept, "save", lambda _: None)
        assert not publisher.store_portion(indexer)
    batch = Batch(put=(read_note("small.md", "text"),))
    publisher.publish(Absorbed(batch, indexer.apply(batch), 1, 0), indexer)
    assert dump(server.engine.snapshot) == dump(indexer.snapshot)


def test_a_note_whose_name_many_texts_hold_is_a_small_change(tmp_path: Path) -> None:
    server, indexer = Sends(str(tmp_path / "index")), Engine(EngineSettings())
    publisher, *_ = publishing_to(server)
    texts = (read_note(f"{number}.md", "a zorro ruddle") for number in range(200))
    indexer.apply(Batch(put=(*texts, read_note("ruddle zorros.md", "other"))))
    publisher.publish_first(indexer)
    server.sends.clear()
    batch = Batch(put=(read_note("zorro ruddle.md", "text"),))
    publisher.publish(Absorbed(batch, indexer.apply(batch), 1, 0), indexer)
    ((applied,),) = server.sends
    assert isinstance(applied, ipc.BatchApplied)
    found = applied.batch.found_names
    assert found is not None
    assert found.gained == {f"{number}.md": ("zorro ruddle",) for number in range(200)}


def test_a_long_tail_is_merged_without_giving_new_ids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyword, "TAIL_MAX", CELLS_MAX)
    monkeypatch.setattr(saving, "QUIET_S", 0.0)
    server, indexer = Server(str(tmp_path / "index")), Engine(EngineSettings())
    publisher, *_ = publishing_to(server)
    for edit in range(3):
        text = " ".join(f"word{edit}of{n}" for n in range(CELLS_MAX))
        batch = Batch(put=(read_note("7.md", text),))
        publisher.publish(Absorbed(batch, indexer.apply(batch), 0, 1), indexer)
        publisher.save(indexer)
        slot_count, dead_count, tail_length, word_count = size_of(indexer)
        assert tail_length == 0
        assert slot_count > dead_count > 0 or edit == 0
        assert word_count > CELLS_MAX * (edit + 1)  # the words of the dead slots are still there
    assert dump(server.engine.snapshot) == dump(indexer.snapshot)


def test_a_new_field_of_a_stored_value_changes_the_layout() -> None:
    older = msgspec.defstruct("Link", [("target", str)], array_like=True)
    newer = msgspec.defstruct("Link", [("target", str), ("line", int, 1)], array_like=True)
    assert layout(tuple[older]) != layout(tuple[newer])  # type: ignore[valid-type]


def test_a_state_of_another_layout_is_not_loaded(tmp_path: Path) -> None:
    settings = IndexerSettings("/vault")
    without_layout = msgspec.json.encode(("0", settings), order="deterministic")
    older = Store(str(tmp_path), hashlib.sha256(without_layout).hexdigest())
    older.publish({"revision": [b"chunk"]})
    older.append(b"record")
    older.close()
    assert Store(str(tmp_path), fingerprint(settings, "0")).load() is None


class FullStore(Store):
    """A store that cannot write as long as it is full."""

    is_full = True

    def publish(self, files: Mapping[str, Iterable[bytes]]) -> None:
        if self.is_full:
            raise OSError(errno.ENOSPC, "disk full")
        super().publish(files)


def test_background_work_waits_for_a_server_that_lacks_a_portion(tmp_path: Path) -> None:
    """The portion could not be saved, and the vault was lost before the end of its round."""
    server, indexer = Sends(str(tmp_path / "index")), Engine(EngineSettings())
    store = FullStore(str(tmp_path / "index"), "print")
    kept = saving.Saving(store)
    assert kept.load() is None
    publisher = Publisher(server, kept)
    indexer.apply(Batch(put=(read_note("a.md", "of a portion"),)))
    assert not publisher.store_portion(indexer)
    dates = Batch(commits={"a.md": CommitDates(None, 5.0, "hash")})
    indexer.apply(dates)
    publisher.publish_logged(dates)
    publisher.publish_vectors(Batch())
    assert server.sends == []
    store.is_full = False
    publisher.save_whole()
    publisher.save(indexer)
    assert dump(server.engine.snapshot) == dump(indexer.snapshot)
    assert server.sends[-1] == (ipc.RevisionPublished(is_new=True, is_whole=True),)
