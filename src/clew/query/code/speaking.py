"""The notes that speak of an entity, or quote it in a fenced block, and those that name its file.

The postings of its name say which notes can; their texts are read to see whether they do. So
nothing is stored for it, and the notes of a view are those of its own index.
"""

import re
from typing import NamedTuple

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.code.code_index import CodeIndex, Ref
from clew.query.code.meaning import entity_meant
from clew.query.context.shown.code import code_blocks
from clew.query.slices import PAUSE, Slices
from clew.text.markdown.code_names import code_names
from clew.text.terms import query_words
from clew.values.code.code_file import MODULE, note_of

NOTES_READ_MAX = 500  # with the word of a name
TEXT_CHARACTERS_MAX = 200_000  # of a note
_FOLDERS_BEFORE = re.compile(r"(?:[\w.-]{1,100}/){0,30}\Z")
PATH_CHARACTERS_MAX = 300  # before the name of a file


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


# -- files ----------------------------------------------------------------------------------------


def notes_naming_file(snapshot: Snapshot, path: str) -> Slices[list[Speaking]]:
    """Return the notes that name a file of code, by path.

    They name it by its path, or an end of it that no other file has, such as ``auth/service.py``.
    """
    if note_of(path) is not None:
        return []
    index, found = snapshot.code, []
    for note in _paths_with(snapshot, index.entity((path, MODULE)).name)[:NOTES_READ_MAX]:
        yield PAUSE
        speaking = _naming(index, note, snapshot.note(note).text[:TEXT_CHARACTERS_MAX], path)
        if speaking is not None:
            found.append(speaking)
    return found


def _naming(index: CodeIndex, note: str, text: str, path: str) -> Speaking | None:
    """Return the first line of a note's text that names the file of code at ``path``."""
    name = path.rpartition("/")[2]
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        folders = _FOLDERS_BEFORE.search(text, max(0, at - PATH_CHARACTERS_MAX), at)
        start = folders.start() if folders is not None else at
        is_whole = not (_is_of_name(text[start - 1 : start]) or _is_of_name(text[end : end + 1]))
        if is_whole and _is_meant(index, text[start:end].removeprefix("./"), path):
            start, line_end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            line = text[start : line_end if line_end >= 0 else len(text)]
            return Speaking(note, text.count("\n", 0, start) + 1, line)
        at = text.find(name, end)
    return None


def _is_of_name(character: str) -> bool:
    return character.isalnum() or character in ("_", "-")


def _is_meant(index: CodeIndex, named: str, path: str) -> bool:
    """Return whether ``path`` is the only file whose path ends with ``named``."""
    alike = index.paths_with_entities((index.entity((path, MODULE)).name,))
    ending = [each for each in alike if f"/{each}".endswith(f"/{named}")]
    return ending == [path]
