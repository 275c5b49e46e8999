"""The filters of a search request as one mask over all notes."""

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.facts import NoteFacts
from clew.query.dates import moment
from clew.values.arrays import BoolArray
from clew.values.errors import InvalidParams
from clew.values.requests import Filters


def allowed_notes(snapshot: Snapshot, filters: Filters | None) -> BoolArray | None:
    """Return which notes pass all of ``filters``, by note id; ``None`` if there are no filters.

    Raises:
        InvalidParams: a date cannot be parsed, or a folder leads out of the vault.
    """
    if filters is None or filters == Filters():
        return None
    graph = snapshot.graph
    allowed = graph.is_live.copy()
    for entity in filters.entity:
        allowed &= _mentions(snapshot, entity)
    changed_s = snapshot.ages.changed_s(np.arange(graph.note_slots, dtype=np.int32))
    if filters.since is not None:
        allowed &= changed_s >= moment(filters.since, "filters.since")
    if filters.until is not None:
        allowed &= changed_s < moment(filters.until, "filters.until")
    if _has_note_filter(filters):
        note_filter = _NoteFilter(filters)
        for note_id in np.flatnonzero(allowed).tolist():
            allowed[note_id] = note_filter.passes(path := graph.path(note_id), snapshot.facts[path])
    return allowed


def _mentions(snapshot: Snapshot, entity: str) -> BoolArray:
    """Return which notes mention the concept that ``entity`` names, by note id."""
    graph = snapshot.graph
    concept = snapshot.concept_named(entity)
    concept_id = graph.concept_id(concept) if concept is not None else None
    mentions = np.zeros(graph.note_slots, np.bool_)
    if concept_id is not None:
        mentions[graph.notes_of(concept_id)] = True
    return mentions


def _has_note_filter(filters: Filters) -> bool:
    return bool(filters.type or filters.tags or filters.folder is not None or filters.source) or (
        filters.min_importance is not None
    )


class _NoteFilter:
    """The filters that need a note's fields or path, normalized once for all notes."""

    def __init__(self, filters: Filters) -> None:
        self._type = filters.type.casefold() if filters.type else None
        self._tags = [tag.lstrip("#").strip("/").lower() for tag in filters.tags]
        names = [name for name in (filters.folder or "").split("/") if name not in ("", ".")]
        if ".." in names:
            raise InvalidParams("a folder of the vault has no .. in its path", "filters.folder")
        self._folder = "".join(f"{name}/" for name in names)
        self._importance = filters.min_importance
        self._sources = [source.casefold().rstrip("/") for source in filters.source]

    def passes(self, path: str, facts: NoteFacts) -> bool:
        if not path.startswith(self._folder):
            return False
        if self._type is not None and facts.type.casefold() != self._type:
            return False
        if self._importance is not None and facts.importance < self._importance:
            return False
        if self._sources and not any(_is_from(path, facts, each) for each in self._sources):
            return False
        return all(
            any(tag == wanted or tag.startswith(f"{wanted}/") for tag in facts.tags)
            for wanted in self._tags
        )


def _is_from(path: str, facts: NoteFacts, source: str) -> bool:
    """Return whether ``source`` is the one in a note's front matter, or one of its folders."""
    stated = (facts.source or "").casefold().rstrip("/")
    folder = source.lstrip("/")
    return bool(source) and (stated == source or path.casefold().startswith(f"{folder}/"))
