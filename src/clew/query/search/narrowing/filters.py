"""The filters of a search request: conditions on all notes at once, and on each note."""

import numpy as np
from msgspec.structs import replace

from clew.engine.snapshot import Snapshot
from clew.index.facts import NoteFacts
from clew.query.dates import Clock, asked_bounds
from clew.query.notes.references import locate_concept
from clew.query.search.narrowing.operators import NoteAsked, has_tags, normalized_tag
from clew.values.arrays import BoolArray
from clew.values.errors import InvalidParams
from clew.values.requests import Filters


def notes_in(snapshot: Snapshot, filters: Filters, clock: Clock) -> BoolArray:
    """Return which live notes pass the filters by date and by concept, by note id.

    A note is of the period between two dates if it was created or last changed in it.

    Raises:
        InvalidParams: a date cannot be parsed.
        Ambiguous: several notes have the name of a concept.
    """
    graph = snapshot.graph
    allowed = graph.is_live.copy()
    for entity in filters.entity:
        allowed &= _mentions(snapshot, entity)
    if filters.since is None and filters.until is None:
        return allowed
    bounds = asked_bounds(filters.since, filters.until, "filters.", clock)
    allowed &= snapshot.ages.latest_s(np.arange(graph.note_slots), bounds) > -np.inf
    return allowed


def _mentions(snapshot: Snapshot, entity: str) -> BoolArray:
    """Return which notes mention the concept that ``entity`` names, by note id."""
    graph = snapshot.graph
    concept = locate_concept(snapshot, entity)
    concept_id = graph.concept_id(concept) if concept is not None else None
    mentions = np.zeros(graph.note_slots, np.bool_)
    if concept_id is not None:
        mentions[graph.notes_of(concept_id)] = True
    return mentions


def has_note_filter(filters: Filters) -> bool:
    """Return whether there is a filter that ``NoteFilter`` applies."""
    return bool(filters.type or filters.tags or filters.folder is not None or filters.source) or (
        filters.min_importance is not None
    )


class NoteFilter:
    """The filters that need a note's fields or path, normalized once for all notes."""

    def __init__(self, filters: Filters) -> None:
        """Normalize ``filters``.

        Raises:
            InvalidParams: the folder leads out of the vault.
        """
        self._type = filters.type.casefold() if filters.type else None
        self._tags = list(map(normalized_tag, filters.tags))
        names = [name for name in (filters.folder or "").split("/") if name not in ("", ".")]
        if ".." in names:
            raise InvalidParams("a folder of the vault has no .. in its path", "filters.folder")
        self._folder = "".join(f"{name}/" for name in names)
        self._importance = filters.min_importance
        self._sources = [source.casefold().rstrip("/") for source in filters.source]
        self._needs_facts = has_note_filter(replace(filters, folder=None))

    def passes(self, note: NoteAsked) -> bool:
        """Return whether a note passes."""
        return note.path.startswith(self._folder) and (
            not self._needs_facts or self._passes(note.path, note.facts)
        )

    def _passes(self, path: str, facts: NoteFacts) -> bool:
        if self._type is not None and facts.type.casefold() != self._type:
            return False
        if self._importance is not None and facts.importance < self._importance:
            return False
        if self._sources and not any(_is_from(path, facts, each) for each in self._sources):
            return False
        return has_tags(facts, self._tags)


def _is_from(path: str, facts: NoteFacts, source: str) -> bool:
    """Return whether ``source`` is the one in a note's front matter, or one of its folders."""
    stated = (facts.source or "").casefold().rstrip("/")
    folder = source.lstrip("/")
    return bool(source) and (stated == source or path.casefold().startswith(f"{folder}/"))
