"""Strengths of concepts that follow the changes, compared with those computed anew."""

import random
from pathlib import Path

import numpy as np
import pytest

from clew.engine.apply import Engine
from clew.engine.caches import strengths as module
from clew.engine.settings import EngineSettings
from clew.engine.snapshot import Snapshot
from clew.index.graph_rows import strengths
from clew.values.vault import Batch
from tests.batches import random_batch
from tests.stored import store_and_map
from tests.vaults import DAY_S, NOW_S, engine_of, read_note


def is_exact(snapshot: Snapshot, now_s: float) -> bool:
    expected = strengths(snapshot.graph, snapshot.weights(now_s))
    return np.array_equal(snapshot.strengths(now_s), expected)


@pytest.mark.parametrize("seed", range(8))
def test_strengths_are_exact_after_each_change(seed: int, tmp_path: Path) -> None:
    chance, engine, now_s = random.Random(seed), Engine(EngineSettings()), NOW_S
    held = []
    for turn in range(60):
        engine.apply(random_batch(chance, engine))
        if chance.random() < 0.1:
            engine.compact()
        if chance.random() < 0.1:
            store_and_map(engine, tmp_path / str(turn))
        if chance.random() < 0.2:
            now_s += 40 * DAY_S
        if chance.random() < 0.3:
            held.append(engine.snapshot)
        asked = chance.choice([engine.snapshot, *held])
        assert is_exact(asked, now_s)


def test_a_small_change_sums_no_other_concepts_again(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = engine_of({f"{n}.md": f"[[a{n}]] [[b{n}]]" for n in range(20)})
    assert is_exact(engine.snapshot, NOW_S)
    monkeypatch.setattr(module, "strengths", None)
    engine.apply(Batch(put=(read_note("3.md", "[[a3]] [[a7]] [[new]]", NOW_S - 90 * DAY_S),)))
    assert is_exact(engine.snapshot, NOW_S)
    engine.apply(Batch(dropped=("7.md",)))
    assert is_exact(engine.snapshot, NOW_S)
    engine.apply(Batch(reads_s={"9.md": NOW_S}))
    assert is_exact(engine.snapshot, NOW_S)
