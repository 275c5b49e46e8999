"""Mark which notes and files of a batch are private."""

from collections.abc import Callable

from clew.engine.indexes import Indexes
from clew.values.vault import Batch


def mark_private(indexes: Indexes, batch: Batch, is_private: Callable[[str], bool]) -> None:
    """Mark what a batch puts; ``is_private`` tells by a path what the config says of it."""
    for read in batch.put:
        path = read.note.path
        indexes.lists.set_private(path, is_private=read.note.fields.private or is_private(path))
    for path in batch.others_put:
        indexes.lists.set_private(path, is_private=is_private(path))
    for path in batch.others_dropped:
        if path not in indexes.facts:  # the path may have become a note
            indexes.lists.set_private(path, is_private=False)
