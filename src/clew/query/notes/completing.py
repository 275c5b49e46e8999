"""Completion of a prefix that a user types to names of concepts, notes, tags or folders.

A note is named by its file name or, once a folder is typed, by its path.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.notes.lists import concepts, tags
from clew.query.slices import PAUSE, Slices, batched
from clew.query.sorting import first_sorted
from clew.text.concept import fold_name, normalize
from clew.text.filename import file_name, folders_with_parents
from clew.text.unicode import is_utf8
from clew.values import replies, requests


def complete(snapshot: Snapshot, request: requests.Complete) -> Slices[replies.Completions]:
    """Return the first names of a kind that begin with what was typed.

    Concepts and tags are sorted by falling use, notes and folders by name. Letter case makes no
    difference. The prefix of a concept is normalized as concept names are. If its display name
    begins otherwise, the value is its name.
    """
    values: tuple[str, ...]
    if request.kind == "concept":
        asked = requests.Concepts(prefix=request.prefix, limit=request.limit)
        prefix = normalize(request.prefix)
        rows = (yield from concepts(snapshot, asked)).concepts
        values = tuple(_completed(row.display_name, row.name, prefix) for row in rows)
    elif request.kind == "tag":
        wanted = requests.Tags(prefix=request.prefix, limit=request.limit)
        reply = yield from tags(snapshot, wanted)
        values = tuple(row.tag for row in reply.tags) if isinstance(reply, replies.Tags) else ()
    else:
        values = yield from _paths_or_names(snapshot, request)
    return replies.Completions(revision=snapshot.revision, values=values)


def _completed(display_name: str, name: str, prefix: str) -> str:
    return display_name if normalize(display_name).startswith(prefix) else name


def _paths_or_names(snapshot: Snapshot, request: requests.Complete) -> Slices[tuple[str, ...]]:
    """Return the first folders, or paths or file names of notes, by name.

    All notes are looked at, in slices. Names that are not UTF-8 are left out, since nobody can type
    them.
    """
    prefix, graph = fold_name(request.prefix), snapshot.graph
    values: set[str] = set()
    if request.kind == "folder":
        folders = folders_with_parents(snapshot.fields.folders(graph.is_live))
        values.update(each for each in folders if fold_name(each).startswith(prefix))
        yield PAUSE
    else:
        for note_ids in batched(np.flatnonzero(graph.is_live)):
            named = _notes(map(graph.path, note_ids), prefix)
            values.update(value for value in named if fold_name(value).startswith(prefix))
            yield PAUSE
    folded = ((fold_name(value), value) for value in values if is_utf8(value))
    first, _ = yield from first_sorted(folded, request.limit)
    return tuple(value for _, value in first)


def _notes(paths: Iterable[str], prefix: str) -> Iterator[str]:
    """Yield the path of each note if a folder was typed, else its file name."""
    for path in paths:
        yield path if "/" in prefix else file_name(path)
