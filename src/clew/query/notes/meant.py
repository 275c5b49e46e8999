"""The notes that a link without a file may mean: by a title, an alias or a former path.

Obsidian finds none of these: it resolves links by the names of files alone.
"""

from collections.abc import Iterable, Iterator
from heapq import nsmallest

from clew.engine.snapshot import Snapshot
from clew.query.slices import PAUSE, SLICE_ROWS, Slices
from clew.text.concept import fold_name, normalize
from clew.text.filename import file_name, without_extension

MEANT_MAX = 3


def notes_meant(snapshot: Snapshot, texts: Iterable[str]) -> Slices[dict[str, tuple[str, ...]]]:
    """Return the paths of the notes that each of these targets may mean, at most ``MEANT_MAX``."""
    moved: dict[str, set[str]] = {}  # present paths, by what a link to a former one may be
    for number, (former, present) in enumerate(snapshot.renames.items()):
        if number % SLICE_ROWS == 0:
            yield PAUSE
        if present in snapshot.entries:
            for name in (without_extension(former), file_name(former)):
                moved.setdefault(fold_name(name), set()).add(present)
    meant = {}
    for number, text in enumerate(texts):
        if number % SLICE_ROWS == 0:
            yield PAUSE
        name = without_extension(text)
        paths = {*_named(snapshot, name), *moved.get(fold_name(name), ())}
        meant[text] = tuple(nsmallest(MEANT_MAX, paths))
    return meant


def _named(snapshot: Snapshot, name: str) -> Iterator[str]:
    yield from snapshot.lists.paths_by_title.get(fold_name(name), ())
    yield from snapshot.names.notes_with_alias(normalize(name))
