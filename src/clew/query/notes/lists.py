"""The methods that list all concepts, communities, tags, and notes by date."""

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np

from clew.engine.communities.current import ShownNames
from clew.engine.snapshot import Snapshot
from clew.index.formulas.note_dates import Bounds
from clew.index.structures.stored_map import pairs
from clew.query.cursors import last_key
from clew.query.dates import Clock, asked_bounds, iso
from clew.query.highest import highest_in_slices, rows_after
from clew.query.notes.tagged import tagged_notes
from clew.query.paging import Page, keyed_page, page
from clew.query.slices import PAUSE, Slices, batched, mapped
from clew.query.sorting import sorted_page
from clew.text.concept import normalize, unicode_form
from clew.text.uri import to_uri
from clew.values import replies, requests
from clew.values.arrays import Float64Array, Int64Array
from clew.values.communities import Community
from clew.values.errors import InvalidParams
from clew.values.replies import rounded


def concepts(snapshot: Snapshot, request: requests.Concepts) -> Slices[replies.Concepts]:
    """Return concepts sorted by mentions, by the date of their newest note, or by name.

    ``prefix`` is normalized as a concept is, so ``Machine L`` finds ``machine-learning``.
    """
    concept_ids = yield from _matching_concepts(snapshot, request)
    values = _values_to_sort_by(snapshot, request)
    yield PAUSE
    shown = yield from _highest_page(concept_ids, values, snapshot.graph.name, request)
    rows = yield from mapped(partial(_concept_row, snapshot), shown.rows)
    return replies.Concepts(
        revision=snapshot.revision,
        concepts=tuple(rows),
        total=shown.total,
        start=shown.start,
        cursor=shown.cursor,
    )


def _matching_concepts(snapshot: Snapshot, request: requests.Concepts) -> Slices[Int64Array]:
    """Return the ids, rising, of mentioned concepts that match the request."""
    graph = snapshot.graph
    concept_ids = np.flatnonzero(graph.note_counts)
    prefix = normalize(request.prefix) if request.prefix else ""
    if not prefix and request.community_id is None:
        return concept_ids
    matching = []
    for ids in batched(concept_ids):
        for concept_id in ids:
            name = graph.name(concept_id)
            is_wanted = request.community_id in {None, snapshot.community_id(name)}
            if is_wanted and name.startswith(prefix):
                matching.append(concept_id)
        yield PAUSE
    return np.array(matching, np.int64)


def _values_to_sort_by(snapshot: Snapshot, request: requests.Concepts) -> Float64Array:
    """Return the values by which concepts are sorted, highest first, by concept id."""
    if request.sort == "name":
        return np.zeros(snapshot.graph.concept_slots)
    if request.sort == "mentions":
        return snapshot.graph.mention_counts.astype(np.float64)
    return _newest_at_s(snapshot)


def _highest_page(
    ids: Int64Array,
    values_by_id: Float64Array,
    name_of: Callable[[int], str],
    request: requests.ListRequest,
    now_s: float | None = None,
) -> Slices[Page[int]]:
    """Return the requested page of ``ids``, which are sorted by falling value, then by name.

    ``now_s``: the moment on which ``ids`` depend, if they depend on one.

    Raises:
        InvalidParams: the cursor is not one that a reply to this request gave.
    """
    last = last_key(request, tuple[float, str])
    later_ids = yield from rows_after(ids, values_by_id, name_of, last)
    first = yield from highest_in_slices(later_ids, values_by_id, name_of, request.limit)

    def key_of(row_id: int) -> tuple[float, str]:
        return float(values_by_id[row_id]), name_of(row_id)

    start = len(ids) - len(later_ids)
    return keyed_page(first.tolist(), start, len(ids), request, key_of, now_s)


def _newest_at_s(snapshot: Snapshot) -> Float64Array:
    """Return when the newest note that mentions each concept was changed, by concept id."""
    graph = snapshot.graph
    dates_s = snapshot.ages.changed_s(np.arange(graph.note_slots))
    notes = np.argsort(dates_s)
    dates_s = dates_s[notes]
    mentioned, counts = graph.concepts_of_notes(notes)
    newest_s = np.full(graph.concept_slots, -np.inf)
    newest_s[mentioned] = np.repeat(dates_s, counts)  # dates rise, so the latest is set last
    return newest_s


def _concept_row(snapshot: Snapshot, concept_id: int) -> replies.ConceptRow:
    name = snapshot.graph.name(concept_id)
    return replies.ConceptRow(
        name=name,
        display_name=snapshot.display(name),
        note_count=snapshot.graph.note_count(concept_id),
        mention_count=int(snapshot.graph.mention_counts[concept_id]),
        community_id=snapshot.community_id(name),
        aliases=snapshot.aliases_of_concept(name),
    )


