"""The filters of a search request, each for all notes at once."""

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.notes.note_fields import NoteFields
from clew.query.dates import Clock, asked_bounds
from clew.query.references.locate import locate_concept
from clew.text.concept import fold_tag
from clew.values.arrays import BoolArray
from clew.values.errors import InvalidParams
from clew.values.requests import Filters


def notes_in(snapshot: Snapshot, filters: Filters, clock: Clock) -> BoolArray:
    """Return which live notes pass the filters, by note id.

    A note is of the period between two dates if it was created or last changed in it.

    Raises:
        InvalidParams: a date cannot be parsed, or the folder leads out of the vault.
        Ambiguous: several notes have the name of a concept.
    """
    graph = snapshot.graph
    allowed = graph.is_live & with_fields(snapshot.fields, filters)
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


def with_fields(fields: NoteFields, filters: Filters) -> BoolArray:
    """Return which notes pass the filters by folder, type, tags, source and importance.

    Raises:
        InvalidParams: the folder leads out of the vault.
    """
    names = [name for name in (filters.folder or "").split("/") if name not in ("", ".")]
    if ".." in names:
        raise InvalidParams("a folder of the vault has no .. in its path", "filters.folder")
    passing = fields.in_folder("".join(f"{name}/" for name in names))
    if filters.type:
        passing &= fields.of_type(filters.type)
    for tag in filters.tags:
        passing &= fields.with_tag(fold_tag(tag))
    if filters.source:
        passing &= np.logical_or.reduce([fields.from_source(each) for each in filters.source])
    if filters.min_importance is not None:
        passing &= fields.with_importance(filters.min_importance)
    return passing
