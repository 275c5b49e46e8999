"""Enter the names of a batch: those of its notes, and of files to which links may lead."""

from clew.engine.applying.effects import Effects
from clew.engine.applying.links import TARGET_WORK
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
