"""When a change of a note is indexed: notes are written, emptied, renamed or deleted."""

import errno
import os
import shutil

import pytest

from clew.engine.reading.settling import LEAVING_WAIT_NS, MASS_WAIT_NS
from clew.engine.reading.steps import drained
from clew.values.vault import Moment
from tests.indexed import MS, OLD_S, Vault
from tests.vaults import LATER_NS, at


@pytest.mark.parametrize(("age_ms", "counts"), [(0, False), (9, False), (10, True), (99, True)])
def test_a_note_is_indexed_after_10_ms_of_quiet(vault: Vault, age_ms: int, counts: bool) -> None:
    written_ns = vault.write("a.md")
    absorbed = vault.look(written_ns + age_ms * MS)
    assert absorbed.is_nothing != counts
    assert vault.texts() == ({"a.md": "text"} if counts else {})
    assert bool(vault.loaded) == counts
    assert bool(vault.indexer.settling.unsettled) != counts


def test_a_note_being_written_is_read_when_its_check_is_due(vault: Vault) -> None:
    vault.write("x/a.md")
    # So that its time of modification says nothing about its age.
    os.utime(vault.root / "x/a.md", (OLD_S, OLD_S))
    changed_ns = (vault.root / "x/a.md").stat().st_ctime_ns
    vault.look(changed_ns)
    due_ns = vault.indexer.settling.check_due_ns
    assert due_ns == changed_ns + 10 * MS
    found = vault.indexer.look_at(vault.indexer.settling.take_due_checks(due_ns), at(due_ns))
    assert drained(vault.indexer.absorb(found, at(due_ns))).added == 1


def test_a_young_note_is_read_again_at_100_ms_and_then_no_more(vault: Vault) -> None:
    written_ns = vault.write("a.md")
    # So that its time of modification says nothing about its age.
    os.utime(vault.root / "a.md", (OLD_S, OLD_S))
    changed_ns = (vault.root / "a.md").stat().st_ctime_ns
    vault.look(written_ns + 50 * MS)
    assert vault.indexer.settling.check_due_ns == changed_ns + 100 * MS
    for now_ns in (changed_ns + 100 * MS, changed_ns + 200 * MS):
        assert vault.look(now_ns).is_nothing
    assert vault.loaded == ["a.md", "a.md"]
    assert vault.parsed == ["a.md"]


def test_an_emptied_note_keeps_its_content_for_a_second(vault: Vault) -> None:
    vault.write("a.md", "kept")
    vault.look()
    vault.write("a.md", "")
    for after_ms in (0, 500, 999):
        assert vault.look(LATER_NS + after_ms * MS).is_nothing
        assert vault.texts() == {"a.md": "kept"}
    assert vault.look(LATER_NS + 1_000 * MS).modified == 1
    assert vault.texts() == {"a.md": ""}
    assert not vault.indexer.settling.unsettled


def test_an_emptied_note_that_is_written_again_is_indexed_at_once(vault: Vault) -> None:
    vault.write("a.md", "kept")
    vault.look()
    vault.write("a.md", "")
    vault.look(LATER_NS)
    vault.write("a.md", "new")
    vault.look(LATER_NS + 1)
    assert vault.texts() == {"a.md": "new"}
    assert not vault.indexer.settling.unsettled


def test_a_note_that_begins_empty_is_indexed_at_once(vault: Vault) -> None:
    vault.write("a.md", "")
    assert vault.look().added == 1


@pytest.mark.parametrize("is_whole", [False, True])
def test_a_fresh_rename_is_one_batch(vault: Vault, is_whole: bool) -> None:
    """One batch drops the old name and adds the new one, so that the read date is kept."""
    vault.write("a.md")
    vault.look()
    (vault.root / "a.md").rename(vault.root / "b.md")
    renamed_ns = (vault.root / "b.md").stat().st_ctime_ns
    for now_ns in (renamed_ns, renamed_ns + 9 * MS):
        assert vault.look(now_ns).is_nothing if is_whole else True
        assert vault.look_at_paths(["a.md", "b.md"], now_ns).is_nothing
        assert vault.texts() == {"a.md": "text"}
        assert vault.indexer.settling.unsettled
    arrived = vault.look(renamed_ns + 10 * MS).batch
    assert (arrived.dropped, [read.note.path for read in arrived.put]) == (("a.md",), ["b.md"])
    assert not vault.indexer.settling.unsettled


