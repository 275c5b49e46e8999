"""A snapshot that somebody holds answers the same, however many revisions follow."""

import random
from pathlib import Path

import pytest

from clew.engine import indexes
from clew.engine.apply import Engine
from clew.engine.dump import dump
from clew.engine.settings import EngineSettings, SiblingConfig
from clew.engine.snapshot import Snapshot
from clew.index.structures import layered_map
from clew.query.graph.concept import concept
from clew.query.graph.paths import path
from clew.query.notes import links, lists
from clew.query.slices import finished
from clew.values import requests
from tests.answers import found, setting_of
from tests.batches import ENCODER, random_batch
from tests.stored import store_and_map
from tests.vaults import CLOCK, NOW_S

REVISIONS = 1_000
HELD_EVERY = 97
COMPACTED_EVERY = 211
STORED_FROM, STORED_EVERY = 340, 31  # before that, changes are merged in memory


def replies(snapshot: Snapshot) -> list[object]:
    """Return replies of methods that read each index, as well as the whole dump."""
    name = snapshot.graph.name(int(snapshot.graph.note_counts.argmax()))
    others = sorted(snapshot.graph.concepts())
    deep = requests.ConceptRequest(concept_name=name, depth=3)
    return [
        dump(snapshot),
        found(snapshot, ["tide moon", "gauge", "harbor"], setting_of(ENCODER)),
        finished(concept(snapshot, deep, NOW_S, SiblingConfig())),
        finished(path(snapshot, requests.PathRequest(from_=others[0], to=others[-1]), NOW_S)),
        finished(links.backlinks(snapshot, requests.Backlinks(concept_name=name))),
        finished(links.unresolved(snapshot, requests.Unresolved())),
        finished(lists.recent(snapshot, requests.Recent(by="read"), CLOCK)),
        sorted(snapshot.name_vectors.nearest("note-1", 5)),
    ]


@pytest.mark.slow
def test_a_held_snapshot_answers_the_same_through_a_thousand_revisions(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(layered_map, "CHANGES_MIN", 5)  # so that changes are merged often
    monkeypatch.setattr(indexes, "_DEAD_NOTES_MIN", 10)  # so that notes get new ids
    chance, engine = random.Random(5), Engine(EngineSettings())
    held: list[tuple[Snapshot, list[object]]] = []
    for revision in range(REVISIONS):
        engine.apply(random_batch(chance, engine))
        if revision % COMPACTED_EVERY == 0:
            engine.compact()
        if revision >= STORED_FROM and revision % STORED_EVERY == 0:
            store_and_map(engine, tmp_path / "index")
        if revision % HELD_EVERY == 5:
            held.append((engine.snapshot, replies(engine.snapshot)))
    assert len(held) > REVISIONS // HELD_EVERY
    for snapshot, answered in held:
        snapshot.neighbour_cache.lru.clear()  # so that it answers from its indexes
        assert replies(snapshot) == answered
    assert len({answered[0] for _, answered in held}) == len(held)