def communities(
    snapshot: Snapshot, request: requests.CommunitiesRequest
) -> replies.CommunitiesReply:
    """Return the communities, largest first; an empty list before the first partition."""
    named = [(row, snapshot.names_of_community(row)) for row in snapshot.communities.by_id.values()]
    visible = [(row, names) for row, names in named if names.central]
    visible.sort(key=_community_key)
    shown = page(visible, request, _community_key, tuple[int, int])
    rows = tuple(
        replies.CommunityRow(
            id=row.id,
            size=len(row.members),
            label=names.label,
            central=names.central,
            bridges=names.bridges,
            display_central=tuple(map(snapshot.display, names.central)),
            display_bridges=tuple(map(snapshot.display, names.bridges)),
        )
        for row, names in shown.rows
    )
    return replies.CommunitiesReply(
        revision=snapshot.revision,
        communities=rows,
        modularity=rounded(snapshot.communities.modularity),
        community_revision=snapshot.communities.revision,
        total=shown.total,
        start=shown.start,
        cursor=shown.cursor,
    )


def _community_key(row: tuple[Community, ShownNames]) -> tuple[int, int]:
    return -len(row[0].members), row[0].id


def tags(snapshot: Snapshot, request: requests.Tags) -> Slices[replies.Tags | replies.TaggedNotes]:
    """Return tags and how many notes have each, most used first; or the notes of one tag.

    Raises:
        InvalidParams: both a tag and a prefix are given, or the cursor is wrong.
    """
    if request.tag is None:
        return (yield from _tag_counts(snapshot, request))
    if request.prefix is not None:
        raise InvalidParams("give either a tag or a prefix", "prefix")
    return (yield from tagged_notes(snapshot, request))


def _tag_counts(snapshot: Snapshot, request: requests.Tags) -> Slices[replies.Tags]:
    prefix = unicode_form((request.prefix or "").removeprefix("#").lower())
    counts = pairs(snapshot.lists.note_counts_by_tag)
    ranked = [(-count, tag) for tag, count in counts if tag.startswith(prefix)]
    shown = yield from sorted_page(ranked, request, tuple[int, str])
    return replies.Tags(
        revision=snapshot.revision,
        tags=tuple(replies.TagRow(tag=tag, count=-count) for count, tag in shown.rows),
        total=shown.total,
        start=shown.start,
        cursor=shown.cursor,
    )


def recent(snapshot: Snapshot, request: requests.Recent, clock: Clock) -> Slices[replies.Recent]:
    """Return notes by date, newest first; if sorted by ``read``, only those with a read date."""
    bounds = asked_bounds(request.since, request.until, "", clock)
    note_ids, dates_s = _dates(snapshot, request.by, bounds)
    yield PAUSE
    shown = yield from _highest_page(note_ids, dates_s, snapshot.graph.path, request, clock.now_s)
    paths = map(snapshot.graph.path, shown.rows)
    rows = yield from mapped(partial(_recent_row, snapshot), paths)
    return replies.Recent(
        revision=snapshot.revision,
        by=request.by,
        notes=tuple(rows),
        total=shown.total,
        start=shown.start,
        cursor=shown.cursor,
    )


def _dates(
    snapshot: Snapshot, by: Literal["modified", "created", "read"], bounds: Bounds
) -> tuple[Int64Array, Float64Array]:
    """Return the notes whose date ``by`` is within ``bounds``, and all such dates by note id."""
    graph, ages = snapshot.graph, snapshot.ages
    if by == "read":
        dates_s = np.full(graph.note_slots, -np.inf)
        for path in snapshot.reads_s.keys() & snapshot.entries.keys():
            dates_s[graph.note_ids[path]] = snapshot.reads_s[path]
        is_within = (dates_s >= bounds.since_s) & (dates_s < bounds.until_s)
        return np.flatnonzero(is_within & (dates_s > -np.inf)), dates_s
    all_ids = np.arange(graph.note_slots)
    if by == "created":
        is_within, dates_s = ages.are_within(all_ids, "created", bounds), ages.created_s(all_ids)
    else:
        is_within, dates_s = ages.are_within(all_ids, "changed", bounds), ages.changed_s(all_ids)
    return np.flatnonzero(is_within & graph.is_live), dates_s


def _recent_row(snapshot: Snapshot, path: str) -> replies.RecentRow:
    facts, dates = snapshot.facts[path], snapshot.dates(path)
    read_s = snapshot.reads_s.get(path)
    return replies.RecentRow(
        uri=to_uri(path),
        title=snapshot.title(path),
        type=facts.type,
        modified=iso(dates.changed_s),
        created=iso(dates.created_s),
        last_read=iso(read_s) if read_s is not None else None,
    )
