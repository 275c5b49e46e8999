"""Many generations of one index: what is saved, mapped and saved again stays right."""

import random
from pathlib import Path

import pytest

from clew.engine import indexes
from clew.engine.apply import Engine
from clew.engine.dump import dump
from clew.engine.persist.generation_files import INDEX_FILE, map_index_file
from clew.engine.persist.index_file import read_indexes, serialize
from clew.engine.persist.store import Store
from clew.engine.settings import EngineSettings
from clew.values.packing import Unpacker, pack
from clew.values.vault import Batch
from tests.answers import found, setting_of
from tests.batches import ENCODER, random_batch, vectors_for
from tests.disks import UNSYNCED
from tests.examples import IS_QUICK

GENERATIONS = 300 if IS_QUICK else 1_000
CHECKED_EVERY = 100
FOLDERS_MAX = 2  # entries of the state folder: a generation and its log
QUERIES = ["tide moon", "gauge", "harbor", "neap flood chart"]

_unpack_batch: Unpacker[Batch] = Unpacker(Batch)


def restarted(folder: Path) -> tuple[Engine, Store]:
    """Return what the next process finds."""
    engine, store = Engine(EngineSettings()), Store(str(folder), "settings", UNSYNCED)
    stored = store.load()
    assert stored is not None
    if stored.files:
        engine.adopt(read_indexes(stored.files[INDEX_FILE], engine.settings))
    for record in stored.records:
        engine.apply(_unpack_batch(record))
    return engine, store


def rebuilt_from(engine: Engine) -> Engine:
    """Return an engine that reads the same notes for the first time."""
    entries = tuple(engine.indexes.entries.values())
    rebuilt = Engine(EngineSettings())
    rebuilt.apply(Batch(put=entries, vectors=vectors_for(entries)))
    return rebuilt


@pytest.mark.slow
def test_after_many_generations_the_index_equals_a_rebuild(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(indexes, "_DEAD_NOTES_MIN", 10)  # so that notes get new ids
    chance = random.Random(11)
    engine, store = Engine(EngineSettings()), Store(str(tmp_path), "settings", UNSYNCED)
    store.load()
    for generation in range(1, GENERATIONS + 1):
        for _ in range(chance.randrange(4)):
            batch = random_batch(chance, engine)
            engine.apply(batch)
            store.append(pack(batch))
        if chance.random() < 0.1:
            engine.compact()
        if chance.random() < 0.1:
            store.close()
            engine, store = restarted(tmp_path)
        store.publish({INDEX_FILE: serialize(engine.indexes)})
        engine.adopt(read_indexes(map_index_file(store.folder, store.generation), engine.settings))
        store.remove_older()
        assert len(list((tmp_path / "v2").iterdir())) <= FOLDERS_MAX
        if generation % CHECKED_EVERY == 0:
            rebuilt, setting = rebuilt_from(engine), setting_of(ENCODER)
            assert dump(engine.snapshot) == dump(rebuilt.snapshot)
            assert found(engine.snapshot, QUERIES, setting) == found(
                rebuilt.snapshot, QUERIES, setting
            )
    assert store.generation == GENERATIONS
    store.close()
