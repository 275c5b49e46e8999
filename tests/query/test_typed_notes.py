"""The notes of some types are those whose front matter says so, after any changes."""

import random

from clew.engine.apply import Engine
from clew.engine.settings import EngineSettings
from clew.query.slices import finished
from clew.query.typed_notes import paths_of_types
from clew.values.vault import Batch
from tests.examples import IS_LONG
from tests.tables import for_each_row
from tests.vaults import read_note

TYPES = ("preference", "constraint")
TEXTS = ["", "type: note", "type: Preference", "type: constraint", "type: session"]


@for_each_row("seed", range(200 if IS_LONG else 20))
def test_notes_of_types_are_those_that_say_so(seed: int) -> None:
    chance, engine = random.Random(seed), Engine(EngineSettings())
    texts: dict[str, str] = {}
    for _ in range(30):
        path = f"{chance.choice('abcde')}.md"
        if chance.random() < 0.3:
            engine.apply(Batch(dropped=(path,)))
            texts.pop(path, None)
        else:
            texts[path] = chance.choice(TEXTS)
            engine.apply(Batch(put=(read_note(path, f"---\n{texts[path]}\n---\nx\n"),)))
        found = finished(paths_of_types(engine.snapshot, TYPES))
        assert found == {path for path, text in texts.items() if text.lower()[6:] in TYPES}


def test_many_notes_are_listed_in_slices() -> None:
    engine = Engine(EngineSettings())
    text = "---\ntype: constraint\n---\n"
    engine.apply(Batch(put=tuple(read_note(f"{n}.md", text) for n in range(2_000))))
    slices = paths_of_types(engine.snapshot, TYPES)
    assert sum(1 for _ in slices) > 1
    assert len(finished(paths_of_types(engine.snapshot, TYPES))) == 2_000
