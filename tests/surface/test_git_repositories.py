"""Repositories of every kind: what is read from them, and what is said if nothing can be."""

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.surface.indexer.git.commands import Git, GitFailed
from clew.surface.indexer.git.job import GitDates, GitJob
from clew.surface.indexer.git.reading import SHALLOW, read_dates
from clew.surface.indexer.git.repository import find_repository, head_state
from clew.surface.indexer.git.saved_dates import FILE, load_dates, save_dates
from clew.vault.blob import blob_id
from tests.repositories import Commit, add_commits, git, needs_git, new_repository

pytestmark = needs_git
FIRST_S, SECOND_S, THIRD_S = 1_400_000_000, 1_500_000_000, 1_600_000_000
ODD_NAMES = ("a\nb.md", 'q"uo\\te.md', "\udcff.md", "ü.md", " x .md", ":100644 x.md", "d/*.md")

Found = dict[str, tuple[float | None, float | None]]


def read(vault: Path, earlier: GitDates | None = None) -> GitDates:
    return read_dates(GitJob(str(vault), 10_000, str(vault)), earlier or GitDates())


def dates(found: GitDates) -> Found:
    """Return the dates of those notes that are the same as at HEAD."""
    return {note.path: (note.first_s, note.last_s) for note in found.notes if note.content_hash}


def remark(vault: Path) -> str:
    found = read(vault)
    assert not found.is_read
    assert found.remark is not None
    return found.remark


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    commits = [
        Commit(FIRST_S, {"a.md": b"1", "sub/b.md": b"b", "c.txt": b"no note", ".h/x.md": b"x"}),
        Commit(THIRD_S, {"a.md": b"2"}),
        Commit(SECOND_S, {"a.md": b"3"}),
    ]
    return new_repository(tmp_path / "vault", commits)


def test_the_dates_are_the_earliest_and_the_latest(vault: Path) -> None:
    assert dates(read(vault)) == {"a.md": (FIRST_S, THIRD_S), "sub/b.md": (FIRST_S, FIRST_S)}


def test_a_note_that_differs_from_head_has_none(vault: Path) -> None:
    (vault / "a.md").write_bytes(b"4")
    (vault / "new.md").write_bytes(b"not tracked")
    assert dates(read(vault)) == {"sub/b.md": (FIRST_S, FIRST_S)}
    git(vault, "add", ".")  # an index that has it makes no difference
    assert dates(read(vault)) == {"sub/b.md": (FIRST_S, FIRST_S)}


def test_a_vault_may_be_a_folder_of_the_work_tree(vault: Path) -> None:
    add_commits(vault, [Commit(SECOND_S, {"b.md": b"b", "subway/b.md": b"b"})])
    assert dates(read(vault / "sub")) == {"b.md": (FIRST_S, FIRST_S)}


