"""Parse the output of ``git ls-tree`` and ``git log`` into dates of notes, in bounded memory.

Only notes that are at HEAD are kept, so memory is bounded by their number, however long the
history is. The dates are the earliest and the latest author date of the commits that changed a
path, so they do not depend on the order in which git lists the commits.
"""

import os
import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from clew.surface.indexer.git.commands import GitFailed
from clew.text.filename import NOTE_EXTENSIONS, extension_of
from clew.vault.ignore import is_hidden

NOTES_MAX = 200_000
ITEM_BYTES_MAX = 64 * 1024  # of a path, or of the metadata before it
AUTHORED_S_MAX = 7_258_118_400  # the year 2200, as for dates from other sources

_COMMIT = re.compile(rb"([0-9a-f]{40}|[0-9a-f]{64}) (-?[0-9]{1,19})")
_REGULAR_FILES = (b"100644", b"100755", b"100664")
COMMIT_FORMAT = "--format=%H %at"


class AuthorDates(NamedTuple):
    """The author dates of the commits that changed one path; POSIX seconds."""

    first_s: float
    last_s: float
    has_addition: bool  # whether one of these commits added the file

    def with_date(self, at_s: float, *, is_addition: bool) -> "AuthorDates":
        """Return the dates extended by the date of one more commit."""
        added = self.has_addition or is_addition
        return AuthorDates(min(self.first_s, at_s), max(self.last_s, at_s), added)


def items(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Split output at its zero bytes.

    Raises:
        GitFailed: an item is too long.
    """
    unfinished = b""
    for piece in pieces:
        *complete, unfinished = (unfinished + piece).split(b"\0")
        yield from complete
        if len(unfinished) > ITEM_BYTES_MAX:
            raise GitFailed("git wrote a longer path than any file has")
    if unfinished:
        yield unfinished


def blobs_of_notes(tree: Iterable[bytes], prefix: str) -> dict[str, str]:
    """Return the blob of each note below ``prefix``, by relative path, from ``ls-tree -r -z``.

    Raises:
        GitFailed: there are too many notes, or the output is malformed.
    """
    blobs: dict[str, str] = {}
    for item in items(tree):
        head, _, name = item.partition(b"\t")
        try:
            mode, _, blob = head.split(b" ")
        except ValueError as error:
            raise GitFailed("git listed its tree in an unknown form") from error
        path = os.fsdecode(name)
        if mode in _REGULAR_FILES and path.startswith(prefix) and _may_be_note(path[len(prefix) :]):
            blobs[path[len(prefix) :]] = blob.decode("ascii", "replace")
        if len(blobs) > NOTES_MAX:
            raise GitFailed(f"more than {NOTES_MAX} notes are in git")
    return blobs


def dates_by_path(
    log: Iterable[bytes], prefix: str, paths: Collection[str], shallow: Collection[bytes] = ()
) -> dict[str, AuthorDates]:
    """Return the dates of the commits that changed each of ``paths``, from ``log -z --raw``.

    ``shallow``: commits without their parents. Each seems to add all files, so it gives no date.

    Raises:
        GitFailed: the output is malformed.
    """
    dates: dict[str, AuthorDates] = {}
    at_s: float | None = None
    changes = items(log)
    for item in changes:
        if not (status := item.removeprefix(b"\n")).startswith(b":"):
            at_s = _date_of_commit(item, shallow)
            continue
        name = os.fsdecode(next(changes, b""))
        path = name[len(prefix) :]
        if at_s is not None and path in paths and name.startswith(prefix):
            earlier_dates = dates.get(path) or AuthorDates(at_s, at_s, has_addition=False)
            dates[path] = earlier_dates.with_date(at_s, is_addition=status.endswith(b"A"))
    return dates


def _date_of_commit(item: bytes, shallow: Collection[bytes]) -> float | None:
    """Return the author date of a commit, ``None`` if it is out of range or the commit shallow."""
    commit = _COMMIT.fullmatch(item.strip(b"\n"))
    if commit is None:
        raise GitFailed("git listed its commits in an unknown form")
    at_s = int(commit[2])
    is_date = 0 < at_s < AUTHORED_S_MAX and commit[1] not in shallow
    return float(at_s) if is_date else None


def _may_be_note(path: str) -> bool:
    return extension_of(path) in NOTE_EXTENSIONS and not any(map(is_hidden, path.split("/")))
