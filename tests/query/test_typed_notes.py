"""The notes of a type, followed from revision to revision, are those that a full look finds."""

import random

from clew.engine.apply import Engine
from clew.engine.settings import EngineSettings
from clew.query.slices import finished
from clew.query.typed_notes import TypedNotes, typed_notes
from clew.values.vault import Batch
from tests.examples import IS_LONG
from tests.tables import for_each_row
from tests.vaults import read_note

TYPES = ("preference", "constraint")
TEXTS = ["", "type: note", "type: Preference", "type: constraint", "type: session"]


@for_each_row("seed", range(200 if IS_LONG else 20))
def test_following_equals_looking_at_all(seed: int) -> None:
    chance, engine = random.Random(seed), Engine(EngineSettings())
    before: TypedNotes | None = None
    for _ in range(30):
        path = f"{chance.choice('abcde')}.md"
        if chance.random() < 0.3:
            engine.apply(Batch(dropped=(path,)))
        elif chance.random() < 0.1:
            engine.begin_changes()
        else:
            text = f"---\n{chance.choice(TEXTS)}\n---\nx\n"
            engine.apply(Batch(put=(read_note(path, text),)))
        if chance.random() < 0.5:
            before = finished(typed_notes(engine.snapshot, TYPES, before))
            assert before == finished(typed_notes(engine.snapshot, TYPES, None))


def test_only_what_changed_is_looked_at() -> None:
    engine = Engine(EngineSettings())
    text = "---\ntype: constraint\n---\n"
    engine.apply(Batch(put=tuple(read_note(f"{n}.md", text) for n in range(2_000))))
    slices = typed_notes(engine.snapshot, TYPES, None)
    assert sum(1 for _ in slices) > 5
    before = finished(typed_notes(engine.snapshot, TYPES, None))
    engine.apply(Batch(put=(read_note("0.md", "x"),)))
    assert sum(1 for _ in typed_notes(engine.snapshot, TYPES, before)) == 1
