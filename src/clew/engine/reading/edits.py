"""Which notes were edited."""

from collections.abc import Iterable, Mapping

from clew.index.facts import NoteFacts
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
