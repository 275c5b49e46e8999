"""Insights of the concept graph: concepts that a query names, and paths between them.

The work is bounded: ``CONCEPTS_MAX`` concepts, and paths of few steps between the first of them.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import Final

import numpy as np
from msgspec import Struct

from clew.engine.snapshot import Snapshot
from clew.query.graph.expand import strongest
from clew.query.graph.two_steps import concept_between
from clew.query.quoting.note_text import one_line
from clew.query.search.named import named_in
from clew.query.slices import PAUSE, Slices
from clew.text.concept import spoken_form
from clew.text.masking.secrets import masked
from clew.text.uri import to_concept_uri, to_uri
from clew.values.arrays import Int32Array

CONCEPT = "CONCEPT"  # the type of a concept whose notes have no configured type
NO_TYPES: Final[Mapping[str, str]] = {}
CONCEPTS_MAX = 5
RELATIONS_MAX = 6
NOTES_MAX = 3
CENTRAL_MAX = 3
JOINED_MAX = 3  # concepts between which paths are looked for
PATH_RELEVANCE = 0.8  # of the relevance of its better end


class Relation(Struct, frozen=True, gc=False):
    """A concept that shares notes with another, and the newest note that mentions both."""

    name: str
    count: int  # notes that mention both
    uri: str


class Insight(Struct, frozen=True, eq=False, gc=False):
    """What the graph says of a concept, or how one concept leads to another."""

    entity: str  # ``concept://name``; of a path, those of its ends
    title: str
    relations: tuple[Relation, ...]  # of a path: its steps, each named by where it leads
    community: tuple[str, ...]  # names of its most central concepts
    community_ids: tuple[int, ...]
    central_uris: tuple[str, ...]  # notes of these concepts
    uris: tuple[str, ...]  # newest notes that mention the concept
    mention_count: int
    relation_count: int
    is_path: bool
    relevance: float  # 0..1
    note_ids: Int32Array  # of the notes whose weight it depends on
    entity_type: str = CONCEPT  # by the type of the note that the concept names


def insights(
    snapshot: Snapshot, query: str, now_s: float, entity_types: Mapping[str, str] = NO_TYPES
) -> Slices[list[Insight]]:
    """Return the concepts that a query names, rarest first, and the paths between them.

    ``entity_types``: the type of a concept by the type of the note that it names.
    """
    found: list[Insight] = []
    graph = snapshot.graph
    ids: list[int] = []
    for named in named_in(snapshot, query):
        concept_id = graph.concept_id(named.concept) if named.concept else None
        if concept_id is None or len(ids) == CONCEPTS_MAX:
            continue
        ids.append(concept_id)
        found.append(_concept(snapshot, concept_id, now_s, entity_types))
        yield PAUSE
    for start, goal in combinations(ids[:JOINED_MAX], 2):
        if (snapshot.neighbours(start, now_s).ids == goal).any():
            continue  # they are related directly
        # Longer paths join unrelated notes more often than related ones.
        between = concept_between(snapshot, start, goal, now_s)
        if between is not None:
            found.append(_path(snapshot, (start, between, goal), found))
        yield PAUSE
    return sorted(found, key=lambda each: (-each.relevance, each.entity))


def _concept(
    snapshot: Snapshot, concept_id: int, now_s: float, entity_types: Mapping[str, str]
) -> Insight:
    graph, name = snapshot.graph, snapshot.graph.name(concept_id)
    neighbours = snapshot.neighbours(concept_id, now_s)
    ranked = strongest(graph, neighbours, RELATIONS_MAX)
    shared = snapshot.newest_shared(concept_id, [row[3] for row in ranked], 1)
    community_id = snapshot.community_id(name)
    community = snapshot.communities.by_id.get(community_id) if community_id is not None else None
    central = snapshot.names_of_community(community).central[:CENTRAL_MAX] if community else ()
    note_ids = graph.notes_of(concept_id)
    return Insight(
        entity=to_concept_uri(name),
        title=_display(snapshot, name),
        relations=tuple(
            Relation(_display(snapshot, row[2]), -row[1], to_uri(paths[0]))
            for row, paths in zip(ranked, shared, strict=True)
            if paths
        ),
        community=tuple(_display(snapshot, each) for each in central),
        community_ids=() if community is None else (community.id,),
        central_uris=tuple(
            to_uri(min(paths))
            for each in central
            if (paths := snapshot.paths_by_concept.get(each)) is not None and paths
        ),
        uris=tuple(map(to_uri, snapshot.newest_paths(note_ids, NOTES_MAX))),
        mention_count=graph.note_count(concept_id),
        relation_count=len(neighbours.ids),
        is_path=False,
        relevance=rareness(len(snapshot.entries), graph.note_count(concept_id)),
        note_ids=note_ids,
        entity_type=_entity_type(snapshot, name, entity_types),
    )


def _entity_type(snapshot: Snapshot, name: str, entity_types: Mapping[str, str]) -> str:
    paths = snapshot.paths_by_concept.get(name, ())
    types = (entity_types.get(snapshot.facts[path].type) for path in sorted(paths))
    return next(filter(None, types), CONCEPT) if entity_types else CONCEPT


def rareness(note_count: int, frequency: int) -> float:
    """Return how rare a concept in ``frequency`` of the notes is, 0 (in all of them) to 1."""
    return 1.0 - math.log(max(1, frequency)) / math.log(max(2, note_count, frequency))


def _path(snapshot: Snapshot, concepts: Sequence[int], ends: Sequence[Insight]) -> Insight:
    graph = snapshot.graph
    names = [graph.name(each) for each in concepts]
    steps, note_ids = [], []
    for first, second in pairwise(concepts):
        shared = graph.shared_notes(first, second)
        note_ids.append(shared)
        newest = snapshot.newest_paths(shared, 1)
        steps.append(
            Relation(_display(snapshot, graph.name(second)), len(shared), to_uri(newest[0]))
        )
    entities = to_concept_uri(names[0]), to_concept_uri(names[-1])
    return Insight(
        entity=" ".join(entities),
        title=_display(snapshot, names[0]),
        relations=tuple(steps),
        community=(),
        community_ids=(),
        central_uris=(),
        uris=(),
        mention_count=0,
        relation_count=len(steps),
        is_path=True,
        relevance=PATH_RELEVANCE
        * max((each.relevance for each in ends if each.entity in entities), default=0.0),
        note_ids=np.concatenate(note_ids),
    )


def _display(snapshot: Snapshot, name: str) -> str:
    return one_line(masked(snapshot.display(name) or spoken_form(name))[0], 80)
