"""Lists over the whole vault: concepts, tags, notes by date."""

from collections import Counter

from clew.engine.snapshot import Snapshot
from clew.query.dates import iso, moment
from clew.query.paging import page
from clew.text.concept import normalize
from clew.text.uri import to_uri
from clew.values import replies, requests
from clew.values.note import DEFAULT_TYPE
from clew.values.replies import rounded


def concepts(snapshot: Snapshot, request: requests.Concepts) -> replies.Concepts:
    """Return concepts by mentions, by the date of their newest note, or by name.

    ``prefix`` is normalized as a concept is, so ``Machine L`` finds ``machine-learning``.
    """
    graph = snapshot.graph
    prefix = normalize(request.prefix) if request.prefix else ""
    wanted = request.community_id
    names = [
        name
        for name in graph.concepts()
        if name.startswith(prefix) and (wanted is None or snapshot.community_id(name) == wanted)
    ]
    mentions = graph.mention_counts()
    ids = {name: graph.concept_id(name) or 0 for name in names}
    if request.sort == "name":
        names.sort()
    elif request.sort == "mentions":
        names.sort(key=lambda name: (-int(mentions[ids[name]]), name))
    else:
        newest = {name: snapshot.newest_paths(graph.notes_of(ids[name]), 1) for name in names}
        names.sort(key=lambda name: (-snapshot.modified_at_s(newest[name][0]), name))
    shown = page(names, request)
    rows = tuple(
        replies.ConceptRow(
            name=name,
            display_name=snapshot.display(name),
            note_count=graph.note_count(ids[name]),
            mention_count=int(mentions[ids[name]]),
            community_id=snapshot.community_id(name),
            aliases=snapshot.aliases_of_concept(name),
        )
        for name in shown.rows
    )
    return replies.Concepts(
        revision=snapshot.revision, concepts=rows, total=shown.total, cursor=shown.cursor
    )


def communities(
    snapshot: Snapshot, request: requests.CommunitiesRequest
) -> replies.CommunitiesReply:
    """Return the communities, the largest first; none while none were found."""
    found = snapshot.communities
    shown = page(list(found.by_id.values()), request)
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
        modularity=rounded(found.modularity),
        community_revision=found.revision,
        total=shown.total,
        cursor=shown.cursor,
    )


def tags(snapshot: Snapshot, request: requests.Tags) -> replies.Tags:
    """Return tags with the number of notes that carry them, the most used first."""
    prefix = (request.prefix or "").removeprefix("#").lower()
    counts: Counter[str] = Counter()
    for entry in snapshot.entries.values():
        counts.update(tag for tag in entry.note.tags if tag.startswith(prefix))
    ranked = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    shown = page(ranked, request)
    rows = tuple(replies.TagRow(tag=tag, count=count) for tag, count in shown.rows)
    return replies.Tags(
        revision=snapshot.revision, tags=rows, total=shown.total, cursor=shown.cursor
    )


def recent(snapshot: Snapshot, request: requests.Recent) -> replies.Recent:
    """Return notes by date, newest first; by ``read`` only those that ever were."""
    since_s = moment(request.since, "since") if request.since is not None else None
    dated = []
    for path in snapshot.entries:
        if request.by == "read" and path not in snapshot.reads_s:
            continue
        at_s = {
            "modified": snapshot.modified_at_s,
            "created": snapshot.created_at_s,
            "read": snapshot.reads_s.__getitem__,
        }[request.by](path)
        if since_s is None or at_s >= since_s:
            dated.append((-at_s, path))
    shown = page(sorted(dated), request)
    return replies.Recent(
        revision=snapshot.revision,
        notes=tuple(_recent_row(snapshot, path) for _, path in shown.rows),
        total=shown.total,
        cursor=shown.cursor,
    )


def _recent_row(snapshot: Snapshot, path: str) -> replies.RecentRow:
    note = snapshot.note(path)
    read_s = snapshot.reads_s.get(path)
    return replies.RecentRow(
        uri=to_uri(path),
        title=note.title,
        type=note.fields.type or DEFAULT_TYPE,
        modified=iso(snapshot.modified_at_s(path)),
        created=iso(snapshot.created_at_s(path)),
        last_read=iso(read_s) if read_s is not None else None,
    )
