"""Enter the names of a batch, and settle which concept each note is that they may rename.

The names are those of its notes, and of files to which links may lead.
"""

from clew.engine.applying.effects import Effects
from clew.engine.applying.links import TARGET_WORK
from clew.engine.indexes import Indexes
from clew.index.names import NameIndex
from clew.values.vault import Batch


def enter_names(names: NameIndex, batch: Batch, effects: Effects) -> None:
    """Enter the names of all that a batch puts, and remove those of what it drops."""
    for path in batch.dropped:
        effects.renamed_notes |= names.notes_sharing_stem(path)
        effects.renamed_notes.add(path)
        effects.changed_keys |= names.drop(path)
    for read in batch.put:
        if changed_keys := names.put(read.note.path, read.note.fields.aliases):
            effects.changed_keys |= changed_keys
            effects.renamed_notes |= names.notes_sharing_stem(read.note.path)
    for path in batch.others_put:
        effects.changed_keys |= names.put_file(path)
    for path in batch.others_dropped:
        effects.changed_keys |= names.drop_file(path)
    effects.work += TARGET_WORK * (len(batch.others_put) + len(batch.others_dropped))


def settle_concepts_of_notes(indexes: Indexes, effects: Effects) -> None:
    """Determine again which concept each renamed note is."""
    for path in effects.renamed_notes:
        concept = None
        if indexes.names.naming.titles and path in indexes.entries:
            concept = indexes.names.concept_of_note(path)
        if concept == indexes.concept_by_path.get(path):
            continue
        indexes.set_concept_of_note(path, concept)
        effects.other_concepts.add(path)
        if path in indexes.entries:
            effects.dirty_notes.add(path)
