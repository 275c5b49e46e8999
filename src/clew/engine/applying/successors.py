"""Keep the successors of notes up to date while a batch is applied."""

from collections.abc import Iterable
from functools import partial

from clew.engine.applying.effects import Effects
from clew.engine.indexes import Indexes
from clew.index.names import NameIndex
from clew.index.successors.successor_index import Statement
from clew.text.concept import normalize
from clew.text.filename import without_extension
from clew.values.vault import ReadNote


def settle_successors(indexes: Indexes, changed: Iterable[str], effects: Effects) -> None:
    """Enter the statements of changed notes; resolve again all links that may lead elsewhere."""
    index, unsettled = indexes.successors, set[str]()
    for path in changed:
        statement = _statement(indexes.entries.get(path))
        index.put(path, statement, NameIndex.keys_of_target)
        if statement is not None:
            unsettled.add(path)
    unsettled |= index.holders_of(effects.changed_keys)
    for path in unsettled:
        index.settle(path, partial(_note_meant, indexes, path))
    effects.work += len(unsettled)


def _statement(read: ReadNote | None) -> Statement | None:
    if read is None or not (read.note.fields.superseded_by or read.note.fields.supersedes):
        return None
    return Statement(read.note.fields.superseded_by, read.note.fields.supersedes)


def _note_meant(indexes: Indexes, source_path: str, target: str) -> str | None:
    """Return the note that a link leads to, else the only one with its text as an alias."""
    names = indexes.names
    path = names.resolve(names.seen_from(target, source_path))
    if path is None and names.naming.aliases:
        path = names.note_of_alias(normalize(without_extension(target)))
    return path if path is not None and path in indexes.entries else None
