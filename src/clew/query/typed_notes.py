"""The notes of some types, found once and then kept up to date by what changed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from clew.engine.snapshot import Snapshot
from clew.index.notes.facts import NoteFacts
from clew.index.notes.note_lists import KINDS, kind_name
from clew.query.slices import PAUSE, SLICE_ROWS, Slices

_TYPE = KINDS.index("type")


@dataclass(frozen=True, slots=True)
class TypedNotes:
    """The notes of these types in one revision, by path."""

    types: tuple[str, ...]
    revision: int
    content_changes: int
    paths: frozenset[str]


def typed_notes(
    snapshot: Snapshot, types: tuple[str, ...], before: TypedNotes | None
) -> Slices[TypedNotes]:
    """Return the notes of ``types``; ``before``: those of an earlier revision of the same index.

    Only the notes that changed since are looked at, if it is known which. Nothing is read if the
    vault has no such note, as the counts of types tell.
    """
    if before is not None and before.content_changes == snapshot.content_changes:
        return before
    changed = snapshot.changes.between(before.revision, snapshot.revision) if before else None
    found: set[str] = set()
    if _counts(snapshot, types):
        if before is not None and changed is not None:
            found.update(before.paths - changed)
        for number, (path, facts) in enumerate(_facts_of(snapshot, changed)):
            if kind_name(facts.type) in types:
                found.add(path)
            if number % SLICE_ROWS == 0:
                yield PAUSE
    return TypedNotes(types, snapshot.revision, snapshot.content_changes, frozenset(found))


def _facts_of(snapshot: Snapshot, paths: Iterable[str] | None) -> Iterator[tuple[str, NoteFacts]]:
    """Return the facts of these notes, as far as they are there; ``None``: of all."""
    if paths is None:
        return snapshot.all_facts()
    return ((path, facts) for path in paths if (facts := snapshot.facts.get(path)) is not None)


def _counts(snapshot: Snapshot, types: tuple[str, ...]) -> bool:
    counts = (snapshot.lists.kind_counts.get(each) for each in types)
    return any(each and each[_TYPE] for each in counts)
