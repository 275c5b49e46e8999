"""Find edited notes by their contents.

An edit before an indexer's first round was not seen: its only time is the file's, which may be that
of copying. If an earlier edit of the note was seen, its date is outdated now. Then the file's time
is the better guess for a note without another date.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import TypedDict

from clew.engine.indexes import Indexes
from clew.index.formulas.note_dates import DateSource
from clew.index.notes.facts import NoteFacts
from clew.values.vault import ReadNote, Stamp


def edited_paths(facts: Mapping[str, NoteFacts], reads: Iterable[ReadNote]) -> list[str]:
    """Return the notes of ``reads`` whose content differs from the indexed one, in ``facts``.

    Notes whose bytes were not read, before or now, are left out: they have no hash.
    """
    hashes = ((read.note.path, read.note.content_hash) for read in reads)
    return [
        path
        for path, content_hash in hashes
        if path in facts and "" != facts[path].content_hash != content_hash != ""
    ]


def takes_stamp(indexed: Stamp | None, stamp: Stamp, *, at_start: bool) -> bool:
    """Return whether to index a file with its new stamp.

    ``indexed`` is the stamp of the same content, ``None`` if another content is indexed. A start
    reads all files whose stamps differ. So it takes the stamps of a vault that was restored from a
    backup or got other permissions; else each later start would read all of it again. Inodes alone
    do not count, as some file systems renumber files when they are mounted.
    """
    if indexed is None or indexed.modified_at_ns != stamp.modified_at_ns:
        return True
    return at_start and indexed.changed_at_ns != stamp.changed_at_ns


class EditTimes(TypedDict):
    """Times of edits by path, as steps and results of a round of reading have them."""

    edits_s: dict[str, float]
    missed_s: dict[str, float]


def edit_times(
    indexes: Indexes, edited: Iterable[str], left_out: AbstractSet[str], seen_s: float | None
) -> EditTimes:
    """Return the times of edits, except of those notes that are ``left_out``.

    ``seen_s``: when the edits were seen; ``None`` if they were made before the first round.
    """
    paths = [path for path in edited if path not in left_out]
    if seen_s is None:
        return EditTimes(edits_s={}, missed_s=file_times_s(indexes, paths))
    return EditTimes(edits_s=dict.fromkeys(paths, seen_s), missed_s={})


def file_times_s(indexes: Indexes, paths: Iterable[str]) -> dict[str, float]:
    """Return the file times of those notes at ``paths`` that have no other date."""
    dates_by_path = {path: indexes.ages.get(indexes.graph.note_ids[path]).dates for path in paths}
    return {
        path: dates.changed_s
        for path, dates in dates_by_path.items()
        if dates.changed_from is DateSource.FILE
    }
