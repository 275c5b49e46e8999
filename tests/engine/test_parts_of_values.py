"""Values of which a stored index decodes a part, compared with the same part of the whole value."""

import random
from pathlib import Path

import pytest

from clew.engine.apply import Engine
from clew.engine.settings import EngineSettings
from clew.engine.snapshot import Snapshot
from clew.values.vault import Batch
from tests.batches import random_batch
from tests.stored import store_and_map
from tests.vaults import read_note

KINDS = ["type: idea", "tags: [a/b, c]", "source: web\ntype: idea", 'title: "x\\udce9"', ""]


def assert_parts_are_equal(snapshot: Snapshot) -> None:
    targets = snapshot.targets
    for text in targets.by_text:
        assert dict(targets.forms(text)) == targets.uses(text).forms


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_parts_are_those_of_the_whole_value_after_each_change(seed: int, tmp_path: Path) -> None:
    chance, engine = random.Random(seed), Engine(EngineSettings())
    for turn in range(40):
        engine.apply(random_batch(chance, engine))
        fields, folder = chance.choice(KINDS), chance.choice(["", "One/", "one/two/"])
        text = f"---\n{fields}\n---\n[[{chance.choice('abc')}|Shown {turn % 3}]]"
        engine.apply(Batch(put=(read_note(f"{folder}{turn % 7}.md", text),)))
        if chance.random() < 0.3:
            store_and_map(engine, tmp_path / str(turn))
        assert_parts_are_equal(engine.snapshot)
