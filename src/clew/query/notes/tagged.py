"""The notes of one tag, and of the tags below it."""

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.slices import PAUSE, SLICE_ROWS, Slices
from clew.query.sorting import sorted_page
from clew.query.suggest import close_names
from clew.text.concept import fold_tag
from clew.text.uri import to_uri
from clew.values import replies, requests


def tagged_notes(snapshot: Snapshot, request: requests.Tags) -> Slices[replies.TaggedNotes]:
    """Return the notes with a tag or one below it, by path; for an unknown tag, similar tags.

    Raises:
        InvalidParams: the cursor is not one that a reply to this request gave.
    """
    tag = fold_tag(request.tag or "")
    is_known = yield from _is_known(snapshot, tag)
    graph = snapshot.graph
    note_ids = np.flatnonzero(graph.is_live & snapshot.fields.with_tag(tag)) if is_known else ()
    paths = [(graph.path(int(note_id)),) for note_id in note_ids]
    yield PAUSE
    tags = snapshot.lists.note_counts_by_tag
    shown = yield from sorted_page(paths, request, tuple[str])
    return replies.TaggedNotes(
        revision=snapshot.revision,
        tag=tag,
        notes=tuple(_row(snapshot, path, tag) for (path,) in shown.rows),
        suggestions=() if is_known else (yield from close_names(tag, tags)),
        total=shown.total,
        start=shown.start,
        cursor=shown.cursor,
    )


def _is_known(snapshot: Snapshot, tag: str) -> Slices[bool]:
    for number, other in enumerate(snapshot.lists.note_counts_by_tag):
        if _is_within(other, tag):
            return True
        if number % SLICE_ROWS == 0:
            yield PAUSE
    return False


def _is_within(tag: str, parent: str) -> bool:
    tag, parent = tag.casefold(), parent.casefold()
    return tag == parent or tag.startswith(f"{parent}/")


def _row(snapshot: Snapshot, path: str, tag: str) -> replies.TaggedNote:
    facts = snapshot.facts[path]
    tags = tuple(other for other in facts.tags if _is_within(other, tag))
    return replies.TaggedNote(uri=to_uri(path), title=snapshot.title(path), tags=tags)
