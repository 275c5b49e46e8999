"""Dates and renames after a kill and a restart are those of a server that never stopped.

A restart applies the log of batches to an older index, while the dates on disk are the latest.
"""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from clew.engine.apply import Engine
from clew.engine.dump import dump
from clew.engine.note_dates import STEP
from clew.engine.persist.index_file import read_indexes, serialize
from clew.engine.persist.joining import joined
from clew.engine.persist.path_dates import PathDates
from clew.engine.persist.store import Store
from clew.engine.renames import Renames
from clew.engine.settings import EngineSettings
from clew.surface.indexer.saving import Saved, Saving
from clew.surface.server.child.receiver import Receiver
from clew.surface.server.child.replica import Replica
from clew.surface.server.health import Health
from clew.surface.server.paths import DaemonPaths
from clew.surface.server.stored.event_log import EventLog
from clew.values import ipc
from clew.values.vault import Batch, NoteEvents
from tests.disks import UNSYNCED
from tests.examples import examples
from tests.vaults import read_note

SETTINGS = EngineSettings()
PATHS = st.sampled_from(["a.md", "b.md", "x/a.md", "c.md"])
TEXTS = st.sampled_from(["[[a]] one", "two", "# three\n[[b]]", ""])
LATE_S = 3.5e9
TIMES = st.floats(1e9, 4e9)  # a clock may be set back


class Server:
    """The part of a server that receives revisions, and saves dates in a state folder."""

    def __init__(self, state: Path) -> None:
        health = Health(DaemonPaths(vault=str(state), socket="", state=str(state)))
        self.files: dict[int, memoryview] = {}  # by generation
        self.replica = Replica(SETTINGS)
        self.events = EventLog(str(state), health, UNSYNCED)
        self.receiver = Receiver(
            self.replica,
            self.events,
            health,
            lambda: None,
            self.files.__getitem__,
            lambda: None,
        )
        self.replica.load_events(self.events.load())

    @property
    def engine(self) -> Engine:
        return self.replica.views.whole

    def read(self, path: str, at_s: float) -> None:
        self.events.add(self.replica.remember(NoteEvents({path: at_s})))

    def receive(self, *messages: ipc.FromIndexer) -> None:
        for message in messages:
            self.receiver.receive(message)


