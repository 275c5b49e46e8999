"""Enter the notes of a batch into the indexes, with their links, and take those it drops out."""

from collections import Counter
from collections.abc import Set as AbstractSet

from clew.engine.applying.effects import Effects
from clew.engine.applying.links import relink, uses_of
from clew.engine.indexes import Indexes
from clew.index.names import NameIndex
from clew.values.note import LinkKind
from clew.values.vault import Batch, ReadNote


def enter_notes(
    indexes: Indexes,
    batch: Batch,
    names_before: NameIndex,
    kinds: AbstractSet[LinkKind],
    effects: Effects,
) -> None:
    """Enter the notes that a batch puts, and remove those that it drops.

    ``names_before``: the names before the batch, by which the old links of its notes were entered.
    Links of ``kinds`` name concepts.
    """
    for path in batch.dropped:
        _drop_note(indexes, path, names_before, kinds, effects)
    for read in batch.put:
        _put_note(indexes, read, names_before, kinds, effects)
    indexes.put_fields([read.note.path for read in batch.put])


def _drop_note(
    indexes: Indexes,
    path: str,
    names_before: NameIndex,
    kinds: AbstractSet[LinkKind],
    effects: Effects,
) -> None:
    note_id = indexes.graph.drop(path)
    if note_id is not None:
        links = indexes.entries[path].note.links
        uses_before = uses_of(links, path, names_before, kinds)
        relink(indexes, note_id, uses_before, Counter(), effects)
        indexes.mentions.set_mentioned(note_id, set())
        indexes.passages.drop(note_id)
        indexes.symbols.drop(note_id)
    indexes.drop_note(path)


def _put_note(
    indexes: Indexes,
    read: ReadNote,
    names_before: NameIndex,
    kinds: AbstractSet[LinkKind],
    effects: Effects,
) -> None:
    path, entry = read.note.path, indexes.entries.get(read.note.path)
    indexes.put_note(read)
    note_id = indexes.graph.add(path)
    links = entry.note.links if entry is not None else ()
    uses_before = uses_of(links, path, names_before, kinds)
    uses_after = uses_of(read.note.links, path, indexes.names, kinds)
    if relink(indexes, note_id, uses_before, uses_after, effects) or entry is None:
        effects.dirty_notes.add(path)
    effects.work += sum(len(file.entities) + len(file.calls) for file in read.code)
