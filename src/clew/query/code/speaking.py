"""The notes that speak of an entity, or quote it in a fenced block.

The postings of its name say which notes can; their texts are read to see whether they do. So
nothing is stored for it, and the notes of a view are those of its own index.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.code.code_index import Ref
from clew.query.code.meaning import entity_meant
from clew.query.context.shown.code import code_blocks
from clew.query.slices import PAUSE, Slices
from clew.text.markdown.code_names import CodeName, code_names
from clew.text.terms import query_words
from clew.values.code.code_file import note_of
from clew.values.note import Note

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
    index, note = snapshot.code, snapshot.note(path)
    entity = index.entity(ref)
    wanted = ref[0], entity.qualified
    own = note_of(ref[0])
    for name in names_in(note):
        if entity.name not in name.parts or (own == path and _is_fenced(note, name.start)):
            continue
        meant = entity_meant(index, path, name.parts)
        if meant is not None and (meant[0], index.entity(meant).qualified) == wanted:
            line = note.text.count("\n", 0, name.start)
            return Speaking(path, line + 1, note.text.split("\n")[line])
    return None


def names_in(note: Note) -> Sequence[CodeName]:
    """Return the names of code in a note, in the order of its text."""
    return _names_in(note.text[:TEXT_CHARACTERS_MAX])


@lru_cache(maxsize=8)
def _names_in(text: str) -> Sequence[CodeName]:
    return tuple(code_names(text, [(block.start, block.end) for block in code_blocks(text)]))


def _is_fenced(note: Note, at: int) -> bool:
    return any(block.start <= at < block.end for block in code_blocks(note.text))
