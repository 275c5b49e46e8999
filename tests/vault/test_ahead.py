"""Stamps ahead of the wall clock: reported for two seconds, then left alone until they change."""

import os
from pathlib import Path

import pytest

from clew.values.vault import Moment, Stamp
from clew.vault import view as view_module
from clew.vault.changes import RACY_NS
from clew.vault.view import VaultView
from tests.vault.conftest import Write
from tests.vault.test_scan import difference, view_of

HOUR_NS = 3_600_000_000_000
STEADY_NS = 5_000_000_000  # monotonic time of the first look

REPORTED = difference(changed="x/a.md")
NOTHING = difference()


@pytest.fixture(params=[0, view_module.LISTED_WHOLE_MAX])
def view(
    request: pytest.FixtureRequest, tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> VaultView:
    """Return a view of one note, in a large or a small folder."""
    monkeypatch.setattr(view_module, "LISTED_WHOLE_MAX", request.param)
    write("x/a.md")
    return view_of(tmp_path)


def changed_at_ns(view: VaultView) -> int:
    return os.stat(f"{view.root}/x/a.md").st_ctime_ns


def stamp_of(view: VaultView) -> Stamp:
    stamp = view.stamp("x/a.md")
    assert stamp is not None
    return stamp


def test_a_stamp_ahead_is_reported_until_two_seconds_after_it_was_first_seen(
    view: VaultView,
) -> None:
    wall_ns = changed_at_ns(view) - HOUR_NS
    assert view.look(Moment(wall_ns, STEADY_NS)) == REPORTED
    for after_ns, expected in (
        *[(0, REPORTED), (RACY_NS - 1, REPORTED), (RACY_NS, REPORTED)],
        *[(RACY_NS, NOTHING), (10 * RACY_NS, NOTHING)],
    ):
        now = Moment(wall_ns + after_ns, STEADY_NS + after_ns)
        assert view.look_at(["x/a.md"], now) == expected, after_ns
        assert view.is_racy("x/a.md", stamp_of(view), now) == (after_ns < RACY_NS)


@pytest.mark.parametrize("sets_modified", [False, True])
def test_a_time_of_modification_ahead_is_a_stamp_ahead(
    view: VaultView, sets_modified: bool
) -> None:
    file, now_ns = f"{view.root}/x/a.md", changed_at_ns(view) + HOUR_NS
    if sets_modified:
        os.utime(file, ns=(2 * now_ns, 2 * now_ns))
    looks = [view.look(Moment(now_ns, steady_ns)) for steady_ns in (0, 1, RACY_NS, RACY_NS)]
    again = [REPORTED, REPORTED] if sets_modified else [NOTHING, NOTHING]
    assert looks == [REPORTED, *again, NOTHING]


def test_a_wall_clock_that_is_set_does_not_end_the_two_seconds(view: VaultView) -> None:
    written_ns = changed_at_ns(view)
    walls_ns = [written_ns - behind_ns for behind_ns in (HOUR_NS, 9 * HOUR_NS, 2 * HOUR_NS, 1)]
    for wall_ns in walls_ns:
        assert view.look(Moment(wall_ns, STEADY_NS + RACY_NS - 1)) == REPORTED
    assert view.look(Moment(walls_ns[1], STEADY_NS + 2 * RACY_NS)) == REPORTED
    assert view.look(Moment(walls_ns[0], STEADY_NS + 2 * RACY_NS)) == NOTHING


def test_the_two_seconds_begin_again_with_another_stamp_ahead(view: VaultView) -> None:
    wall_ns = changed_at_ns(view) - HOUR_NS
    view.look(Moment(wall_ns, STEADY_NS))
    os.utime(f"{view.root}/x/a.md")
    later_ns = STEADY_NS + 9 * RACY_NS
    for steady_ns in (later_ns, later_ns + RACY_NS - 1, later_ns + RACY_NS):
        assert view.look_at(["x/a.md"], Moment(wall_ns, steady_ns)) == REPORTED
    assert view.look_at(["x/a.md"], Moment(wall_ns, later_ns + RACY_NS)) == NOTHING


def test_the_two_seconds_begin_again_for_a_note_that_was_deleted_and_restored(
    view: VaultView,
) -> None:
    wall_ns = changed_at_ns(view) - HOUR_NS
    view.look(Moment(wall_ns, STEADY_NS))
    os.rename(f"{view.root}/x/a.md", f"{view.root}/x/b.txt")
    gone = view.look_at(["x/a.md"], Moment(wall_ns, STEADY_NS + RACY_NS))
    assert gone.gone == ("x/a.md",)
    os.rename(f"{view.root}/x/b.txt", f"{view.root}/x/a.md")
    for steady_ns in (STEADY_NS + 9 * RACY_NS, STEADY_NS + 9 * RACY_NS + 1):
        changed = view.look_at(["x/a.md"], Moment(wall_ns, steady_ns)).changed
        assert changed == ("x/a.md",)


@pytest.mark.parametrize("late_ns", [0, RACY_NS - 1, RACY_NS, HOUR_NS])
def test_a_stamp_that_the_clock_has_reached_is_reported_again(
    view: VaultView, late_ns: int
) -> None:
    """A note written at exactly that time may have the same stamp as the earlier one."""
    written_ns, steady_ns = changed_at_ns(view), STEADY_NS + HOUR_NS
    for settled_ns in (STEADY_NS, STEADY_NS + RACY_NS):
        view.look(Moment(written_ns - HOUR_NS, settled_ns))
    assert view.look(Moment(written_ns - 1, steady_ns)) == NOTHING
    # All times below are measured from the modification, which is a little before the change.
    now_ns = max(written_ns, stamp_of(view).modified_at_ns + late_ns)
    assert view.look_at(["x/a.md"], Moment(now_ns, steady_ns)) == REPORTED
    again = view.look_at(["x/a.md"], Moment(now_ns, steady_ns))
    assert again == (REPORTED if late_ns < RACY_NS else NOTHING)
    end_ns = written_ns + 2 * HOUR_NS
    looks = [view.look(Moment(end_ns, steady_ns)) for _ in range(2)]
    assert looks == [REPORTED if late_ns < RACY_NS else NOTHING, NOTHING]
