"""The server's copy of the index: what queries see while a revision is received."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.engine.dump import dump
from clew.engine.note_dates import STEP
from clew.engine.private.two_views import TwoViews
from clew.engine.settings import EngineSettings
from clew.index.formulas.note_dates import DateSource
from clew.surface.server.child.replica import Replica
from clew.values.vault import NO_EVENTS, Batch, NoteEvents
from tests.counted import counted
from tests.stored import stored
from tests.tables import for_each_row
from tests.vaults import DAY_S, NOW_S, engine_of, read_note

SETTINGS = EngineSettings()


def file_of(notes: dict[str, str]) -> memoryview:
    return stored(engine_of(notes).indexes)


def take(replica: Replica, notes: dict[str, str]) -> None:
    """Start a revision with these notes."""
    replica.start_revision(file_of(notes))


def replica_of(notes: dict[str, str]) -> Replica:
    replica = Replica(SETTINGS)
    take(replica, notes)
    replica.publish()
    return replica


def saved(path: str, text: str = "text") -> Batch:
    return Batch(put=(read_note(path, text),))


def changed(replica: Replica, after: dict[str, str], *, is_whole: bool) -> dict[str, float]:
    """Make the replica hold exactly these notes; return the dates moved to renamed notes."""
    if is_whole:
        take(replica, after)
        return dict(replica.publish().reads_s)
    put = tuple(read_note(path, text) for path, text in after.items())
    dropped = tuple(sorted(replica.snapshot.entries.keys() - after.keys()))
    return dict(replica.apply(Batch(put=put, dropped=dropped)).reads_s)


def texts(replica: Replica) -> dict[str, str]:
    return {path: entry.note.text for path, entry in replica.snapshot.entries.items()}


def test_a_revision_is_not_visible_before_it_is_published() -> None:
    replica = replica_of({"old.md": "[[b]]"})
    before = dump(replica.snapshot)
    take(replica, {"new.md": "[[c]]"})
    replica.apply(saved("later.md"))
    assert dump(replica.snapshot) == before
    assert replica.snapshot.revision == 1
    replica.publish()
    assert texts(replica) == {"new.md": "[[c]]", "later.md": "text"}


def test_a_batch_is_applied_to_the_present_revision_if_none_is_being_received() -> None:
    replica = replica_of({"a.md": "[[b]]"})
    replica.apply(saved("b.md"))
    assert texts(replica) == {"a.md": "[[b]]", "b.md": "text"}
    assert replica.snapshot.targets.by_text["b"].resolved == "b.md"


def test_a_batch_is_applied_to_the_revision_being_received() -> None:
    replica = replica_of({"a.md": "old"})
    take(replica, {"a.md": "new"})
    replica.apply(Batch(put=(read_note("b.md", "b"),), dropped=("a.md",)))
    assert texts(replica) == {"a.md": "old"}
    replica.publish()
    assert texts(replica) == {"b.md": "b"}


def test_the_published_revision_equals_the_serialized_one() -> None:
    notes = {"a.md": "[[b]] [[c]]", "b.md": "---\naliases: [c]\n---\n![[a]]"}
    assert dump(replica_of(notes).snapshot) == dump(engine_of(notes).snapshot)


def test_a_revision_can_be_abandoned_and_started_again() -> None:
    replica = replica_of({"a.md": "kept"})
    take(replica, {"b.md": "lost"})
    replica.abandon()
    assert texts(replica) == {"a.md": "kept"}
    with pytest.raises(ValueError, match="received"):
        replica.publish()
    take(replica, {"c.md": "new"})
    replica.publish()
    assert texts(replica) == {"c.md": "new"}


def test_starting_again_drops_the_unfinished_revision() -> None:
    replica = Replica(SETTINGS)
    take(replica, {"a.md": "lost"})
    take(replica, {"b.md": "new"})
    replica.publish()
    assert texts(replica) == {"b.md": "new"}


def test_chunks_and_publishing_need_a_started_revision() -> None:
    replica = replica_of({"a.md": "kept"})
    with pytest.raises(ValueError, match="started"):
        replica.load_chunk(b"x")
    with pytest.raises(ValueError, match="received"):
        replica.publish()
    assert texts(replica) == {"a.md": "kept"}


def test_abandoning_without_a_started_revision_does_nothing() -> None:
    replica = replica_of({"a.md": "kept"})
    replica.abandon()
    assert texts(replica) == {"a.md": "kept"}


@pytest.mark.parametrize("chunk", [b"", b"junk", b"\x00\xc1", b"\x01[", b"\x00\x92\xa5Other\x90"])
def test_an_invalid_chunk_is_refused(chunk: bytes) -> None:
    replica = replica_of({"a.md": "kept"})
    with pytest.raises((ValueError, LookupError)):
        replica.start_revision(memoryview(chunk))
    replica.start_revision(None, len(chunk))
    with pytest.raises((ValueError, LookupError)):
        replica.load_chunk(chunk or b"x")
    replica.abandon()
    assert texts(replica) == {"a.md": "kept"}


@pytest.mark.parametrize("size", [1, 1_000, 1_000_000])
def test_a_revision_that_cannot_be_saved_is_received_in_chunks(size: int) -> None:
    replica, file = replica_of({"a.md": "old"}), bytes(file_of({"b.md": "[[c]]"}))
    replica.start_revision(None, len(file))
    for start in range(0, len(file), size):
        with pytest.raises(ValueError, match="received"):
            replica.publish()
        replica.load_chunk(file[start : start + size])
    with pytest.raises(ValueError, match="started"):
        replica.load_chunk(b"x")
    replica.publish()
    assert texts(replica) == {"b.md": "[[c]]"}


def test_the_same_revision_in_another_form_keeps_its_number() -> None:
    replica = replica_of({"a.md": "[[b]]"})
    replica.remember(NoteEvents({"a.md": 5.0}))
    before, revision = dump(replica.snapshot), replica.snapshot.revision
    take(replica, {"a.md": "[[b]]"})
    assert replica.publish(is_new=False) == NO_EVENTS
    assert (dump(replica.snapshot), replica.snapshot.revision) == (before, revision)
    assert replica.snapshot.reads_s == {"a.md": 5.0}


@given(
    steps=st.lists(st.sampled_from(["open", "apply", "publish", "abandon", "read"]), max_size=30)
)
def test_the_revision_rises_by_one_with_every_visible_change(steps: list[str]) -> None:
    replica, expected, is_open = Replica(SETTINGS), 0, False
    for number, step in enumerate(steps):
        if step == "open":
            take(replica, {"a.md": "a"})
        elif step == "apply":
            replica.apply(saved(f"{number}.md"))
        elif step == "read":
            replica.remember(NoteEvents({"a.md": float(number)}))
        elif step == "abandon":
            replica.abandon()
        elif is_open:
            replica.publish()
        seen = {"apply": not is_open, "publish": is_open, "read": True}.get(step, False)
        expected += seen
        assert replica.snapshot.revision == expected
        is_open = step == "open" or (is_open and step not in ("publish", "abandon"))
    replica.abandon()


# -- read dates ---------------------------------------------------------------------------------


@for_each_row("is_whole", [False, True])
@for_each_row(
    ("after", "moved"),
    [
        ({"b.md": "same"}, {"b.md": 5.0}),
        ({"x/a.md": "same"}, {"x/a.md": 5.0}),
        ({"b.md": "same", "c.md": "same"}, {"b.md": 5.0, "c.md": 5.0}),
        ({"b.md": "other"}, {}),
        ({"a.md": "same", "b.md": "same"}, {}),
        ({"a.md": "changed"}, {}),
        ({}, {}),
    ],
)
def test_read_dates_follow_notes_that_were_renamed(
    is_whole: bool, after: dict[str, str], moved: dict[str, float]
) -> None:
    replica = replica_of({"a.md": "same"})
    replica.remember(NoteEvents({"a.md": 5.0}))
    found = changed(replica, after, is_whole=is_whole)
    assert found == moved
    reads_s = replica.snapshot.reads_s
    assert {path: reads_s[path] for path in moved} == moved
    assert reads_s.get("a.md") == (None if moved else 5.0)


def test_a_new_revision_keeps_read_dates_also_of_missing_notes() -> None:
    replica = replica_of({"a.md": "a", "b.md": "b"})
    replica.remember(NoteEvents({"a.md": 5.0, "b.md": 6.0}))
    take(replica, {"a.md": "other"})
    assert replica.publish() == NO_EVENTS
    assert replica.snapshot.reads_s == {"a.md": 5.0, "b.md": 6.0}


@pytest.mark.parametrize("is_whole", [False, True])
def test_a_note_that_existed_before_is_not_taken_for_a_renamed_one(is_whole: bool) -> None:
    replica = replica_of({"a.md": "same", "b.md": "other"})
    replica.remember(NoteEvents({"a.md": 5.0}))
    assert changed(replica, {"b.md": "same"}, is_whole=is_whole) == {}
    assert "b.md" not in replica.snapshot.reads_s


def test_a_date_follows_a_note_that_was_renamed_while_no_indexer_ran() -> None:
    """The saved index is received first, then a batch with the changes since."""
    replica, read_s = Replica(SETTINGS), NOW_S + DAY_S
    replica.remember(NoteEvents({"a.md": read_s}))
    take(replica, {"a.md": "same"})
    moved = replica.apply(Batch(put=(read_note("b.md", "same"),), dropped=("a.md",)))
    assert moved == NoteEvents({"b.md": read_s}, left=("a.md",), followed=(STEP, STEP))
    replica.publish()
    assert replica.snapshot.reads_s["b.md"] == read_s
    note = replica.snapshot.graph.note_id("b.md")
    assert note is not None
    assert replica.snapshot.ages.get(note).touched_s == read_s


NAMED = st.dictionaries(st.sampled_from("abcde"), st.sampled_from(["one", "two", " "]))


@pytest.mark.slow
@given(
    before=NAMED, after=NAMED, reads_s=st.dictionaries(st.sampled_from("abcde"), st.floats(1, 9))
)
def test_dates_follow_renames_equally_in_a_batch_and_in_a_whole_revision(
    before: dict[str, str], after: dict[str, str], reads_s: dict[str, float]
) -> None:
    known, kept = [], []
    for is_whole in (False, True):
        replica = replica_of(before)
        replica.remember(NoteEvents(reads_s))
        found = changed(replica, after, is_whole=is_whole)
        seen = replica.snapshot.reads_s
        known.append({path: seen[path] for path in after.keys() & seen.keys()})
        # On disk, each path keeps its latest date.
        kept.append({path: max(found.get(path, 0.0), reads_s.get(path, 0.0)) for path in after})
        assert all(kept[-1][path] == seen.get(path, 0.0) for path in after)
    assert known[0] == known[1]
    assert kept[0] == kept[1]


@pytest.mark.parametrize("is_whole", [False, True])
def test_an_edit_that_was_seen_is_part_of_the_revision_that_has_it(is_whole: bool) -> None:
    replica = replica_of({"2024-03-05.md": "text", "b.md": "text"})
    revision = replica.snapshot.revision
    replica.expect_edits({"2024-03-05.md": NOW_S + 5.0}, {})
    assert replica.snapshot.revision == revision
    assert changed(replica, {"2024-03-05.md": "more", "b.md": "text"}, is_whole=is_whole) == {}
    assert replica.snapshot.revision == revision + 1
    dates = replica.snapshot.dates("2024-03-05.md")
    assert (dates.changed_s, dates.changed_from) == (NOW_S + 5.0, DateSource.SEEN)
    assert replica.snapshot.dates("b.md").changed_from is DateSource.FILE


def test_an_edit_that_was_missed_counts_after_an_earlier_one_that_was_seen() -> None:
    replica = replica_of({"a.md": "text", "b.md": "text", "c.md": "text"})
    replica.remember(NoteEvents(edits_s={"a.md": NOW_S + 5.0, "b.md": NOW_S + 9.0}))
    missed_s = dict.fromkeys(("a.md", "b.md", "c.md"), NOW_S + 7.0)
    assert replica.expect_edits({}, missed_s) == NoteEvents(edits_s={"a.md": NOW_S + 7.0})


@pytest.mark.parametrize("is_whole", [False, True])
def test_dates_of_edits_follow_renames_and_stay_in_later_revisions(is_whole: bool) -> None:
    replica = replica_of({"2024-03-05.md": "text"})
    replica.remember(NoteEvents(edits_s={"2024-03-05.md": NOW_S}))
    for name in ("2024-03-06.md", "x/2024-03-06.md"):
        changed(replica, {name: "text"}, is_whole=is_whole)
        dates = replica.snapshot.dates(name)
        assert (dates.changed_s, dates.changed_from) == (NOW_S, DateSource.SEEN)


def test_edits_that_were_seen_are_not_in_the_dump() -> None:
    replica = replica_of({"2024-03-05.md": "text", "b.md": "text"})
    before = dump(replica.snapshot)
    replica.remember(NoteEvents(edits_s={"2024-03-05.md": NOW_S, "b.md": NOW_S + 9.0}))
    assert replica.snapshot.dates("b.md").changed_s == NOW_S + 9.0
    assert dump(replica.snapshot) == before


def test_a_note_read_while_a_revision_is_received_is_marked_in_it_too() -> None:
    replica = replica_of({"a.md": "a"})
    take(replica, {"a.md": "a"})
    replica.remember(NoteEvents({"a.md": 5.0}))
    replica.publish()
    assert replica.snapshot.reads_s == {"a.md": 5.0}


@pytest.mark.parametrize("is_whole", [False, True])
def test_a_moved_read_date_does_not_replace_a_later_one(is_whole: bool) -> None:
    """An earlier note at the new path may have been read."""
    replica = replica_of({"a.md": "same"})
    replica.remember(NoteEvents({"a.md": 5.0, "b.md": 9.0}))
    if is_whole:
        take(replica, {"b.md": "same"})
        replica.publish()
    else:
        replica.apply(Batch(put=(read_note("b.md", "same"),), dropped=("a.md",)))
    assert replica.snapshot.reads_s["b.md"] == 9.0


def test_a_long_history_of_events_is_entered_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [f"{number}.md" for number in range(450)]
    replica = replica_of(dict.fromkeys(paths, "text"))
    reads_s = {path: NOW_S + number for number, path in enumerate(paths)}
    replica.remember(NoteEvents(reads_s, {"3.md": NOW_S + 9.0}))
    applied = counted(monkeypatch, TwoViews, "apply")
    take(replica, dict.fromkeys(paths, "text"))
    steps = 0
    while replica.enter_some_events():
        steps += 1
    replica.remember(NoteEvents({"0.md": NOW_S + 999.0}))
    replica.expect_edits({"1.md": NOW_S + 999.0}, {})
    replica.publish(is_new=False)
    sizes = [len(batch.reads_s) + len(batch.edits_s) for _, batch in applied]
    assert steps == 4
    assert max(sizes) == 200
    ages = replica.snapshot.ages
    touched_s = {path: ages.get(replica.snapshot.graph.note_ids[path]).touched_s for path in paths}
    assert touched_s == {
        **reads_s,
        "0.md": NOW_S + 999.0,
        "1.md": NOW_S + 999.0,
        "3.md": NOW_S + 9.0,
    }


READS = """
import threading
from clew.values.vault import NoteEvents
from tests.surface.test_replica import replica_of

def read_often():
    replica = replica_of({"a.md": "text"})
    replica.start_revision(None)
    for number in range(4_000):
        replica.remember(NoteEvents({"a.md": float(number)}))
    while replica.enter_some_events():
        pass
    print(replica.snapshot.reads_s["a.md"])

threading.stack_size(128 * 1024)
thread = threading.Thread(target=read_often)
thread.start()
thread.join()
"""


def test_reads_while_a_revision_arrives_take_no_stack() -> None:
    """In a process of its own, which would end with a signal."""
    ended = subprocess.run(
        [sys.executable, "-c", READS], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (0, "3999.0\n"), ended.stderr


def test_marking_no_note_makes_no_revision() -> None:
    replica = replica_of({"a.md": "a"})
    replica.remember(NoteEvents({}))
    assert replica.snapshot.revision == 1
