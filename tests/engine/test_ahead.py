"""Notes whose stamps are ahead of the wall clock are read as soon as others, and no more often."""

import os

import pytest

from clew.engine.reading.settling import QUIET_WAIT_NS_MAX, YOUNG_NS
from clew.engine.reading.steps import drained
from clew.values.vault import Moment
from clew.vault.changes import RACY_NS
from tests.indexed import MS, Vault

S = 1_000 * MS
SWEEP_NS = 30 * S
IDLE_NS = 3_600 * S
READS_MAX = (
    6  # reads of one note: while it is young, when the clock reaches its stamp, at two walks
)
LOOKS_MAX = 10  # checks, without the walks


def idle(vault: Vault, behind_ns: int, from_ns: int, to_ns: int) -> int:
    """Check what is due, and walk the vault at intervals; return the number of checks.

    Times are monotonic; the wall clock is ``behind_ns`` behind the clock of the files.
    """
    written_ns = (vault.root / "a.md").stat().st_ctime_ns
    settling, now_ns, looks, sweep_ns = vault.indexer.settling, from_ns, 0, from_ns
    while now_ns < to_ns:
        now = Moment(written_ns - behind_ns + now_ns - from_ns, now_ns)
        if now_ns >= sweep_ns:
            sweep_ns += SWEEP_NS
            found = vault.indexer.look(now)
        else:
            looks += 1
            due = settling.take_due_checks(now_ns)
            found = vault.indexer.look_at(due, now, due)
        drained(vault.indexer.absorb(found, now))
        now_ns = min(sweep_ns, settling.check_due_ns or sweep_ns)
    return looks


@pytest.mark.parametrize("behind_ns", [0, 1 * MS, 50 * MS, 150 * MS, 3_600 * S, 10 * 86_400 * S])
def test_an_hour_of_idling_reads_a_note_a_few_times_however_far_its_stamp_is_ahead(
    vault: Vault, behind_ns: int
) -> None:
    vault.write("a.md")
    vault.write("b.md")
    looks = idle(vault, behind_ns, 0, IDLE_NS)
    assert set(vault.loaded) == {"a.md", "b.md"}
    assert len(vault.loaded) <= 2 * READS_MAX
    assert looks <= LOOKS_MAX
    assert sorted(vault.parsed) == ["a.md", "b.md"]
    assert vault.indexer.settling.check_due_ns is None


def test_a_note_dated_ahead_by_its_writer_is_read_a_few_times(vault: Vault) -> None:
    vault.write("a.md")
    os.utime(vault.root / "a.md", ns=(2**62, 2**62))
    assert idle(vault, -50 * MS, 0, IDLE_NS) <= LOOKS_MAX
    assert len(vault.loaded) <= READS_MAX


def test_a_note_whose_stamp_is_ahead_is_indexed_soon_and_once(vault: Vault) -> None:
    vault.write("a.md")
    idle(vault, 3_600 * S, 0, QUIET_WAIT_NS_MAX)
    assert vault.texts() == {"a.md": "text"}
    assert not vault.indexer.settling.unsettled
    assert vault.indexer.snapshot.revision == 1


@pytest.mark.parametrize("seen_for_ns", [0, 1 * MS, YOUNG_NS, RACY_NS - 11 * MS])
def test_a_second_write_with_the_same_stamp_ahead_is_found(vault: Vault, seen_for_ns: int) -> None:
    written_ns = vault.write("a.md", "new")
    steps = [0, 10 * MS, *([10 * MS + seen_for_ns] if seen_for_ns else [])]
    for step_ns in steps:
        vault.look_at(Moment(written_ns - 3_600 * S, step_ns))
    vault.forge("a.md", "old")
    vault.look_at(Moment(written_ns - 3_600 * S, 10 * MS + 2 * RACY_NS))
    assert vault.texts() == {"a.md": "new"}


def test_a_clock_set_back_while_a_note_is_written_delays_nothing(vault: Vault) -> None:
    written_ns = vault.write("a.md")
    assert vault.look_at(Moment(written_ns, 0)).is_nothing
    assert vault.indexer.settling.check_due_ns == 10 * MS
    assert vault.look_at(Moment(written_ns - 3_600 * S, 1 * MS)).is_nothing
    assert vault.look_at(Moment(written_ns - 3_600 * S, 11 * MS)).added == 1
    assert not vault.indexer.settling.unsettled


def test_a_note_written_after_its_check_is_read_again(vault: Vault) -> None:
    """The stamp at the time of reading was not seen before, and is ahead of the clock."""
    written_ns = vault.write("a.md", "one")
    found = vault.indexer.look(Moment(written_ns - 3_600 * S, 0))
    vault.write("a.md", "two")
    drained(vault.indexer.absorb(found, Moment(written_ns - 3_600 * S, 50 * MS)))
    assert vault.texts() == {"a.md": "two"}
    assert vault.indexer.settling.check_due_ns == 50 * MS + YOUNG_NS


def test_a_rebuild_reads_a_note_whose_stamp_is_ahead(vault: Vault) -> None:
    vault.write("a.md")
    os.utime(vault.root / "a.md", ns=(2**62, 2**62))
    vault.look()
    vault.assert_as_read_anew()
