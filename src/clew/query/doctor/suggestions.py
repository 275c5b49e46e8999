"""Suggestions to the owner of the notes: ambiguous links, likely duplicates, unlinked mentions."""

import json
import re
from typing import NamedTuple

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.mentions.name_forms import first_name, folded
from clew.index.same_named import as_written
from clew.query.doctor.duplicates import Duplicate, duplicates
from clew.query.doctor.kinds import AMBIGUOUS, DUPLICATE, UNLINKED
from clew.query.slices import PAUSE, SLICE_ROWS, Slices, mapped
from clew.query.sorting import first_sorted
from clew.text.filename import file_name, shown_name, without_extension
from clew.text.uri import to_concept_uri, to_uri
from clew.values.replies import Problem

ROWS_MAX = 10_000  # of a kind; unlinked mentions have no limit, as they are read page by page
_CANDIDATES_SHOWN = 3  # notes that a link may mean

_NO_TARGET = re.compile(r"[][|#^\r\n]")  # signs that end or divide the target of a link
_NO_LABEL = re.compile(r"[][|\r\n]")


class PairOfPaths(NamedTuple):
    """A note, and a note that it mentions without a link."""

    path: str
    mentioned: str


def ambiguous_links(snapshot: Snapshot) -> Slices[list[Problem]]:
    """Return the texts of links for which several notes are equally close, by path and text."""
    rows = []
    for at, paths in enumerate(snapshot.names.shared_names()):
        if at % SLICE_ROWS == 0:
            yield PAUSE
        texts = {text: path for path in paths for text in snapshot.targets.texts_resolving_to(path)}
        everywhere: dict[str, list[str]] = {}  # what a written target may mean far from its notes
        for text in sorted(texts):
            written = as_written(text)
            if written not in everywhere:
                everywhere[written] = snapshot.names.closest_notes(written)
            others = yield from _equally_close(snapshot, text, everywhere[written])
            if others := others - {texts[text]}:
                rows.append(_ambiguous(texts[text], written, sorted(others)))
        if len(rows) >= ROWS_MAX:
            break
    return sorted(rows, key=lambda row: (row.uri, row.value or ""))


def _equally_close(snapshot: Snapshot, text: str, everywhere: list[str]) -> Slices[set[str]]:
    """Return the notes that the links entered under ``text`` may mean, each from its own folder.

    These are none where each link is clear in its folder. The links mean one of ``everywhere`` if
    there is none near them.
    """
    names, written = snapshot.names, as_written(text)
    if len(everywhere) < 2 and written == text:
        return set()
    folders: set[str] = set()
    for at, note_id in enumerate(snapshot.targets.uses(text).notes):
        if at % SLICE_ROWS == 0:
            yield PAUSE
        folders.add(snapshot.graph.path(note_id).rpartition("/")[0])
    close: set[str] = set()
    for at, folder in enumerate(folders):
        if at % SLICE_ROWS == 0:
            yield PAUSE
        near = names.closest_near(written, folder) or everywhere
        close.update(near if len(near) > 1 else ())
    return close


def _ambiguous(path: str, written: str, others: list[str]) -> Problem:
    more = f" and {len(others) - _CANDIDATES_SHOWN} more" * (len(others) > _CANDIDATES_SHOWN)
    message = f"[[{written}]] leads here; it may also mean {', '.join(others[:_CANDIDATES_SHOWN])}"
    message += more
    return Problem(uri=to_uri(path), code=AMBIGUOUS, line=None, message=message, value=written)


def likely_duplicates(snapshot: Snapshot) -> Slices[list[Problem]]:
    """Return a row for each pair of concepts that are likely one, with the line that merges them.

    The vectors of names are used if there are some, whichever model made them.
    """
    vectors = snapshot.name_vectors if len(snapshot.name_vectors) else None
    pairs = yield from duplicates(snapshot, vectors)
    return [_duplicate(snapshot, row) for row in pairs[:ROWS_MAX]]


def _duplicate(snapshot: Snapshot, row: Duplicate) -> Problem:
    message = f"{snapshot.display(row.name)!r} may be {snapshot.display(row.other)!r}: {row.reason}"
    return Problem(
        uri=to_concept_uri(row.name),
        code=DUPLICATE,
        line=None,
        message=message,
        value=f"{_toml_string(row.other)} = [{_toml_string(row.name)}]",
    )


def _toml_string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # the escapes of JSON are some of those of TOML


def unlinked_count(snapshot: Snapshot) -> int:
    """Return how many rows ``unlinked_mentions`` has in all."""
    return int(snapshot.mentions.degrees(snapshot.graph.note_slots).sum(dtype="int64")) // 2


def unlinked_mentions(
    snapshot: Snapshot, last: PairOfPaths | None, count: int
) -> Slices[tuple[int, list[tuple[PairOfPaths, Problem]]]]:
    """Return the ``count`` unlinked mentions after ``last``, each with its two notes, by path.

    The first result is the number of mentions up to ``last``. Only the notes that are returned are
    read.
    """
    start, pairs = yield from _mentions(snapshot, last or PairOfPaths("", ""), count)
    rows = yield from mapped(lambda pair: (pair, _mention(snapshot, *pair)), pairs)
    return start, rows


def _mentions(
    snapshot: Snapshot, last: PairOfPaths, most: int
) -> Slices[tuple[int, list[PairOfPaths]]]:
    """Return the number of pairs up to ``last``, and the ``most`` pairs after it."""
    start, pairs = 0, list[PairOfPaths]()
    note_ids = np.flatnonzero(snapshot.mentions.degrees(snapshot.graph.note_slots)).tolist()
    paths, _ = yield from first_sorted(map(snapshot.graph.path, note_ids), len(note_ids))
    for at, path in enumerate(paths):
        if at % SLICE_ROWS == 0:
            yield PAUSE
        ids = snapshot.mentions.mentioned_by(snapshot.graph.note_ids[path])
        if path < last.path:
            start += len(ids)
            continue
        here = [PairOfPaths(path, other) for other in sorted(map(snapshot.graph.path, ids))]
        later = [pair for pair in here if pair > last]
        start += len(here) - len(later)
        pairs += later
        if len(pairs) >= most:
            break
    return start, pairs[:most]


def _mention(snapshot: Snapshot, path: str, mentioned: str) -> Problem:
    note = snapshot.note(path)
    line, name = first_name(note, snapshot.mentions.names_in(path, mentioned))
    title = snapshot.title(mentioned)
    other = "" if name == folded(title) else f" as {name!r}"
    return Problem(
        uri=to_uri(path),
        code=UNLINKED,
        line=line,
        message=f"names {title!r}{other} without a link",
        value=_link_text(snapshot, path, mentioned, title),
    )


def _link_text(snapshot: Snapshot, path: str, mentioned: str, title: str) -> str:
    """Return what the brackets of a link in the note at ``path`` must hold to lead to a note.

    A title alone leads nowhere, as in Obsidian, unless it is the name of the file.
    """
    whole = without_extension(mentioned)
    for target in (title, file_name(whole), whole):
        seen = snapshot.names.seen_from(target, path)
        if not _NO_TARGET.search(target) and snapshot.names.resolve(seen) == mentioned:
            break
    has_label = target != title and not _NO_LABEL.search(title)
    return shown_name(f"{target}|{title}" if has_label else target)