def test_renames_are_one_batch_though_the_hints_of_new_names_are_late(vault: Vault) -> None:
    """A look at a folder may find names gone of which many hints are still to come."""
    names = ("a.md", "c.md")
    for name in names:
        vault.write(f"x/{name}", name)
    vault.write("y/other.md", "other")
    vault.look()
    for name in names:
        (vault.root / "x" / name).rename(vault.root / "y" / name)
    old, new = [f"x/{name}" for name in names], [f"y/{name}" for name in names]
    renamed_ns = (vault.root / new[1]).stat().st_ctime_ns
    for now_ns in (renamed_ns, renamed_ns + 60 * MS):
        assert vault.look_at_paths(old, now_ns).is_nothing
    arrived = vault.look_at_paths(new, renamed_ns + 90 * MS).batch
    assert sorted(arrived.dropped) == old
    assert sorted(read.note.path for read in arrived.put) == new


def test_a_lone_deletion_is_seen_soon(vault: Vault) -> None:
    vault.write("a.md")
    vault.write("b.md", "other")
    vault.look()
    (vault.root / "a.md").unlink()
    assert vault.look_at_paths(["a.md"], LATER_NS).is_nothing
    assert vault.indexer.settling.check_due_ns == LATER_NS + 30 * MS
    assert vault.look_at_paths([], LATER_NS + 30 * MS).removed == 1


def test_a_renamed_note_is_dropped_when_its_new_file_is_not_read_in_time(vault: Vault) -> None:
    """Another program writes to the new file all the time."""
    vault.write("a.md")
    vault.look()
    (vault.root / "a.md").rename(vault.root / "b.md")
    renamed_ns = (vault.root / "b.md").stat().st_ctime_ns
    assert vault.look(renamed_ns).is_nothing
    os.utime(vault.root / "b.md", ns=(renamed_ns, renamed_ns))
    changed_ns = (vault.root / "b.md").stat().st_ctime_ns
    assert vault.look_at(Moment(changed_ns, renamed_ns + LEAVING_WAIT_NS)).removed == 1


def test_a_mass_deletion_is_applied_when_a_second_walk_confirms_it(vault: Vault) -> None:
    for number in range(30):
        vault.write(f"x/{number}.md")
    vault.write("kept.md")
    vault.look()
    shutil.rmtree(vault.root / "x")
    for after_ns in (0, MASS_WAIT_NS - 1):
        assert vault.look(LATER_NS + after_ns).is_nothing
    assert vault.indexer.settling.held_deletion_count == 30
    assert vault.look(LATER_NS + MASS_WAIT_NS).removed == 30
    vault.assert_as_read_anew()


def test_a_vault_that_comes_back_is_not_parsed_again(vault: Vault) -> None:
    for number in range(30):
        vault.write(f"x/{number}.md")
    vault.look()
    (vault.root / "x").rename(vault.root / ".away")
    vault.look()
    (vault.root / ".away").rename(vault.root / "x")
    vault.parsed.clear()
    assert vault.look(LATER_NS + MASS_WAIT_NS).is_nothing
    assert vault.parsed == []
    assert not vault.indexer.settling.unsettled
    vault.assert_as_read_anew()


@pytest.mark.parametrize("is_known", [False, True])
def test_a_note_deleted_while_it_was_written_stops_the_wait(vault: Vault, is_known: bool) -> None:
    if is_known:
        vault.write("a.md", "before")
        vault.look()
    written_ns = vault.write("a.md")
    vault.look(written_ns)
    assert vault.indexer.settling.unsettled
    (vault.root / "a.md").unlink()
    vault.look(written_ns + 10 * MS)
    assert not vault.indexer.settling.unsettled


def test_an_emptied_note_that_becomes_unreadable_stops_the_wait(vault: Vault) -> None:
    vault.write("a.md", "kept")
    vault.look()
    vault.write("a.md", "")
    vault.look(LATER_NS)
    assert vault.indexer.settling.unsettled
    vault.unreadable["a.md"] = errno.EACCES
    vault.look(LATER_NS + 2_000 * MS)
    assert not vault.indexer.settling.unsettled
    assert vault.texts() == {"a.md": "kept"}