def test_a_symbolic_link_may_lead_to_the_vault(vault: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(vault / "sub")
    assert dates(read(tmp_path / "link")) == {"b.md": (FIRST_S, FIRST_S)}


def test_any_file_name_is_read(tmp_path: Path) -> None:
    changes = {name: os.fsencode(name) for name in ODD_NAMES}
    vault = new_repository(tmp_path / "vault", [Commit(FIRST_S, changes)])
    assert dates(read(vault)) == dict.fromkeys(ODD_NAMES, (FIRST_S, FIRST_S))
    save_dates(str(tmp_path), read(vault))
    assert load_dates(str(tmp_path)) == read(vault)


def test_a_repository_of_sha256(tmp_path: Path) -> None:
    vault = new_repository(
        tmp_path / "v", [Commit(FIRST_S, {"a.md": b"1"})], "--object-format=sha256"
    )
    (note,) = read(vault).notes
    assert len(note.blob) == 64
    assert dates(read(vault)) == {"a.md": (FIRST_S, FIRST_S)}
    assert blob_id(b"1", 12) == ""


def test_a_linked_work_tree_follows_its_own_head(vault: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    git(vault, "worktree", "add", "--quiet", "-b", "other", str(linked), "HEAD~2")
    assert dates(read(linked)) == {"a.md": (FIRST_S, FIRST_S), "sub/b.md": (FIRST_S, FIRST_S)}
    before = find_repository(str(linked))
    assert before is not None
    state = head_state(before)
    (linked / "a.md").write_bytes(b"4")
    git(linked, "commit", "--quiet", "--all", "--message=m")
    assert head_state(before) != state


def test_a_submodule_has_dates_of_its_own(vault: Path, tmp_path: Path) -> None:
    inner = new_repository(tmp_path / "inner", [Commit(SECOND_S, {"i.md": b"i"})])
    git(vault, "submodule", "--quiet", "add", str(inner), "module")
    git(vault, "commit", "--quiet", "--message=m")
    assert dates(read(vault / "module")) == {"i.md": (SECOND_S, SECOND_S)}
    assert dates(read(vault)).keys() == {"a.md", "sub/b.md"}


def test_a_shallow_repository_dates_only_what_its_commits_changed(
    vault: Path, tmp_path: Path
) -> None:
    shallow = tmp_path / "shallow"
    add_commits(vault, [Commit(SECOND_S, {"new.md": b"n"}), Commit(SECOND_S + 5, {"a.md": b"5"})])
    git(tmp_path, "clone", "--quiet", "--depth=3", f"file://{vault}", str(shallow))
    found = read(shallow)
    assert found.remark == SHALLOW
    assert dates(found) == {
        "a.md": (None, SECOND_S + 5),
        "new.md": (SECOND_S, SECOND_S),
        "sub/b.md": (None, None),
    }
    git(shallow, "fetch", "--quiet", "--unshallow")
    assert dates(read(shallow, found)) == dates(read(vault))


def test_without_a_repository_nothing_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"1")
    assert read(tmp_path) == GitDates()


def no_head(vault: Path) -> None:
    (vault / ".git" / "HEAD").unlink()


def no_objects(vault: Path) -> None:
    shutil.rmtree(vault / ".git" / "objects")
    (vault / ".git" / "objects").mkdir()


def no_first_tree(vault: Path) -> None:
    """Let the history break off after its later commits."""
    tree = git(vault, "rev-parse", "HEAD~2^{tree}").strip().decode()
    (vault / ".git" / "objects" / tree[:2] / tree[2:]).unlink()


def bad_settings(vault: Path) -> None:
    (vault / ".git" / "config").write_text("[core\n")


def file_for_folder(vault: Path) -> None:
    shutil.rmtree(vault / ".git")
    (vault / ".git").write_text("anything")


def leads_nowhere(vault: Path) -> None:
    shutil.rmtree(vault / ".git")
    (vault / ".git").write_text("gitdir: ../nowhere\n")


def fifo(vault: Path) -> None:
    shutil.rmtree(vault / ".git")
    os.mkfifo(vault / ".git")


def no_commit(vault: Path) -> None:
    shutil.rmtree(vault / ".git")
    git(vault, "init", "--quiet")


def bare(vault: Path) -> None:
    for path in (vault / ".git").iterdir():
        path.rename(vault / path.name)
    (vault / ".git").rmdir()


BROKEN: dict[Callable[[Path], None], str] = {
    no_head: "not a git repository",
    no_objects: "bad object|bad revision|could not|no commit",
    no_first_tree: "unable to read|bad tree|missing|could not",
    bad_settings: "bad config line 1",
    file_for_folder: "leads to no repository",
    leads_nowhere: "cannot be read: No such file",
    fifo: "leads to no repository",
    no_commit: "does not have any commits yet",
    bare: "is a bare repository",
}


@pytest.mark.parametrize("harm", BROKEN, ids=lambda harm: harm.__name__)
def test_what_cannot_be_read_is_said(harm: Callable[[Path], None], vault: Path) -> None:
    harm(vault)
    assert re.search(BROKEN[harm], remark(vault))


def test_a_missing_git_is_said(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{vault}:.")
    assert remark(vault) == "git is not installed"


def test_a_git_in_the_vault_is_not_run(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (vault / "git").write_text(f"#!/bin/sh\ntouch {vault}/sprung\n")
    (vault / "git").chmod(0o755)
    monkeypatch.chdir(vault)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    assert dates(read(vault))
    assert not (vault / "sprung").exists()


# The system lets nobody but root give a file to another user, so no other user can make this case.
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_repository_of_another_user_is_not_asked(vault: Path) -> None:
    os.chown(vault / ".git", 12345, -1)
    assert "belongs to another user" in remark(vault)


def test_output_and_time_are_bounded(vault: Path) -> None:
    with pytest.raises(GitFailed, match="more than 100 bytes"):
        list(Git(str(vault), bytes_max=100).log("--raw"))
    with pytest.raises(GitFailed, match="too long"):
        list(Git(str(vault), seconds_max=0.0).log("--raw"))


def test_a_git_that_never_ends_is_stopped(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (vault / "bin").mkdir()
    (vault / "bin" / "git").write_text("#!/bin/sh\nexec sleep 600\n")
    (vault / "bin" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{vault}/bin:{os.environ['PATH']}")
    with pytest.raises(GitFailed, match="too long"):
        list(Git(str(vault), seconds_max=0.2).log())


def test_a_damaged_result_of_an_earlier_run_is_the_same_as_none(
    vault: Path, tmp_path: Path
) -> None:
    save_dates(str(tmp_path), read(vault))
    data = bytearray((tmp_path / FILE).read_bytes())
    data[40] ^= 1
    (tmp_path / FILE).write_bytes(data)
    assert load_dates(str(tmp_path)) == GitDates()
