"""The methods that list all concepts, communities, tags, and notes by date."""

import math
from collections.abc import Sequence

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.graph_rows import mention_counts
from clew.index.structures.stored_map import pairs
from clew.query.dates import iso, moment
from clew.query.highest import highest
from clew.query.paging import page
from clew.text.concept import normalize
from clew.text.uri import to_uri
from clew.values import replies, requests
from clew.values.arrays import Float64Array, Int64Array
from clew.values.replies import rounded


def concepts(snapshot: Snapshot, request: requests.Concepts) -> replies.Concepts:
    """Return concepts sorted by mentions, by the date of their newest note, or by name.

    ``prefix`` is normalized as a concept is, so ``Machine L`` finds ``machine-learning``.
    """
    mentions_by_id = mention_counts(snapshot.graph).tolist()
    names = _sorted_concepts(snapshot, request, mentions_by_id)
    shown = page(names, request)
    return replies.Concepts(
        revision=snapshot.revision,
        concepts=tuple(_concept_row(snapshot, name, mentions_by_id) for name in shown.rows),
        total=shown.total,
        cursor=shown.cursor,
    )


def _sorted_concepts(
    snapshot: Snapshot, request: requests.Concepts, mentions_by_id: Sequence[int]
) -> list[str]:
    """Return the names of the concepts that match the request, in its order."""
    names = _matching_concepts(snapshot, request)
    if request.sort == "name":
        return sorted(names)
    if request.sort == "mentions":
        return sorted(names, key=lambda name: (-mentions_by_id[_concept_id(snapshot, name)], name))
    return sorted(names, key=lambda name: (-_newest_at_s(snapshot, name), name))


def _matching_concepts(snapshot: Snapshot, request: requests.Concepts) -> list[str]:
    prefix = normalize(request.prefix) if request.prefix else ""
    community_id = request.community_id
    return [
        name
        for name in snapshot.graph.concepts()
        if name.startswith(prefix)
        and (community_id is None or snapshot.community_id(name) == community_id)
    ]


def _concept_id(snapshot: Snapshot, name: str) -> int:
    concept_id = snapshot.graph.concept_id(name)
    assert concept_id is not None, "the name comes from the graph"
    return concept_id


def _newest_at_s(snapshot: Snapshot, name: str) -> float:
    """Return when the newest note that mentions a concept was modified."""
    notes = snapshot.graph.notes_of(_concept_id(snapshot, name))
    (newest,) = snapshot.newest_paths(notes, 1)
    return snapshot.modified_at_s(newest)


def _concept_row(
    snapshot: Snapshot, name: str, mentions_by_id: Sequence[int]
) -> replies.ConceptRow:
    concept_id = _concept_id(snapshot, name)
    return replies.ConceptRow(
        name=name,
        display_name=snapshot.display(name),
        note_count=snapshot.graph.note_count(concept_id),
        mention_count=mentions_by_id[concept_id],
        community_id=snapshot.community_id(name),
        aliases=snapshot.aliases_of_concept(name),
    )


def communities(
    snapshot: Snapshot, request: requests.CommunitiesRequest
) -> replies.CommunitiesReply:
    """Return the communities, largest first; an empty list before the first partition."""
    shown = page(list(snapshot.communities.by_id.values()), request)
    rows = tuple(
        replies.CommunityRow(
            id=row.id,
            size=len(row.members),
            label=row.label,
            central=row.central,
            bridges=row.bridges,
        )
        for row in shown.rows
    )
    return replies.CommunitiesReply(
        revision=snapshot.revision,
        communities=rows,
        modularity=rounded(snapshot.communities.modularity),
        community_revision=snapshot.communities.revision,
        total=shown.total,
        cursor=shown.cursor,
    )


def tags(snapshot: Snapshot, request: requests.Tags) -> replies.Tags:
    """Return tags and how many notes have each, most used first."""
    prefix = (request.prefix or "").removeprefix("#").lower()
    counts = pairs(snapshot.lists.note_counts_by_tag)
    ranked = sorted((-count, tag) for tag, count in counts if tag.startswith(prefix))
    shown = page(ranked, request)
    rows = tuple(replies.TagRow(tag=tag, count=-count) for count, tag in shown.rows)
    return replies.Tags(
        revision=snapshot.revision, tags=rows, total=shown.total, cursor=shown.cursor
    )


def recent(snapshot: Snapshot, request: requests.Recent) -> replies.Recent:
    """Return notes by date, newest first; if sorted by ``read``, only those with a read date."""
    since_s = moment(request.since, "since") if request.since is not None else -math.inf
    note_ids, dates_s = _dates(snapshot, request)
    note_ids = note_ids[dates_s[note_ids] >= since_s]
    shown = page(range(len(note_ids)), request)
    end = shown.rows[-1] + 1 if shown.rows else 0
    newest = highest(note_ids, dates_s, snapshot.graph.paths, end)[end - len(shown.rows) :]
    paths = map(snapshot.graph.path, newest.tolist())
    return replies.Recent(
        revision=snapshot.revision,
        notes=tuple(_recent_row(snapshot, path) for path in paths),
        total=shown.total,
        cursor=shown.cursor,
    )


def _dates(snapshot: Snapshot, request: requests.Recent) -> tuple[Int64Array, Float64Array]:
    """Return the notes that have the date of the request, and that date by note id."""
    graph, ages = snapshot.graph, snapshot.ages
    if request.by == "read":
        dates_s = np.full(graph.note_slots, -np.inf)
        for path in snapshot.reads_s.keys() & snapshot.entries.keys():
            dates_s[graph.note_ids[path]] = snapshot.reads_s[path]
        return np.flatnonzero(dates_s > -np.inf), dates_s
    every = np.arange(graph.note_slots)
    dates_s = ages.modified_s(every) if request.by == "modified" else ages.created_s(every)
    return np.flatnonzero(graph.is_live), dates_s


def _recent_row(snapshot: Snapshot, path: str) -> replies.RecentRow:
    facts = snapshot.facts[path]
    read_s = snapshot.reads_s.get(path)
    return replies.RecentRow(
        uri=to_uri(path),
        title=facts.title,
        type=facts.type,
        modified=iso(facts.modified_s),
        created=iso(facts.created_s),
        last_read=iso(read_s) if read_s is not None else None,
    )
