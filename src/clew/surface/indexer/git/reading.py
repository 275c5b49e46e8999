"""Read the commit dates of the notes of a vault from git.

If HEAD descends from the commit of the last run, only the commits since then are read.
The result is the same as that of reading everything: the dates are the earliest and the latest of a
set of commits, and a path that was not at the earlier commit is looked up in the whole history.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping

from clew.surface.indexer.git.commands import Git, GitFailed
from clew.surface.indexer.git.history import (
    COMMIT_FORMAT,
    AuthorDates,
    blobs_of_notes,
    dates_by_path,
    items,
)
from clew.surface.indexer.git.job import GitDates, GitJob, TrackedNote
from clew.surface.indexer.git.repository import (
    NotAsked,
    Repository,
    find_repository,
    shallow_commits,
)
from clew.vault.blob import hash_if_same

SINGLE_PATHS_MAX = 200  # if there are more new paths, the whole history is read again
SHALLOW = "the repository is shallow: dates of older commits are missing"

_COMMIT_ID = re.compile(rb"[0-9a-f]{40}|[0-9a-f]{64}")


def read_dates(job: GitJob, earlier: GitDates) -> GitDates:
    """Return the notes at HEAD with their dates; ``earlier`` is the result of the last run."""
    try:
        repository = find_repository(job.root)
        if repository is None:
            return GitDates()
        return _read(job, repository, earlier)
    except (NotAsked, GitFailed) as error:
        return GitDates(remark=str(error), is_read=False)


def _read(job: GitJob, repository: Repository, earlier: GitDates) -> GitDates:
    git, shallow = Git(repository.top), shallow_commits(repository)
    scope = _scope(repository, shallow)
    if earlier.scope != scope:
        earlier = GitDates()
    head = _single_commit(git.log("-1", "--format=%H"))
    if head is None:
        raise GitFailed("there is no commit yet")
    prefix = repository.prefix
    tree = git.ls_tree("-r", head, *(("--", prefix) if prefix else ()))
    blobs = blobs_of_notes(tree, prefix)
    if head == earlier.head:
        dates = _dates_of(earlier)
    elif not shallow and _is_ancestor(git, earlier.head, head):
        dates = _later_dates(git, prefix, earlier, head, blobs)
    else:
        dates = _all_dates(git, prefix, head, blobs, shallow)
    notes = _notes(job, blobs, dates, earlier, is_shallow=bool(shallow))
    return GitDates(head, scope, notes, SHALLOW if shallow else None)


def _later_dates(
    git: Git, prefix: str, earlier: GitDates, head: str, blobs: Mapping[str, str]
) -> dict[str, AuthorDates]:
    """Return the dates at ``head``, a descendant of the commit of the last run."""
    dates = _dates_of(earlier)
    new_paths = blobs.keys() - {note.path for note in earlier.notes}
    if len(new_paths) > SINGLE_PATHS_MAX:
        return _all_dates(git, prefix, head, blobs, ())
    commits = _log(git, f"{earlier.head}..{head}", [prefix] if prefix else [])
    for path, later in dates_by_path(commits, prefix, blobs).items():
        before = dates.get(path, later)
        first_s, last_s = min(before.first_s, later.first_s), max(before.last_s, later.last_s)
        dates[path] = AuthorDates(first_s, last_s, has_addition=True)
    if new_paths:
        commits = _log(git, head, [prefix + path for path in sorted(new_paths)])
        dates.update(dates_by_path(commits, prefix, new_paths))
    return dates


def _all_dates(
    git: Git,
    prefix: str,
    head: str,
    blobs: Mapping[str, str],
    shallow: frozenset[bytes] | tuple[()],
) -> dict[str, AuthorDates]:
    commits = _log(git, head, [prefix] if prefix else [])
    return dates_by_path(commits, prefix, blobs.keys(), shallow)


def _log(git: Git, commits: str, paths: Iterable[str]) -> Iterable[bytes]:
    """Return the output of ``git log`` on all commits that changed one of ``paths``."""
    words = ("--raw", "--no-abbrev", "--full-history", COMMIT_FORMAT, commits, "--", *paths)
    return git.log(*words)


def _is_ancestor(git: Git, earlier: str, head: str) -> bool:
    """Return whether the commit ``earlier`` is an ancestor of ``head``."""
    if not earlier:
        return False
    try:
        return _single_commit(git.log("-1", "--format=%H", f"{head}..{earlier}")) is None
    except GitFailed:
        return False  # git may have removed the earlier commit since


def _single_commit(log: Iterable[bytes]) -> str | None:
    """Return the commit id in the output of ``log -1``, ``None`` if that is empty."""
    commits = list(items(log))
    if not commits:
        return None
    commit = commits[0].strip(b"\n")
    if len(commits) > 1 or not _COMMIT_ID.fullmatch(commit):
        raise GitFailed("git named its commit in an unknown form")
    return commit.decode()


def _dates_of(earlier: GitDates) -> dict[str, AuthorDates]:
    return {
        note.path: AuthorDates(
            note.last_s if note.first_s is None else note.first_s,
            note.last_s,
            has_addition=note.first_s is not None,
        )
        for note in earlier.notes
        if note.last_s is not None
    }


def _notes(
    job: GitJob,
    blobs: Mapping[str, str],
    dates: Mapping[str, AuthorDates],
    earlier: GitDates,
    *,
    is_shallow: bool,
) -> tuple[TrackedNote, ...]:
    hashes = {(note.path, note.blob): note.content_hash for note in earlier.notes}
    notes = []
    for path, blob in sorted(blobs.items()):
        author_dates = dates.get(path)
        content_hash = hashes.get((path, blob)) or hash_if_same(
            job.root, path, blob, job.note_bytes_max
        )
        # The first commits of a shallow history may be later than the one that added the file.
        is_first_known = author_dates is not None and (author_dates.has_addition or not is_shallow)
        first_s = author_dates.first_s if author_dates is not None and is_first_known else None
        last_s = author_dates.last_s if author_dates is not None else None
        notes.append(TrackedNote(path, blob, first_s, last_s, content_hash))
    return tuple(notes)


def _scope(repository: Repository, shallow: frozenset[bytes]) -> str:
    facts = repr((repository, sorted(shallow)))
    return hashlib.sha256(facts.encode("utf-8", "surrogatepass")).hexdigest()
