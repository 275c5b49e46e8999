"""A restart that joins the batches of a log leaves the same as one that applies each of them."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import rule
from msgspec.structs import replace

from clew.engine.apply import Engine
from clew.engine.dump import dump
from clew.engine.mentions import rarity, update
from clew.engine.persist import joining
from clew.engine.persist.joining import joined
from clew.index.structures.stored_map import pairs
from clew.values.note_words import Vectors
from clew.values.vault import Batch, NoteEvents
from tests.engine.test_incremental import PATHS, VaultMachine
from tests.examples import examples
from tests.stored import lists_of, read_back, stored
from tests.vaults import engine_of, read_note


class LoggedMachine(VaultMachine):
    """The same, with a log of the batches since the index was stored, and restarts from it."""

    def __init__(self) -> None:
        super().__init__()
        for module in (rarity, update):
            self.patch.setattr(module, "WORD_PASSAGES_MAX", 4)
            self.patch.setattr(module, "RAREST_WORD_PASSAGES_MAX", 6)
        self.are_names_known = True
        self.begin_log()

    def begin_log(self) -> None:
        dates = self.engine.dates
        self.file = stored(self.engine.indexes)
        self.events = NoteEvents(dict(dates.reads.by_path), dict(dates.edits.by_path))
        self.log: list[Batch] = []

    def apply(self, batch: Batch) -> None:
        self.engine.apply(batch)
        found = self.engine.found_names if self.are_names_known else None
        self.log.append(replace(batch, found_names=found))

    @rule(path=PATHS, at_s=st.sampled_from([1.0, 2e9, 3e9]), is_read=st.booleans())
    def date(self, path: str, at_s: float, is_read: bool) -> None:
        self.apply(Batch(reads_s={path: at_s}) if is_read else Batch(edits_s={path: at_s}))

    @rule()
    def name(self) -> None:
        """Give the names of all concepts vectors, as is done after each change."""
        if self.model.model:
            row = bytes(self.model.dimensions)
            names = dict.fromkeys(self.engine.indexes.graph.concepts(), row)
            self.apply(Batch(vectors=replace(self.model, codes={}, names=names)))

    @rule(are_known=st.booleans())
    def search_in_restarts(self, are_known: bool) -> None:
        self.are_names_known = are_known

    @rule()
    def compact(self) -> None:
        super().compact()
        self.begin_log()

    @rule()
    def come_back_from_disk(self) -> None:
        events = self.engine.dates.events
        super().come_back_from_disk()
        self.engine.dates.add(events)  # no index has them
        self.begin_log()

    @rule()
    def store(self) -> None:
        super().store()
        self.begin_log()

    @rule(most=st.sampled_from([1, 3, 50]))
    def restart(self, most: int) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(joining, "NOTES_MAX", most)
            batches = list(joined(self.log))
        assert len(batches) <= len(self.log)
        one_by_one, at_once = self.restarted(self.log), self.restarted(batches)
        assert state_of(at_once) == state_of(one_by_one)
        # A vector that was dropped, and is made again, may never have been dropped.
        assert names_with_vectors(at_once) >= names_with_vectors(one_by_one)
        self.engine = at_once

    def restarted(self, batches: Sequence[Batch]) -> Engine:
        engine = read_back(self.file, self.settings)
        engine.dates.add(self.events)
        for batch in batches:
            engine.apply(batch)
        return engine

    def teardown(self) -> None:
        try:
            self.restart(50)
        finally:
            super().teardown()


def names_with_vectors(engine: Engine) -> set[str]:
    return {name for name, _ in engine.indexes.name_vectors.items()}


def state_of(engine: Engine) -> list[object]:
    """Return all that a restart leaves, except the vectors of names."""
    dumped, mentions = json.loads(dump(engine.snapshot)), engine.indexes.mentions
    return [
        {key: value for key, value in dumped.items() if key != "near"},
        lists_of(engine),
        dict(pairs(mentions.held)),
        {lead: set(names) for lead, names in pairs(mentions.rare_by_lead)},
        dict(engine.dates.reads.by_path),
        dict(engine.dates.edits.by_path),
        dict(engine.renames.by_path),
        engine.changes.difference(0, engine.revision),
    ]


LoggedMachine.TestCase.settings = examples(25, long=200, stateful_step_count=25)
test_joined_batches_leave_the_same = pytest.mark.slow(LoggedMachine.TestCase)


def test_a_name_that_became_common_is_held_by_no_note(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (rarity, update):
        monkeypatch.setattr(module, "WORD_PASSAGES_MAX", 4)
    engine = engine_of({"gains.md": "a zorro"})
    file, log = stored(engine.indexes), []
    paths = ("zorro.md", "holds.md", *(f"{number}.md" for number in range(4)))
    for path in paths:
        batch = saves("a zorro", path=path)[0]
        engine.apply(batch)
        log.append(replace(batch, found_names=engine.found_names))
        if path == "holds.md":
            assert engine.indexes.mentions.held.keys() >= {"gains.md", "holds.md"}
    (batch,) = joined(log)
    assert batch.found_names is not None
    at_once = read_back(file)
    at_once.apply(batch)
    assert state_of(at_once)[2] == state_of(engine)[2] == {}
    assert state_of(at_once)[0] == state_of(engine)[0]


def saves(*texts: str, path: str = "a.md") -> list[Batch]:
    return [Batch(put=(read_note(path, text),)) for text in texts]


def test_a_note_that_was_saved_often_is_applied_once() -> None:
    (batch,) = joined(saves("one", "two", "three"))
    assert [read.note.text for read in batch.put] == ["three"]


def test_a_batch_that_drops_notes_is_applied_by_itself() -> None:
    moved = Batch(put=saves("two", path="b.md")[0].put, dropped=("a.md",))
    log = [*saves("one", "two"), moved, *saves("one", "three", path="b.md")]
    assert [len(batch.put) for batch in joined(log)] == [1, 1, 1]
    assert list(joined(log))[1] == moved


def test_vectors_of_an_earlier_text_are_dropped() -> None:
    first, second = saves("one", "two")
    vectors = Vectors("m", 1, {"a.md": b"\1"}, {"c": b"\2"})
    (batch,) = joined([first, Batch(vectors=vectors), second])
    assert batch.vectors == Vectors("m", 1, {}, {"c": b"\2"})


def test_vectors_of_a_text_with_a_new_stamp_stay() -> None:
    first, second = saves("one", "one")
    vectors = Vectors("m", 1, {"a.md": b"\1"})
    (batch,) = joined([first, Batch(vectors=vectors), second])
    assert batch.vectors == vectors
    unsure = [Batch(vectors=vectors), second]  # the indexed text may be the same
    assert list(joined(unsure)) == unsure


def test_batches_of_two_models_are_not_joined() -> None:
    models = [Batch(vectors=Vectors(name, 1, {})) for name in "mn"]
    assert list(joined(models)) == models


@pytest.mark.parametrize("limit", ["NOTES_MAX", "BYTES_MAX"])
def test_joined_batches_are_bounded(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joining, limit, 2)
    log = [batch for path in "abcde" for batch in saves("x", "x", path=f"{path}.md")]
    assert [len(batch.put) for batch in joined(log)] == [2, 2, 1]


def test_an_empty_log_has_no_batches() -> None:
    assert list(joined([])) == []
