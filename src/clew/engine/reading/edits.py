"""Find edited notes by their contents.

An edit before an indexer's first round was not seen: its only time is the file's, which may be that
of copying. If an earlier edit of the note was seen, its date is outdated now. Then the file's time
is the better guess for a note without another date.
"""

from collections.abc import Iterable, Mapping

from clew.engine.indexes import Indexes
from clew.index.formulas.note_dates import DateSource
from clew.index.notes.facts import NoteFacts
from clew.values.vault import ReadNote


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


def file_times_s(indexes: Indexes, paths: Iterable[str]) -> dict[str, float]:
    """Return the file times of those notes at ``paths`` that have no other date."""
    dates_by_path = {path: indexes.ages.get(indexes.graph.note_ids[path]).dates for path in paths}
    return {
        path: dates.changed_s
        for path, dates in dates_by_path.items()
        if dates.changed_from is DateSource.FILE
    }
