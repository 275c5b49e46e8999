"""Any history: a path has the earliest and the latest author date of the commits that change it."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.surface.indexer.git import history, reading
from clew.surface.indexer.git.commands import GitFailed
from clew.surface.indexer.git.history import AUTHORED_S_MAX, blobs_of_notes, dates_by_path
from clew.surface.indexer.git.job import GitDates, GitJob
from clew.surface.indexer.git.reading import read_dates
from tests.examples import IS_LONG, examples
from tests.repositories import Commit, add_commits, git, needs_git, new_repository
from tests.timed import check_within

pytestmark = needs_git
PATHS = ("a.md", "d/b.md", "d/c.md")
COMMITS = 100_000 if IS_LONG else 20_000
NOTES = 2_000

changes = st.dictionaries(st.sampled_from(PATHS), st.none() | st.binary(max_size=2), max_size=2)
commits = st.tuples(st.integers(1, 2_000_000_000), changes).map(lambda pair: Commit(*pair))
histories = st.lists(commits, min_size=1, max_size=5)


def read(vault: Path, earlier: GitDates) -> GitDates:
    return read_dates(GitJob(str(vault), 10_000, str(vault)), earlier)


def expected(vault: Path) -> dict[str, tuple[float, float]]:
    """Return the dates of the files at HEAD by one ``git log`` for each."""
    names = git(vault, "ls-tree", "-r", "-z", "--name-only", "HEAD").decode().split("\0")[:-1]
    logs = {name: git(vault, "log", "--full-history", "--format=%at", "--", name) for name in names}
    times = {name: [float(at_s) for at_s in log.split()] for name, log in logs.items()}
    return {name: (min(found), max(found)) for name, found in times.items()}


@pytest.mark.slow
@examples(6, long=200)
@given(st.lists(histories, min_size=1, max_size=2), st.integers(0, 3))
def test_reading_on_equals_reading_anew(parts: list[list[Commit]], singles_max: int) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "SINGLE_PATHS_MAX", singles_max)
        vault = new_repository(Path(folder), [Commit(1, {"first.md": b"1"})])
        found = read(vault, GitDates())
        for part in parts:
            add_commits(vault, part)
            found = read(vault, found)
            assert found == read(vault, GitDates())
            dates = {note.path: (note.first_s, note.last_s) for note in found.notes}
            assert dates == expected(vault)
        git(vault, "reset", "--quiet", "--hard", "HEAD~1")  # HEAD may move back too
        assert read(vault, found) == read(vault, GitDates())


@pytest.mark.parametrize("singles_max", [0, 200])
def test_a_file_that_comes_back_has_its_earlier_dates(
    singles_max: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "SINGLE_PATHS_MAX", singles_max)
    vault = new_repository(tmp_path, [Commit(100, {"a.md": b"1", "b.md": b"1"})])
    add_commits(vault, [Commit(200, {"a.md": None})])
    found = read(vault, GitDates())
    assert [note.path for note in found.notes] == ["b.md"]
    add_commits(vault, [Commit(300, {"a.md": b"1"})])
    (a, _) = read(vault, found).notes
    assert (a.first_s, a.last_s) == (100, 300)


def test_commits_on_both_sides_of_a_merge_count(tmp_path: Path) -> None:
    vault = new_repository(
        tmp_path,
        [
            Commit(500, {"a.md": b"1", "b.md": b"1"}),
            Commit(100, {"a.md": b"2"}),
            Commit(900, {"a.md": b"3"}, parent=1),
            Commit(700, {"a.md": b"2"}, parent=2, merged=3),
        ],
    )
    (a, b) = read(vault, GitDates()).notes
    assert (a.first_s, a.last_s) == (100, 900)
    assert (b.first_s, b.last_s) == (500, 500)


def test_a_date_that_cannot_be_is_none(tmp_path: Path) -> None:
    vault = new_repository(tmp_path, [Commit(AUTHORED_S_MAX, {"a.md": b"1"})])
    (note,) = read(vault, GitDates()).notes
    assert (note.first_s, note.last_s, note.dates) == (None, None, None)


@pytest.mark.parametrize("output", [b"\0", b"x\0", b"4\0", b"x" * 100_000])
def test_output_in_another_form_is_refused(output: bytes) -> None:
    with pytest.raises(GitFailed):
        dates_by_path([output, b"?\0"], "", PATHS)
    with pytest.raises(GitFailed):
        blobs_of_notes([output, b"?\0"], "")


def test_the_number_of_notes_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "NOTES_MAX", 3)
    tree = [b"100644 blob %040d\t%d.md\0" % (number, number) for number in range(4)]
    assert len(blobs_of_notes(tree[:3], "")) == 3
    with pytest.raises(GitFailed, match="more than 3 notes"):
        blobs_of_notes(tree, "")


def long_history() -> Iterator[Commit]:
    for number in range(COMMITS):
        note = number % NOTES
        yield Commit(1_000_000_000 + number, {f"{note // 100}/{note}.md": b"%d" % number})


@pytest.mark.slow
def test_a_long_history_is_read_in_bounded_time(tmp_path: Path) -> None:
    vault = new_repository(tmp_path, long_history())
    found = check_within(COMMITS / 2_000, lambda: read(vault, GitDates()), times=1)
    assert len(found.notes) == NOTES
    for note in found.notes:
        number = int(note.path.rpartition("/")[2].removesuffix(".md"))
        assert note.first_s == 1_000_000_000 + number
        assert note.last_s == 1_000_000_000 + COMMITS - NOTES + number
    add_commits(vault, [Commit(5, {"1/100.md": b"new"})])
    later = check_within(1.0, lambda: read(vault, found), times=1)
    (news,) = set(later.notes) - set(found.notes)
    assert (news.path, news.first_s) == ("1/100.md", 5)
