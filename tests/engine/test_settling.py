"""Which changes are held back, for how long, and when they are checked again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.engine.reading.settling import (
    EMPTIED_WAIT_NS,
    LEAVING_WAIT_NS,
    MASS_NOTES_MIN,
    MASS_WAIT_NS,
    QUIET_NS,
    QUIET_WAIT_NS_MAX,
    YOUNG_NS,
    Settling,
)
from clew.values.vault import Stamp
from tests.tables import for_each_row

MS = 1_000_000
NOW_NS = 1_770_000_000_000_000_000

ages_ns = st.integers(0, 5_000 * MS)


def written(changed_at_ns: int) -> Stamp:
    return Stamp(changed_at_ns, changed_at_ns, 1, 1)


def notes(count: int, first: int = 0) -> set[str]:
    return {f"{number}.md" for number in range(first, first + count)}


def test_the_delays_are_those_documented() -> None:
    times_ns = (QUIET_NS, QUIET_WAIT_NS_MAX, YOUNG_NS, EMPTIED_WAIT_NS, MASS_WAIT_NS)
    assert times_ns == (10 * MS, 200 * MS, 100 * MS, 1_000 * MS, 2_000 * MS)
    assert MASS_NOTES_MIN == 20


# -- files being written ------------------------------------------------------------------------


@given(age_ns=ages_ns)
def test_a_file_is_read_after_10_ms_without_a_write(age_ns: int) -> None:
    settling = Settling()
    is_deferred = settling.defer_if_being_written("a.md", age_ns, NOW_NS)
    assert is_deferred == (age_ns < 10 * MS)
    assert settling.unsettled == ({("a.md", NOW_NS)} if is_deferred else set())
    assert settling.check_due_ns == (NOW_NS + 10 * MS if is_deferred else None)


@given(steps_ns=st.lists(st.sampled_from([MS, 9 * MS, 50 * MS, 199 * MS]), min_size=8))
def test_a_file_that_is_written_to_all_the_time_is_read_every_200_ms(steps_ns: list[int]) -> None:
    settling, now_ns, since_ns = Settling(), NOW_NS, NOW_NS
    for step_ns in steps_ns:
        is_deferred = settling.defer_if_being_written("a.md", 0, now_ns)
        assert is_deferred == (now_ns - since_ns < 200 * MS)
        if not is_deferred:
            assert not settling.unsettled
            break
        assert settling.unsettled == {("a.md", since_ns)}
        now_ns += step_ns


def test_the_delay_starts_again_once_the_file_was_read() -> None:
    settling = Settling()
    assert settling.defer_if_being_written("a.md", 0, NOW_NS)
    assert not settling.defer_if_being_written("a.md", 10 * MS, NOW_NS + 10 * MS)
    later_ns = NOW_NS + 500 * MS
    assert settling.defer_if_being_written("a.md", 0, later_ns)
    assert settling.unsettled == {("a.md", later_ns)}


# -- young files --------------------------------------------------------------------------------


@given(age_ns=ages_ns)
def test_a_file_read_before_it_was_100_ms_old_is_read_again(age_ns: int) -> None:
    settling = Settling()
    is_young = settling.recheck_if_young("a.md", age_ns, NOW_NS)
    assert is_young == (age_ns < 100 * MS)
    due_ns = NOW_NS - age_ns + 100 * MS
    assert settling.check_due_ns == (due_ns if is_young else None)
    assert not settling.unsettled  # the content is used, although the file is young


# -- emptied notes ------------------------------------------------------------------------------


@given(looks_ns=st.lists(st.integers(0, 3_000 * MS), min_size=1).map(sorted))
def test_an_emptied_note_counts_a_second_after_it_was_first_seen(looks_ns: list[int]) -> None:
    settling, first_ns = Settling(), NOW_NS + looks_ns[0]
    for look_ns in looks_ns:
        now_ns = NOW_NS + look_ns
        is_doubted = settling.defer_if_emptied("a.md", written(NOW_NS), now_ns)
        assert is_doubted == (now_ns - first_ns < 1_000 * MS)
        assert settling.unsettled == ({("a.md", first_ns)} if is_doubted else set())
        if not is_doubted:
            break
        assert settling.check_due_ns == first_ns + 1_000 * MS


def test_restored_content_ends_the_delay_and_the_next_one_is_a_whole_second() -> None:
    settling, later_ns = Settling(), NOW_NS + 950 * MS
    assert settling.defer_if_emptied("a.md", written(NOW_NS), NOW_NS)
    settling.clear_emptied("a.md")
    assert not settling.unsettled
    assert settling.defer_if_emptied("a.md", written(NOW_NS), later_ns)
    assert settling.unsettled == {("a.md", later_ns)}


def test_a_note_emptied_again_is_held_back_for_a_whole_second_again() -> None:
    settling, later_ns = Settling(), NOW_NS + 950 * MS
    assert settling.defer_if_emptied("a.md", written(NOW_NS), NOW_NS)
    assert settling.defer_if_emptied("a.md", written(later_ns), later_ns)
    assert settling.defer_if_emptied("a.md", written(later_ns), NOW_NS + 1_000 * MS)
    assert not settling.defer_if_emptied("a.md", written(later_ns), later_ns + 1_000 * MS)


# -- deleted notes ------------------------------------------------------------------------------


def lose(
    settling: Settling,
    gone: set[str],
    known_count: int,
    now_ns: int,
    *,
    arrived: frozenset[int] = frozenset(),
    is_whole: bool = True,
) -> set[str]:
    """Return the notes whose deletion is confirmed; the inode of ``7.md`` is 7."""
    inodes = {path: int(path.removesuffix(".md")) for path in gone}
    return settling.confirm_deletions(
        inodes, arrived, known_count, now_ns, is_whole=is_whole, arriving=frozenset()
    )


def test_a_deletion_that_a_hint_names_is_held_back_as_half_of_a_rename() -> None:
    settling = Settling()
    assert lose(settling, {"1.md"}, 9, NOW_NS, is_whole=False) == set()
    assert settling.unsettled == {("1.md", NOW_NS)}
    assert settling.take_due_checks(NOW_NS + LEAVING_WAIT_NS) == {"1.md"}
    for after_ns, believed in ((LEAVING_WAIT_NS - 1, set()), (LEAVING_WAIT_NS, {"1.md"})):
        assert lose(settling, set(), 9, NOW_NS + after_ns, is_whole=False) == believed
    assert not settling.unsettled


@given(others_ns=st.lists(st.integers(0, 2 * LEAVING_WAIT_NS)))
def test_a_deletion_is_confirmed_after_earlier_checks_too(others_ns: list[int]) -> None:
    """A check that came too early, for another reason, is followed by a later one."""
    settling = Settling()
    for other_ns in others_ns:
        settling.check_at("1.md", NOW_NS + other_ns)
    believed = lose(settling, {"1.md"}, 9, NOW_NS, is_whole=False)
    while not believed:
        now_ns = settling.check_due_ns
        assert now_ns is not None
        assert now_ns <= NOW_NS + LEAVING_WAIT_NS
        settling.take_due_checks(now_ns)
        believed = lose(settling, set(), 9, now_ns, is_whole=False)
    assert believed == {"1.md"}
    assert not settling.unsettled


@given(times_ns=st.lists(st.integers(0, 500 * MS), min_size=1))
def test_a_path_is_checked_at_its_first_and_last_due_time(times_ns: list[int]) -> None:
    settling, looked_ns = Settling(), []
    for time_ns in times_ns:
        settling.check_at("1.md", NOW_NS + time_ns)
    while (now_ns := settling.check_due_ns) is not None:
        assert settling.take_due_checks(now_ns) == {"1.md"}
        looked_ns.append(now_ns - NOW_NS)
    assert looked_ns == sorted({min(times_ns), max(times_ns)})


@for_each_row("arrives_ns", [0, 1, LEAVING_WAIT_NS - 1])
@for_each_row("is_whole", [False, True])
def test_the_old_path_is_dropped_when_the_new_one_appears(arrives_ns: int, is_whole: bool) -> None:
    settling, now_ns, arrived = Settling(), NOW_NS + arrives_ns, frozenset({1, 5})
    if arrives_ns:
        lose(settling, {"1.md", "2.md"}, 9, NOW_NS, is_whole=False)
        found = lose(settling, set(), 9, now_ns, arrived=arrived, is_whole=is_whole)
    else:
        found = lose(settling, {"1.md", "2.md"}, 9, now_ns, arrived=arrived, is_whole=is_whole)
    assert found == ({"1.md", "2.md"} if is_whole else {"1.md"})


def test_a_note_that_reappears_is_kept() -> None:
    settling = Settling()
    lose(settling, {"1.md", "2.md"}, 9, NOW_NS, is_whole=False)
    settling.confirm_present(["1.md"])
    assert lose(settling, set(), 9, NOW_NS + LEAVING_WAIT_NS, is_whole=False) == {"2.md"}


# -- many deleted notes -------------------------------------------------------------------------


@for_each_row(
    ("gone_count", "known_count", "is_held"),
    [
        *[(0, 0, False), (1, 1, False), (19, 19, False), (20, 20, True)],
        *[(20, 39, True), (20, 40, False), (21, 40, True), (21, 41, True), (21, 42, False)],
        *[(500, 1_000, False), (501, 1_000, True)],
    ],
)
@for_each_row("is_whole", [False, True])
def test_a_deletion_of_20_notes_and_over_half_is_held_back(
    gone_count: int, known_count: int, is_held: bool, is_whole: bool
) -> None:
    settling, gone = Settling(), notes(gone_count)
    believed = lose(settling, gone, known_count, NOW_NS, is_whole=is_whole)
    assert believed == (gone if is_whole and not is_held else set())
    assert settling.held_deletion_count == (gone_count if is_held else 0)
    assert settling.walk_due_ns == (NOW_NS + 2_000 * MS if is_held else None)


@for_each_row("is_whole", [False, True])
@for_each_row("after_ms", [0, 1_999, 2_000, 60_000])
def test_only_a_walk_2_s_later_confirms_a_mass_deletion(is_whole: bool, after_ms: int) -> None:
    settling, gone = Settling(), notes(30)
    lose(settling, gone, 40, NOW_NS)
    believed = lose(settling, set(), 40, NOW_NS + after_ms * MS, is_whole=is_whole)
    agrees = is_whole and after_ms >= 2_000
    assert believed == (gone if agrees else set())
    assert settling.held_deletion_count == (0 if agrees else 30)


@given(back=st.sets(st.integers(0, 29)), late=st.sets(st.integers(30, 39), max_size=5))
def test_notes_that_reappear_are_not_dropped(back: set[int], late: set[int]) -> None:
    settling = Settling()
    lose(settling, notes(30), 40, NOW_NS)
    settling.confirm_present(f"{number}.md" for number in back)
    believed = lose(settling, {f"{number}.md" for number in late}, 40, NOW_NS + 2_000 * MS)
    assert believed == {f"{number}.md" for number in {*range(30), *late} - back}
    assert settling.held_deletion_count == 0
    assert settling.walk_due_ns is None


def test_a_mass_deletion_is_held_back_while_another_note_is_too() -> None:
    settling = Settling()
    lose(settling, notes(60), 100, NOW_NS)
    settling.confirm_present(notes(59))
    assert lose(settling, notes(59), 100, NOW_NS + 2_000 * MS) <= {"59.md"}
    assert settling.held_deletion_count >= 59


def test_a_renamed_folder_of_many_notes_is_no_mass_deletion() -> None:
    settling, gone = Settling(), notes(30)
    assert lose(settling, gone, 40, NOW_NS, arrived=frozenset(range(30)), is_whole=False) == gone
    assert not settling.unsettled


def test_more_deletions_delay_the_second_check() -> None:
    settling = Settling()
    settling.hold_deletions(notes(1), NOW_NS)
    settling.hold_deletions(notes(1, first=1), NOW_NS + 500 * MS)
    assert settling.walk_due_ns == NOW_NS + 2_500 * MS
    assert settling.held_deletion_count == 2


@pytest.mark.parametrize("count", [1, 30])
def test_a_deleted_note_is_not_unsettled_any_more(count: int) -> None:
    settling = Settling()
    settling.defer_if_being_written("0.md", 0, NOW_NS)
    settling.defer_if_emptied("0.md", written(NOW_NS), NOW_NS)
    settling.forget(notes(count))
    lose(settling, notes(count), 30, NOW_NS)
    held = set() if count == 1 else {(path, 0) for path in notes(count)}  # the deletions alone
    assert settling.unsettled == held


# -- all rules together -------------------------------------------------------------------------


@given(
    asked=st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 99)), max_size=20),
    now_ns=st.integers(0, 99),
)
def test_due_paths_are_returned_once(asked: list[tuple[str, int]], now_ns: int) -> None:
    settling = Settling()
    for path, at_ns in asked:
        settling.check_at(path, at_ns)
    times_ns = {path: [at for p, at in asked if p == path] for path, _ in asked}
    assert settling.check_due_ns == min(map(min, times_ns.values()), default=None)
    due = {path for path, at_ns in times_ns.items() if min(at_ns) <= now_ns}
    assert settling.take_due_checks(now_ns) == due
    assert settling.take_due_checks(now_ns) == set()
    left_ns = [max(times_ns[path]) if path in due else min(times_ns[path]) for path in times_ns]
    assert settling.check_due_ns == min(
        (at_ns for at_ns in left_ns if at_ns > now_ns), default=None
    )


class Reader:
    """Checks files when they are hinted or due, as a round of reading does."""

    def __init__(self) -> None:
        self.settling = Settling()
        self.files: dict[str, tuple[int, bool]] = {}  # when written, whether it is empty now
        self.had_content: set[str] = set()

    def write(self, path: str, is_empty: bool, now_ns: int) -> None:
        self.files[path] = (now_ns, is_empty)
        self._read(path, now_ns)

    def follow_until(self, end_ns: int) -> int:
        """Check what is due up to a time; return the time of the last check."""
        at_ns, longest_ns = 0, EMPTIED_WAIT_NS + QUIET_WAIT_NS_MAX + QUIET_NS
        while self.settling.check_due_ns is not None and self.settling.check_due_ns <= end_ns:
            at_ns = self.settling.check_due_ns
            assert all(at_ns - since_ns <= longest_ns for _, since_ns in self.settling.unsettled)
            for path in self.settling.take_due_checks(at_ns):
                self._read(path, at_ns)
        return at_ns

    def _read(self, path: str, now_ns: int) -> None:
        written_ns, is_empty = self.files[path]
        stamp, had_content = written(written_ns), path in self.had_content
        if self.settling.defer_if_being_written(path, now_ns - written_ns, now_ns):
            return
        if not (is_empty and had_content):
            self.settling.clear_emptied(path)
        elif self.settling.defer_if_emptied(path, stamp, now_ns):
            return
        self.settling.recheck_if_young(path, now_ns - written_ns, now_ns)
        self.had_content ^= {path} if had_content == is_empty else set()


writes = st.tuples(
    st.sampled_from([1 * MS, 9 * MS, 10 * MS, 90 * MS, 300 * MS, 1_000 * MS]),
    st.sampled_from(["a.md", "b.md"]),
    st.booleans(),
)


@given(writes=st.lists(writes, max_size=60))
def test_checking_what_is_due_settles_every_change_in_time(
    writes: list[tuple[int, str, bool]],
) -> None:
    """However often files are written and emptied, each write is applied within a second."""
    reader, now_ns = Reader(), NOW_NS
    for pause_ns, path, is_empty in writes:
        now_ns += pause_ns
        reader.follow_until(now_ns)
        reader.write(path, is_empty, now_ns)
    ended_ns = reader.follow_until(2**62)
    assert ended_ns <= now_ns + QUIET_WAIT_NS_MAX + QUIET_NS + EMPTIED_WAIT_NS
    assert not reader.settling.unsettled
    assert reader.had_content == {
        path for path, (_, is_empty) in reader.files.items() if not is_empty
    }
