"""Indexes as a sequence of bounded chunks, and back: how a whole revision is sent or stored.

Taking the chunks in again is many times faster than applying the notes anew, and each is a few
milliseconds of work, so that a process that takes in a revision can answer queries in between.
Ids of notes and concepts are given anew: places in the order of the chunks.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from msgspec import Struct

from clew.engine.indexes import Indexes
from clew.index.ages import NoteAge
from clew.index.names import NoteNames
from clew.values.packing import Unpacker, pack
from clew.values.vault import ConceptRules, ReadNote

NOTES_A_CHUNK = 100
NAMES_A_CHUNK = 5_000
TARGETS_A_CHUNK = 500

T = TypeVar("T")


class SealedNote(Struct, frozen=True, array_like=True, gc=False):
    """One note with all that was found out about it."""

    read: ReadNote
    names: NoteNames
    age: NoteAge
    own: str | None
    concepts: tuple[int, ...]
    counts: tuple[int, ...]


class SealedTarget(Struct, frozen=True, array_like=True, gc=False):
    """One target; ``notes`` and ``mentions`` are alternately a note's place and a count."""

    text: str
    keys: tuple[str, ...]
    notes: tuple[int, ...]
    mentions: tuple[int, ...]
    forms: dict[str, int]
    resolved: str | None
    concept: str | None


class Concepts(Struct, frozen=True, array_like=True, tag=True):
    """Names of concepts, in the order of their ids."""

    names: tuple[str, ...]


class Notes(Struct, frozen=True, array_like=True, tag=True):
    """Notes, in the order of their ids."""

    notes: tuple[SealedNote, ...]


class Targets(Struct, frozen=True, array_like=True, tag=True):
    """Targets, after all notes."""

    targets: tuple[SealedTarget, ...]


class Files(Struct, frozen=True, array_like=True, tag=True):
    """Paths of files that are no indexed notes."""

    paths: tuple[str, ...]


class Rules(Struct, frozen=True, array_like=True, tag=True):
    """The vault's own concept rules."""

    rules: ConceptRules


Chunk = Concepts | Notes | Targets | Files | Rules
unpack_chunk: Unpacker[Chunk] = Unpacker(Chunk)


def seal(indexes: Indexes) -> Iterator[bytes]:
    """Yield the chunks that ``indexes`` are; they must not change meanwhile."""
    return map(pack, _chunks(indexes))


def _chunks(indexes: Indexes) -> Iterator[Chunk]:
    concepts = sorted(indexes.graph.concepts())
    concept_ids = {name: place for place, name in enumerate(concepts)}
    paths = sorted(indexes.entries)
    places = {path: place for place, path in enumerate(paths)}
    yield Rules(indexes.names.rules)
    for names in _portions(concepts, NAMES_A_CHUNK):
        yield Concepts(names)
    for files in _portions(sorted(indexes.names.files()), NAMES_A_CHUNK):
        yield Files(files)
    for portion in _portions(paths, NOTES_A_CHUNK):
        yield Notes(tuple(_sealed_note(indexes, path, concept_ids) for path in portion))
    targets = sorted(indexes.targets.by_text)
    for portion in _portions(targets, TARGETS_A_CHUNK):
        yield Targets(tuple(_sealed_target(indexes, text, places) for text in portion))


def _sealed_note(indexes: Indexes, path: str, concept_ids: dict[str, int]) -> SealedNote:
    row = indexes.graph.row(path)
    note_id = indexes.graph.note_id(path)
    assert note_id is not None
    return SealedNote(
        read=indexes.entries[path],
        names=indexes.names.names_of(path),
        age=indexes.ages.get(note_id),
        own=indexes.own.get(path),
        concepts=tuple(concept_ids[name] for name in row),
        counts=tuple(row.values()),
    )


def _sealed_target(indexes: Indexes, text: str, places: dict[str, int]) -> SealedTarget:
    target = indexes.targets.by_text[text]
    return SealedTarget(
        text=text,
        keys=tuple(sorted(target.keys)),
        notes=tuple(n for path, count in target.notes.items() for n in (places[path], count)),
        mentions=tuple(n for path, count in target.mentions.items() for n in (places[path], count)),
        forms=dict(target.forms),
        resolved=target.resolved,
        concept=target.concept,
    )


def unseal(indexes: Indexes, chunk: Chunk) -> None:
    """Take one chunk into ``indexes``; empty ones must be given all chunks in their order.

    Raises:
        LookupError: the chunk does not belong to those before it.
    """
    if isinstance(chunk, Concepts):
        indexes.graph.extend_names(chunk.names)
    elif isinstance(chunk, Notes):
        for note in chunk.notes:
            _unseal_note(indexes, note)
    elif isinstance(chunk, Targets):
        for target in chunk.targets:
            _unseal_target(indexes, target)
    elif isinstance(chunk, Files):
        for path in chunk.paths:
            indexes.names.put_file(path)
    else:
        indexes.names.rules = chunk.rules


def _unseal_note(indexes: Indexes, note: SealedNote) -> None:
    path = note.read.note.path
    indexes.entries[path] = note.read
    indexes.names.restore(path, note.names)
    note_id = indexes.graph.append(path, note.concepts, note.counts)
    indexes.ages.put(note_id, note.age)
    indexes.own_as(path, note.own)


def _unseal_target(indexes: Indexes, sealed: SealedTarget) -> None:
    target = indexes.targets.add(sealed.text, sealed.keys)
    path = indexes.graph.path
    target.notes = {path(place): n for place, n in _pairs(sealed.notes)}
    target.mentions = {path(place): n for place, n in _pairs(sealed.mentions)}
    target.forms = Counter(sealed.forms)
    indexes.targets.settle(target, sealed.resolved, sealed.concept)


def _pairs(flat: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    return zip(flat[::2], flat[1::2], strict=True)


def _portions(items: Iterable[T], size: int) -> Iterator[tuple[T, ...]]:
    waiting = iter(items)
    while portion := tuple(islice(waiting, size)):
        yield portion