class Killed(RuleBasedStateMachine):
    """An indexer and a server that are killed at times, beside a server that never is."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        state = Path(self.folder.name)
        self.state = state / "killed"
        for each in (self.state, state / "kept"):
            each.mkdir()
        (self.state / "index").mkdir()
        self.kept = Server(state / "kept")
        self.kept.receive(ipc.RevisionStarted(None), ipc.RevisionPublished(is_new=True))
        self.server = Server(self.state)
        self.start_indexer()

    def teardown(self) -> None:
        self.kill(is_server=True)
        self.folder.cleanup()

    # -- the indexer ----------------------------------------------------------------------------

    def start_indexer(self, found: Batch | None = None, *, is_lost: bool = False) -> None:
        """Start an indexer as ``Worker`` does, and publish what it has.

        ``found``: what its first walk finds, which it publishes in a whole revision. ``is_lost``:
        it is killed once this is saved, and another one is started.
        """
        self.saving = Saving(Store(str(self.state / "index"), "settings", UNSYNCED))
        self.indexer = Engine(SETTINGS)
        saved = self.saving.load(self.server.replica.followed_generation)
        saved = saved or Saved(0, None, ())
        if saved.file is not None:
            self.indexer.adopt(read_indexes(saved.file, SETTINGS))
            self.server.files[saved.generation] = saved.file
        log = list(joined(saved.log))
        for batch in log:
            self.indexer.apply(batch)
        generation = saved.generation if saved.file is not None else None
        self.server.receive(
            ipc.RevisionStarted(generation),
            *(ipc.BatchApplied(batch, is_replayed=True) for batch in log),
        )
        if found is None:
            self.server.receive(ipc.RevisionPublished(is_new=True))
        elif is_lost:
            self.indexer.apply(found)
            self.save_whole()
            self.server.receiver.indexer_ended("killed")
            self.start_indexer(found)
        else:
            self.indexer.apply(found)
            self.publish(is_new=True)

    def change(self, batch: Batch, edits_s: dict[str, float], *, is_lost: bool = False) -> None:
        """Apply, send and log a batch; ``is_lost``: the server is killed before it has it."""
        seen = [ipc.EditsSeen(edits_s)] if edits_s else []
        messages: list[ipc.FromIndexer] = [*seen, ipc.BatchApplied(batch)]
        self.kept.receive(*messages)
        self.indexer.apply(batch)
        if not is_lost:
            self.server.receive(*messages)
        self.saving.log(batch)
        if is_lost:
            self.kill(is_server=True)

    def save_whole(self) -> int:
        """Save a whole revision; return its generation."""
        self.indexer.compact()
        generation = self.saving.save(serialize(self.indexer.indexes))
        assert generation is not None
        return generation

    def publish(self, *, is_new: bool, keeps_older: bool = False) -> None:
        """Save a whole revision and let the servers publish it.

        ``keeps_older``: the generation before comes back, as after a power cut.
        """
        generation = self.save_whole()
        file = self.server.files[generation] = self.saving.open_saved()
        self.kept.files[generation] = file
        self.indexer.adopt(read_indexes(file, SETTINGS))
        for server in (self.server, self.kept):
            server.receive(ipc.RevisionStarted(generation), ipc.RevisionPublished(is_new))
        if not keeps_older:
            self.saving.remove_older(generation)

    @property
    def notes(self) -> dict[str, str]:
        return {path: entry.note.text for path, entry in self.indexer.indexes.entries.items()}

    # -- what happens ---------------------------------------------------------------------------

    @initialize()
    def fill(self) -> None:
        """Begin with two notes that have dates, in a saved index."""
        for path, at_s in (("a.md", 2e9), ("b.md", 3e9)):
            self.save(path, path, at_s)
            self.save(path, f"[[{path}]]", at_s)
            self.read(path, at_s)
        self.compact()

    @rule(path=PATHS, text=TEXTS, at_s=TIMES)
    def save(self, path: str, text: str, at_s: float) -> None:
        is_edit = self.notes.get(path, text) != text
        batch = Batch(put=(read_note(path, text, modified_at_s=at_s),))
        self.change(batch, {path: at_s} if is_edit else {})

    @rule(path=PATHS, is_lost=st.booleans())
    def delete(self, path: str, is_lost: bool) -> None:
        if path in self.notes:
            self.change(Batch(dropped=(path,)), {}, is_lost=is_lost)

    @rule(old=PATHS, new=PATHS, is_lost=st.booleans())
    def rename(self, old: str, new: str, is_lost: bool = False) -> None:
        if old in self.notes and new not in self.notes:
            batch = Batch(put=(read_note(new, self.notes[old]),), dropped=(old,))
            self.change(batch, {}, is_lost=is_lost)

    @rule(one=PATHS, other=PATHS)
    def swap(self, one: str, other: str) -> None:
        if {one, other} <= self.notes.keys() and one != other:
            for old, new in ((one, "t.md"), (other, one), ("t.md", other)):
                self.rename(old, new)

    @rule(path=PATHS, at_s=TIMES)
    def read(self, path: str, at_s: float) -> None:
        for server in (self.server, self.kept):
            server.read(path, at_s)

    @rule(old=PATHS, new=PATHS, is_lost=st.booleans())
    def rename_in_a_whole_revision(self, old: str, new: str, is_lost: bool = False) -> None:
        """``is_lost``: the server is killed before it publishes what was saved."""
        if old in self.notes and new not in self.notes:
            batch = Batch(put=(read_note(new, self.notes[old]),), dropped=(old,))
            self.indexer.apply(batch)
            if is_lost:
                self.save_whole()
                self.kill(is_server=True)
                self.indexer.apply(batch)  # as the next walk finds the same change
            self.publish(is_new=True)

    @rule()
    def compact(self) -> None:
        self.publish(is_new=False)

    @rule()
    def compact_dates(self) -> None:
        self.server.events.compact(self.server.engine.snapshot.events, at_end=True)

    @rule(old=PATHS, new=PATHS, is_lost=st.booleans())
    def rename_while_stopped(self, old: str, new: str, is_lost: bool = False) -> None:
        if old in self.notes and new not in self.notes:
            batch = Batch(put=(read_note(new, self.notes[old]),), dropped=(old,))
            self.kill(is_server=True, found=batch, is_lost=is_lost)

    @rule(is_server=st.booleans())
    def kill(self, is_server: bool, found: Batch | None = None, is_lost: bool = False) -> None:
        """Kill the indexer, and perhaps the server; the others: see ``start_indexer``."""
        self.saving = self.indexer = None  # type: ignore[assignment]
        if is_server:
            self.server = Server(self.state)
        else:
            self.server.receiver.indexer_ended("killed")
        self.start_indexer(found, is_lost=is_lost)
        if is_server:  # the history of renames is in memory only
            renames = dict(self.server.engine.renames.by_path)
            assert renames.items() <= dict(self.kept.engine.renames.by_path).items()
            self.kept.engine.renames = Renames()
            self.kept.engine.renames.continue_with(renames)
        self.compare()

    def compare(self) -> None:
        ours, kept = self.server.engine, self.kept.engine
        assert dates_of(ours) == dates_of(kept)
        assert dict(ours.renames.by_path) == dict(kept.renames.by_path)
        assert dump(ours.snapshot) == dump(kept.snapshot)


def dates_of(engine: Engine) -> dict[str, object]:
    snapshot, ages = engine.snapshot, engine.indexes.ages
    note_ids = snapshot.graph.note_ids
    return {
        "reads": dict(snapshot.reads_s),
        "edits": dict(snapshot.edits_s),
        "ages": {path: ages.get(note_ids[path]) for path in snapshot.entries},
    }


Killed.TestCase.settings = examples(60, long=1_000, stateful_step_count=25)
test_a_killed_daemon_has_the_dates_of_one_that_never_stopped = pytest.mark.slow(Killed.TestCase)

SEQUENCES: dict[str, Sequence[Callable[[Killed], None]]] = {
    "a later note at the old path": [
        lambda one: one.rename("a.md", "c.md", is_lost=False),
        lambda one: one.save("a.md", "new", LATE_S),
        lambda one: one.save("a.md", "newer", LATE_S),
        lambda one: one.kill(is_server=True),
    ],
    "the same, and an indexer that is killed": [
        lambda one: one.rename("a.md", "c.md", is_lost=False),
        lambda one: one.save("a.md", "new", LATE_S),
        lambda one: one.read("a.md", LATE_S),
        lambda one: one.kill(is_server=False),
    ],
    "a rename that the server did not have": [
        lambda one: one.rename("a.md", "c.md", is_lost=True),
    ],
    "renames after a restart, in the same log": [
        lambda one: one.rename("a.md", "c.md", is_lost=False),
        lambda one: one.kill(is_server=True),
        lambda one: one.rename("c.md", "a.md", is_lost=True),
    ],
    "a swap": [
        lambda one: one.swap("a.md", "b.md"),
        lambda one: one.kill(is_server=False),
        lambda one: one.kill(is_server=True),
    ],
    "a date that has left": [
        lambda one: one.rename("a.md", "c.md", is_lost=False),
        lambda one: one.compact_dates(),
        lambda one: one.compact(),
        lambda one: one.kill(is_server=True),
    ],
    "a whole revision after the notes were renamed while no daemon ran": [
        lambda one: one.rename_while_stopped("a.md", "c.md"),
        lambda one: one.kill(is_server=True),
    ],
    "the same, after a rename in the log": [
        lambda one: one.rename("a.md", "c.md", is_lost=False),
        lambda one: one.rename_while_stopped("b.md", "a.md"),
    ],
    "a whole revision that was saved and not published": [
        lambda one: one.rename_in_a_whole_revision("a.md", "c.md", is_lost=True),
        lambda one: one.kill(is_server=True),
    ],
    "the same, and the first indexer is killed before it publishes them": [
        lambda one: one.rename_while_stopped("a.md", "c.md", is_lost=True),
        lambda one: one.kill(is_server=True),
    ],
    "renames in the logs of two generations, the older of which came back": [
        lambda one: one.rename("a.md", "c.md"),
        lambda one: one.save("a.md", "new", LATE_S),
        lambda one: one.publish(is_new=False, keeps_older=True),
        lambda one: one.rename("b.md", "x/a.md"),
        lambda one: one.kill(is_server=True),
    ],
    "a date that has left in a whole revision": [
        lambda one: one.rename_in_a_whole_revision("a.md", "c.md"),
        lambda one: one.kill(is_server=True),
    ],
}


@pytest.mark.parametrize("name", SEQUENCES)
def test_a_restart_leaves_the_dates_of_a_server_that_never_stopped(name: str) -> None:
    one = Killed()
    one.fill()
    for step in SEQUENCES[name]:
        step(one)
    one.teardown()


def test_saving_all_dates_during_a_revision_leaves_out_those_that_followed(tmp_path: Path) -> None:
    server = Server(tmp_path)
    put = ipc.BatchApplied(Batch(put=(read_note("a.md", "text"),)))
    server.receive(ipc.RevisionStarted(None), put, ipc.RevisionPublished(is_new=True))
    server.read("a.md", LATE_S)
    moved = Batch(put=(read_note("c.md", "text"),), dropped=("a.md",))
    server.receive(ipc.RevisionStarted(None), put, ipc.BatchApplied(moved))
    server.events.compact(server.engine.snapshot.events, at_end=True)
    assert Server(tmp_path).engine.dates.reads.by_path == {"c.md": LATE_S}


@pytest.mark.parametrize("is_replayed", [False, True])
def test_a_rename_is_followed_although_the_log_has_begun_anew(
    tmp_path: Path, is_replayed: bool
) -> None:
    """As after the folder of the index was removed."""
    Server(tmp_path).events.add(NoteEvents({"a.md": LATE_S}, followed=(9.0, 9.0)))
    server = Server(tmp_path)
    assert server.engine.dates.followed == (9.0, 0.0)
    put = ipc.BatchApplied(Batch(put=(read_note("a.md", "text"),)))
    moved = Batch(put=(read_note("c.md", "text"),), dropped=("a.md",))
    server.receive(ipc.RevisionStarted(None), put)
    server.receive(ipc.BatchApplied(moved, is_replayed=is_replayed))
    server.receive(ipc.RevisionPublished(is_new=True))
    assert server.engine.dates.reads.by_path == {"c.md": LATE_S}
    assert Server(tmp_path).engine.dates.followed[0] < 9.0


def test_dates_of_edits_follow_a_rename_although_only_those_of_reads_were_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server(tmp_path)
    put = ipc.BatchApplied(Batch(put=(read_note("a.md", "text"),)))
    moved = Batch(put=(read_note("c.md", "text"),), dropped=("a.md",))
    server.receive(ipc.RevisionStarted(None), put, ipc.RevisionPublished(is_new=True))
    server.read("a.md", LATE_S)
    server.receive(ipc.EditsSeen({"a.md": LATE_S}))
    add, saved = PathDates.add, list[PathDates]()

    def add_or_end(dates: PathDates, dates_s: dict[str, float], left: Sequence[str]) -> None:
        saved.append(dates)
        if len(saved) > 1:  # the second of the two kinds
            raise InterruptedError
        add(dates, dates_s, left)

    monkeypatch.setattr(PathDates, "add", add_or_end)
    server.receive(ipc.BatchApplied(moved))
    monkeypatch.undo()
    again = Server(tmp_path)
    again.receive(ipc.RevisionStarted(None), put, ipc.BatchApplied(moved, is_replayed=True))
    assert again.replica.publish() == NoteEvents(followed=(STEP, STEP))
    assert dict(again.engine.dates.reads.by_path) == {"c.md": LATE_S}
    assert dict(again.engine.dates.edits.by_path) == {"c.md": LATE_S}
