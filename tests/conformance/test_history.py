"""The real edits of a vault, replayed: after every batch the state is that of a rebuild."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from clew.embed.models import open_model
from clew.engine.apply import Engine
from clew.engine.dump import dump
from clew.engine.embedding import vectors_of
from clew.engine.reading.indexer import Indexer
from clew.engine.rebuild import read_anew
from clew.engine.settings import EngineSettings, IndexerSettings
from clew.engine.snapshot import Snapshot
from clew.values.vault import Batch, ReadNote, Stamp
from tests.answers import found, setting_of
from tests.conformance.conftest import DATA, rows
from tests.stored import store_and_map
from tests.vaults import catch_up, note_from_bytes

NOTE_ENDINGS = (".md", ".markdown")


def blob_path(name: str, change: dict[str, Any]) -> Path:
    """Return the path of the file content after a change."""
    blob = str(change["blob"])
    return DATA / "history" / name / "blobs" / blob[:2] / blob[2:]


def histories() -> list[str]:
    return sorted(path.parent.name for path in (DATA / "history").glob("*/events.jsonl"))


def batches(name: str) -> Iterator[tuple[Batch, str]]:
    """Yield each commit as a batch, with its name."""
    known: set[str] = set()
    for event in rows(f"history/{name}/events.jsonl"):
        put: dict[str, ReadNote] = {}
        dropped: set[str] = set()
        for change in event["changes"]:
            path = change["path"]
            if change["op"] == "D":
                dropped.add(path)
                continue
            if change["op"].startswith("R"):
                dropped.add(change.get("from") or change.get("old") or path)
            blob = blob_path(name, change)
            if path.endswith(NOTE_ENDINGS) and blob.exists():
                stamp = Stamp(event["time"] * 10**9, 0, 0, 0)
                put[path] = ReadNote(note_from_bytes(path, blob.read_bytes()), stamp)
        gone = (dropped - put.keys()) & known
        known = (known - gone) | put.keys()
        yield Batch(put=tuple(put.values()), dropped=tuple(sorted(gone))), event["commit"]


@pytest.mark.parametrize("name", histories())
def test_the_state_after_every_batch_equals_a_rebuild(name: str, tmp_path: Path) -> None:
    """At random moments the index is compacted, and written as a file that is mapped then."""
    engine, chance = Engine(EngineSettings()), random.Random(13)
    notes: dict[str, ReadNote] = {}
    for batch, commit in batches(name):
        for path in batch.dropped:
            del notes[path]
        notes.update({read.note.path: read for read in batch.put})
        engine.apply(batch)
        if chance.random() < 0.1:
            engine.compact()
        if chance.random() < 0.2:
            store_and_map(engine, tmp_path / "index")
        rebuilt = Engine(EngineSettings())
        rebuilt.apply(Batch(put=tuple(notes.values())))
        assert dump(engine.snapshot) == dump(rebuilt.snapshot), commit
    assert notes


def queries(snapshot: Snapshot, count: int) -> list[str]:
    """Return fixed queries made of words, titles and headings of the notes."""
    notes = [snapshot.note(path) for path in sorted(snapshot.entries)]
    said = [note.title for note in notes]
    said += [heading.text for note in notes for heading in note.headings]
    words = sorted({word for note in notes for word in note.text.split() if word.isalpha()})
    chance = random.Random(7)
    drawn = chance.sample(said, min(len(said), count // 2))
    while len(drawn) < count:
        drawn.append("known " + " ".join(chance.sample(words, chance.randint(1, 3))))
    return [text for text in drawn if any(map(str.isalnum, text))]


@pytest.mark.parametrize("name", histories())
def test_after_all_edits_search_equals_that_of_a_rebuild(name: str, tmp_path: Path) -> None:
    encoder, chance = open_model("builtin"), random.Random(17)
    engine = Engine(EngineSettings())
    for batch, _ in batches(name):
        vectors = vectors_of(encoder, [read.note for read in batch.put])
        engine.apply(replace(batch, vectors=vectors))
        if chance.random() < 0.1:
            store_and_map(engine, tmp_path / "index")
    rebuilt = Engine(EngineSettings())
    entries = tuple(engine.indexes.entries.values())
    rebuilt.apply(Batch(put=entries, vectors=vectors_of(encoder, [e.note for e in entries])))
    setting = setting_of(encoder)
    asked = queries(engine.snapshot, 200)
    answers = found(rebuilt.snapshot, asked, setting)
    assert sum(map(bool, answers.values())) > len(asked)
    assert found(engine.snapshot, asked, setting) == answers


@pytest.mark.parametrize("name", histories())
def test_the_same_through_the_file_system(name: str, tmp_path: Path) -> None:
    """Every tenth state is written to disk, indexed and compared with a new index."""
    settings = IndexerSettings(root=str(tmp_path))
    indexer = Indexer(settings)
    for number, event in enumerate(rows(f"history/{name}/events.jsonl")):
        for change in event["changes"]:
            path = tmp_path / change["path"]
            old = tmp_path / str(change.get("from") or change.get("old") or change["path"])
            if change["op"].startswith(("D", "R")):
                old.unlink(missing_ok=True)
            blob = blob_path(name, change)
            if change["op"] != "D" and blob.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(blob.read_bytes())
        catch_up(indexer)
        if number % 10 == 0:
            assert dump(indexer.snapshot) == dump(read_anew(settings)), event["commit"]
