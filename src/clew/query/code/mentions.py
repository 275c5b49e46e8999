"""The notes that mention an entity of code, its file or its folder, in text or in fenced blocks.

The postings of its name give the candidates, whose texts are read to see whether they mention it.
So nothing is stored, and an index without private notes finds none of them.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.code.code_index import Ref
from clew.query.code.name_resolution import resolve_in_note
from clew.query.slices import PAUSE, Slices
from clew.text.markdown.code_names import code_names
from clew.text.regions.fenced_code import fence_at
from clew.text.terms import query_words
from clew.values.code.code_file import MODULE, note_of

NOTES_READ_MAX = 500  # candidates: notes with the first word of a name
TEXT_CHARACTERS_MAX = 200_000  # of a note
_FOLDERS_BACKWARDS = re.compile(r"(?:/[\w.-]{1,100}+){0,30}+")  # matches any text
PATH_CHARACTERS_MAX = 300  # before the name of a file


class Mention(NamedTuple):
    """A note that mentions an entity of code, its file or its folder."""

    path: str
    line: int  # 1-based, of the first place
    text: str  # of this line


def mentions_of_entity(snapshot: Snapshot, ref: Ref) -> Slices[tuple[list[Mention], bool]]:
    """Return the notes that mention an entity, by path, and whether some were not read."""
    name = snapshot.code.entity(ref).name
    paths = _paths_with(snapshot, name)
    mentions = []
    for path in paths[:NOTES_READ_MAX]:
        yield PAUSE
        mention = _mention(snapshot, path, ref)
        if mention is not None:
            mentions.append(mention)
    return mentions, len(paths) > NOTES_READ_MAX


def _paths_with(snapshot: Snapshot, name: str) -> list[str]:
    """Return the notes that have a name as a word, by path."""
    words, keyword = query_words(name)[:1], snapshot.passages.keyword
    word_id = keyword.id_of(words[0]) if words else None
    if word_id is None:
        return []
    slots, _ = keyword.postings_of([word_id])
    note_ids = np.unique(snapshot.passages.slots.note_ids[slots])
    return sorted(map(snapshot.graph.path, note_ids[note_ids >= 0].tolist()))


def _mention(snapshot: Snapshot, path: str, ref: Ref) -> Mention | None:
    """Return the first line of a note that mentions an entity; only lines with its name are read.

    Fenced code does not count in the note that defines the entity.
    """
    index, text = snapshot.code, snapshot.note(path).text[:TEXT_CHARACTERS_MAX]
    entity = index.entity(ref)
    wanted, is_defined_here = (ref[0], entity.qualified), note_of(ref[0]) == path
    at = text.find(entity.name)
    while at >= 0:
        start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        line = text[start : end if end >= 0 else len(text)]
        is_fenced = bool(fence_at(text, at))
        for parts in (
            () if is_defined_here and is_fenced else code_names(line, [(0, len(line))] * is_fenced)
        ):
            if entity.name in parts:
                resolved = resolve_in_note(index, path, parts)
                if resolved and (resolved[0], index.entity(resolved).qualified) == wanted:
                    return Mention(path, text.count("\n", 0, start) + 1, line)
        at = text.find(entity.name, end) if end >= 0 else -1
    return None


# -- files ----------------------------------------------------------------------------------------


def mentions_of_file(snapshot: Snapshot, path: str) -> Slices[list[Mention]]:
    """Return the notes that name a file of code, by path.

    They name it by its path, or an end of it that no other file has, such as ``auth/service.py``.
    """
    if note_of(path) is not None:
        return []
    name = snapshot.code.entity((path, MODULE)).name
    others = [each for each in snapshot.code.paths_with_entities((name,)) if each != path]
    return (yield from _path_mentions(snapshot, name, path, others))


def mentions_of_folder(snapshot: Snapshot, path: str) -> Slices[list[Mention]]:
    """Return the notes that name the folder of a file of code, by path.

    A name has a slash after it (``app/auth/``, ``auth/``), and must not be the end of the path of
    another folder of code.
    """
    folder = path.rpartition("/")[0]
    if note_of(path) is not None or "/" not in folder:
        return []
    folders = {each.rpartition("/")[0] for each in snapshot.code.files if note_of(each) is None}
    yield PAUSE
    others = [f"{each}/" for each in folders if each != folder]
    name = folder.rpartition("/")[2]
    return (yield from _path_mentions(snapshot, name, f"{folder}/", others))


def _path_mentions(
    snapshot: Snapshot, word: str, path: str, others: Iterable[str]
) -> Slices[list[Mention]]:
    """Return the notes with ``word`` that name ``path``, and none of the other paths, by path."""
    mentions = []
    for note in _paths_with(snapshot, word)[:NOTES_READ_MAX]:
        yield PAUSE
        mention = _path_mention(note, snapshot.note(note).text[:TEXT_CHARACTERS_MAX], path, others)
        if mention is not None:
            mentions.append(mention)
    return mentions


def _path_mention(note: str, text: str, path: str, others: Iterable[str]) -> Mention | None:
    """Return the first line of a note's text that names ``path``, and none of the other paths.

    A path that ends with a slash is that of a folder.
    """
    name = re.split(r"/(?=.)", path)[-1]
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        folders = _FOLDERS_BACKWARDS.match(text[max(0, at - PATH_CHARACTERS_MAX) : at][::-1])
        start = at - (folders.end() if folders is not None else 0)
        is_whole = not (
            _is_name_character(text[start - 1 : start]) or _is_name_character(text[end : end + 1])
        )
        named = text[start:end].removeprefix("./")
        if is_whole and _ends(path, named) and not any(_ends(each, named) for each in others):
            start, line_end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            line = text[start : line_end if line_end >= 0 else len(text)]
            return Mention(note, text.count("\n", 0, start) + 1, line)
        at = text.find(name, end)
    return None


def _is_name_character(character: str) -> bool:
    return character.isalnum() or character in ("_", "-")


def _ends(path: str, named: str) -> bool:
    return f"/{path}".endswith(f"/{named}")
