"""Procedural memory: notes of type preference or constraint that match a task.

A note matches if a concept that it mentions is named in the task, if the task has the words of one
of its tags or of its folder, or if its front matter says ``applies: always``.
"""

import re
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet

from clew.engine.snapshot import Snapshot
from clew.index.notes.facts import NoteFacts
from clew.index.notes.note_lists import kind_name
from clew.query.assemble.mentions import LeftOut, note_item
from clew.query.assemble.window import WindowItem
from clew.query.references.locate import Place
from clew.query.search.named import named_in
from clew.query.slices import PAUSE, Slices
from clew.query.successors import live_paths
from clew.text.markdown.frontmatter_split import split
from clew.text.terms import query_words

TYPES = ("preference", "constraint")
NOTES_MAX = 50  # in one window
CHARACTERS_MAX = 20_000  # of one note
TASK_CHARACTERS_MAX = 20_000  # beginning of a task with which tags and folders are compared
FRONT_CHARACTERS_MAX = 4_000
SOURCE = "procedural"
_ALWAYS = re.compile(
    r"^applies[ \t]*:[ \t]*[\"']?always[\"']?[ \t]*$", re.MULTILINE | re.IGNORECASE
)


def procedural_items(
    snapshot: Snapshot, paths: Collection[str], task: str, left_out: LeftOut
) -> Slices[list[WindowItem]]:
    """Return the notes at ``paths`` that match a task, without excluded lines.

    The most important come first. ``paths``: of notes with one of ``TYPES``.
    """
    words = " ".join(query_words(task[:TASK_CHARACTERS_MAX]))
    named = _paths_of_named(snapshot, task, paths)
    yield PAUSE
    matching: list[tuple[float, str]] = []
    for path in paths:
        facts = snapshot.facts.get(path)
        if facts is None:
            continue
        if path in named or _has_kind(words, path, facts) or _is_always(snapshot, path):
            matching.append((-facts.importance, path))
        yield PAUSE
    items = []
    for path in _live_first(snapshot, [path for _, path in sorted(matching)])[:NOTES_MAX]:
        if snapshot.note(path).chunks:  # front matter alone only says that the note applies
            place = Place(path)
            resolved = note_item(snapshot, path, place, SOURCE, left_out, CHARACTERS_MAX)
            if resolved.item is not None:
                items.append(resolved.item)
        yield PAUSE
    return items


def _live_first(snapshot: Snapshot, paths: Sequence[str]) -> list[str]:
    """Return ``paths`` in order; the live notes that replace a note come right before it."""
    ranked = dict[str, None]()
    for path in paths:
        ranked.update(dict.fromkeys((*live_paths(snapshot, path), path)))
    return list(ranked)


def _paths_of_named(snapshot: Snapshot, task: str, paths: Collection[str]) -> AbstractSet[str]:
    """Return the ``paths`` of notes that the task names, or that mention a concept it names."""
    matching: set[str] = set()
    for named in named_in(snapshot, task):
        matching.update(named.paths)
        concept_id = snapshot.graph.concept_id(named.concept) if named.concept else None
        if concept_id is not None:
            note_ids = set(snapshot.graph.notes_of(concept_id).tolist())
            matching.update(path for path in paths if snapshot.graph.note_id(path) in note_ids)
    return matching & set(paths)


def _has_kind(words: str, path: str, facts: NoteFacts) -> bool:
    """Return whether a task has the words of a tag of the note, or of a folder that it is in."""
    names = {part for tag in facts.tags for part in tag.split("/")} | set(path.split("/")[:-1])
    return any(name and f" {name} " in f" {words} " for name in map(_as_words, names))


def _as_words(name: str) -> str:
    return " ".join(query_words(kind_name(name)))


def _is_always(snapshot: Snapshot, path: str) -> bool:
    front = split(snapshot.note(path).text).frontmatter or ""
    return _ALWAYS.search(front[:FRONT_CHARACTERS_MAX]) is not None
