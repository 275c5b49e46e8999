"""Which notes were edited, as far as contents tell.

An edit before an indexer's first round has no time but the file's, which may be that of a copy, so
it is no edit seen. But it must not leave a note at the date of an earlier edit, if one was seen:
then the file's time is the better guess, where the note has no other date.
"""

from collections.abc import Iterable, Mapping

from clew.engine.indexes import Indexes
from clew.index.formulas.note_dates import DateSource
from clew.index.notes.facts import NoteFacts
from clew.values.vault import ReadNote


def edited_paths(facts: Mapping[str, NoteFacts], reads: Iterable[ReadNote]) -> list[str]:
    """Return the indexed notes whose content changed; ``facts`` are those before ``reads``.

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
