"""The unlinked mentions of a note: other notes that have its name in their text."""

from collections.abc import Iterable

from clew.engine.snapshot import Snapshot
from clew.index.mentions.name_forms import first_name
from clew.query.notes.shown_lines import shown_line
from clew.query.slices import PAUSE, Slices, mapped
from clew.query.sorting import first_sorted
from clew.text.uri import to_uri
from clew.values import replies


def mentions_of(
    snapshot: Snapshot, paths: Iterable[str], limit: int
) -> Slices[tuple[tuple[replies.BacklinkRow, ...], int]]:
    """Return the first ``limit`` mentions of the notes at ``paths``, and how many there are.

    A row is a note and the first line on which it names the mentioned note. Rows are sorted by
    path. Only the notes that are returned are read.
    """
    mentioned_by_path: dict[str, str] = {}  # by path of the note that mentions it
    for mentioned in sorted(paths):
        ids = snapshot.mentions.mentioning(snapshot.graph.note_ids[mentioned])
        for note_id in ids:
            mentioned_by_path.setdefault(snapshot.graph.path(note_id), mentioned)
        yield PAUSE
    first, total = yield from first_sorted(mentioned_by_path, limit)
    rows = yield from mapped(lambda path: _row(snapshot, path, mentioned_by_path[path]), first)
    return tuple(rows), total


def _row(snapshot: Snapshot, path: str, mentioned: str) -> replies.BacklinkRow:
    note = snapshot.note(path)
    line, _ = first_name(note, snapshot.mentions.names_in(path, mentioned))
    text = shown_line(note.text.split("\n")[line - 1])
    return replies.BacklinkRow(uri=to_uri(path), line=line, text=text)
