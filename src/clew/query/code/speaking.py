"""The notes that speak of an entity, or quote it in a fenced block.

The postings of its name say which notes can; their texts are read to see whether they do. So
nothing is stored for it, and the notes of a view are those of its own index.
"""

from typing import NamedTuple

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.code.code_index import Ref
from clew.query.code.meaning import entity_meant
from clew.query.context.shown.code import code_blocks
from clew.query.slices import PAUSE, Slices
from clew.text.markdown.code_names import code_names
from clew.text.terms import query_words
from clew.values.code.code_file import note_of

NOTES_READ_MAX = 500  # with the word of a name
TEXT_CHARACTERS_MAX = 200_000  # of a note


class Speaking(NamedTuple):
    """A note that speaks of an entity."""

    path: str
    line: int  # 1-based, of the first place
    text: str  # of this line


def notes_speaking_of(snapshot: Snapshot, ref: Ref) -> Slices[tuple[list[Speaking], bool]]:
    """Return the notes that speak of an entity, by path, and whether some were not read."""
    name = snapshot.code.entity(ref).name
    paths = _paths_with(snapshot, name)
    found = []
    for path in paths[:NOTES_READ_MAX]:
        yield PAUSE
        speaking = _speaking(snapshot, path, ref)
        if speaking is not None:
            found.append(speaking)
    return found, len(paths) > NOTES_READ_MAX


def _paths_with(snapshot: Snapshot, name: str) -> list[str]:
    """Return the notes that have a name as a word, by path."""
    words, keyword = query_words(name)[:1], snapshot.passages.keyword
    word_id = keyword.id_of(words[0]) if words else None
    if word_id is None:
        return []
    slots, _ = keyword.postings_of([word_id])
    note_ids = np.unique(snapshot.passages.slots.note_ids[slots])
    return sorted(map(snapshot.graph.path, note_ids[note_ids >= 0].tolist()))


def _speaking(snapshot: Snapshot, path: str, ref: Ref) -> Speaking | None:
    """Return the first line of a note that speaks of an entity; only lines with its name are read.

    The code of the note that defines it does not count.
    """
    index, text = snapshot.code, snapshot.note(path).text[:TEXT_CHARACTERS_MAX]
    entity = index.entity(ref)
    wanted, own = (ref[0], entity.qualified), note_of(ref[0]) == path
    at = text.find(entity.name)
    while at >= 0:
        start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        line = text[start : end if end >= 0 else len(text)]
        is_fenced = any(block.start <= start < block.end for block in code_blocks(text))
        for name in () if own and is_fenced else code_names(line, [(0, len(line))] * is_fenced):
            if entity.name in name.parts:
                meant = entity_meant(index, path, name.parts)
                if meant is not None and (meant[0], index.entity(meant).qualified) == wanted:
                    return Speaking(path, text.count("\n", 0, start) + 1, line)
        at = text.find(entity.name, end) if end >= 0 else -1
    return None
