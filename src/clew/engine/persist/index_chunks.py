"""Serialize all indexes into bounded chunks, and load them back: the form stored and sent.

Loading the chunks is many times faster than applying the notes again. Each chunk is a few
milliseconds of work, so a process that loads a revision can answer queries in between. Notes and
concepts get new ids: their positions in the order of the chunks.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeVar

import numpy as np
from msgspec import Struct

from clew.engine.indexes import Indexes
from clew.index.ages import NoteAge
from clew.index.names import NoteNames
from clew.values.packing import Unpacker, pack
from clew.values.vault import ConceptRules, ReadNote

NOTES_A_CHUNK = 30
NAMES_A_CHUNK = 5_000
TARGETS_A_CHUNK = 200
COLUMN_BYTES_A_CHUNK = 1024 * 1024
_NAMED, _NAME_CODES = "named", "nameCodes"  # columns: concepts with a vector; their vectors

T = TypeVar("T")


class NoteRecord(Struct, frozen=True, array_like=True, gc=False):
    """One note with the names, dates and concept that were determined for it."""

    read: ReadNote
    names: NoteNames
    age: NoteAge
    own_concept: str | None


class TargetRecord(Struct, frozen=True, array_like=True, gc=False):
    """One link target; ``notes`` and ``mentions`` alternate a note's position and a count."""

    text: str
    keys: tuple[str, ...]
    notes: tuple[int, ...]
    mentions: tuple[int, ...] | None  # None: the same as ``notes``
    forms: dict[str, int]
    resolved: str | None
    concept: str | None


class Concepts(Struct, frozen=True, array_like=True, tag=True):
    """Names of concepts, in the order of their ids."""

    names: tuple[str, ...]


class Notes(Struct, frozen=True, array_like=True, tag=True):
    """Notes, in the order of their ids."""

    notes: tuple[NoteRecord, ...]
    lengths: bytes  # int32: concepts in each note's row
    cells: bytes  # int32: concept ids, row after row
    counts: bytes  # int32: mentions of each of these concepts


class Targets(Struct, frozen=True, array_like=True, tag=True):
    """Link targets; they follow all notes."""

    targets: tuple[TargetRecord, ...]


class Files(Struct, frozen=True, array_like=True, tag=True):
    """Paths of files that are not indexed as notes."""

    paths: tuple[str, ...]


class Rules(Struct, frozen=True, array_like=True, tag=True):
    """The vault's own concept rules."""

    rules: ConceptRules


class Vocabulary(Struct, frozen=True, array_like=True, tag=True):
    """Words in the order of their ids, with the terms they stand for."""

    words: str  # each followed by a line end
    terms: str  # terms not in an earlier chunk, each followed by a line end
    term_ids: bytes  # int32, one for each word


class Column(Struct, frozen=True, array_like=True, tag=True):
    """Part of one array of the search indexes."""

    name: str
    data: bytes


class SearchColumnsEnd(Struct, frozen=True, array_like=True, tag=True):
    """Marks that all search columns have been sent."""

    model: str
    dimensions: int


Chunk = Concepts | Notes | Targets | Files | Rules | Vocabulary | Column | SearchColumnsEnd
unpack_chunk: Unpacker[Chunk] = Unpacker(Chunk)


def serialize(indexes: Indexes) -> Iterator[bytes]:
    """Yield ``indexes`` as chunks; the indexes must not change until the last one is taken."""
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
        yield _notes_chunk(indexes, portion, concept_ids)
    yield from _search_chunks(indexes, places, concept_ids)
    targets = sorted(indexes.targets.by_text)
    for portion in _portions(targets, TARGETS_A_CHUNK):
        yield Targets(tuple(_target_record(indexes, text, places) for text in portion))


def _search_chunks(
    indexes: Indexes, places: Mapping[str, int], concept_ids: Mapping[str, int]
) -> Iterator[Chunk]:
    passages = indexes.passages
    terms = passages.keyword.terms()
    seen = 0
    for portion in _portions(passages.keyword.vocabulary(), NAMES_A_CHUNK):
        ids = [term for _, term in portion]
        known = max(seen, max(ids) + 1)  # term ids rise in the order of the words
        yield Vocabulary(
            "".join(f"{word}\n" for word, _ in portion),
            "".join(f"{term}\n" for term in terms[seen:known]),
            _packed_ints(ids),
        )
        seen = known
    place_of_note = np.full(indexes.graph.note_slots, -1, np.int32)
    for path, place in places.items():
        place_of_note[indexes.graph.note_id(path)] = place
    named, codes = indexes.name_vectors.columns(concept_ids.__getitem__)
    columns = passages.columns(place_of_note) | {_NAMED: named, _NAME_CODES: codes}
    for name, column in columns.items():
        data = np.ascontiguousarray(column).tobytes()
        for start in range(0, len(data), COLUMN_BYTES_A_CHUNK):
            yield Column(name, data[start : start + COLUMN_BYTES_A_CHUNK])
    yield SearchColumnsEnd(passages.vectors.model, passages.vectors.dimensions)


def _notes_chunk(indexes: Indexes, paths: Sequence[str], concept_ids: Mapping[str, int]) -> Notes:
    rows = [indexes.graph.row(path) for path in paths]
    cells = [concept_ids[name] for row in rows for name in row]
    return Notes(
        notes=tuple(_note_record(indexes, path) for path in paths),
        lengths=_packed_ints(list(map(len, rows))),
        cells=_packed_ints(cells),
        counts=_packed_ints([count for row in rows for count in row.values()]),
    )


def _note_record(indexes: Indexes, path: str) -> NoteRecord:
    note_id = indexes.graph.note_id(path)
    assert note_id is not None
    return NoteRecord(
        read=indexes.entries[path],
        names=indexes.names.names_of(path),
        age=indexes.ages.get(note_id),
        own_concept=indexes.concept_by_path.get(path),
    )


def _packed_ints(numbers: Sequence[int]) -> bytes:
    return np.array(numbers, dtype="<i4").tobytes()


def _target_record(indexes: Indexes, text: str, places: dict[str, int]) -> TargetRecord:
    target = indexes.targets.by_text[text]
    mentions = None if target.mentions == target.notes else _flat(target.mentions, places)
    return TargetRecord(
        text=text,
        keys=tuple(sorted(target.keys)),
        notes=_flat(target.notes, places),
        mentions=mentions,
        forms=target.forms,
        resolved=target.resolved,
        concept=target.concept,
    )


def load_chunk(indexes: Indexes, chunk: Chunk) -> None:
    """Load one chunk into ``indexes``, which were empty before the first; order matters.

    Raises:
        ValueError, LookupError: the chunk does not belong to those before it.
    """
    if isinstance(chunk, Concepts):
        indexes.graph.add_concepts(chunk.names)
    elif isinstance(chunk, Notes):
        _load_notes(indexes, chunk)
    elif isinstance(chunk, Targets):
        for target in chunk.targets:
            _load_target(indexes, target)
    elif isinstance(chunk, Vocabulary):
        words, terms = chunk.words.split("\n")[:-1], chunk.terms.split("\n")[:-1]
        keyword = indexes.passages.keyword
        keyword.add_words(words, terms, np.frombuffer(chunk.term_ids, "<i4"))
    elif isinstance(chunk, Column):
        indexes.columns.setdefault(chunk.name, []).append(chunk.data)
    elif isinstance(chunk, SearchColumnsEnd):
        _finish_search_columns(indexes, chunk)
    elif isinstance(chunk, Files):
        for path in chunk.paths:
            indexes.names.put_file(path)
    else:
        indexes.names.rules = chunk.rules


def _finish_search_columns(indexes: Indexes, chunk: SearchColumnsEnd) -> None:
    columns = {name: b"".join(indexes.columns.pop(name)) for name in list(indexes.columns)}
    paths = indexes.graph.paths
    indexes.passages.load(columns, chunk.model, chunk.dimensions, paths)
    _check_parts(indexes)
    named = np.frombuffer(columns.get(_NAMED, b""), "<i4")
    codes = np.frombuffer(columns.get(_NAME_CODES, b""), "i1")
    indexes.name_vectors.load(
        [indexes.graph.name(number) for number in named.tolist()],
        codes.reshape(len(named), chunk.dimensions),
        chunk.model,
        chunk.dimensions,
    )


def _check_parts(indexes: Indexes) -> None:
    """Raise ``ValueError`` unless the search columns have one slot for each part of each note."""
    part_counts = {path: span.stop - span.start for path, span in indexes.passages.slots.items()}
    if part_counts != {path: 1 + len(read.note.chunks) for path, read in indexes.entries.items()}:
        raise ValueError("the search columns belong to other notes")


def _load_notes(indexes: Indexes, chunk: Notes) -> None:
    paths = [note.read.note.path for note in chunk.notes]
    indexes.graph.append(
        paths, *(np.frombuffer(part, "<i4") for part in (chunk.lengths, chunk.cells, chunk.counts))
    )
    indexes.ages.append([note.age for note in chunk.notes])
    for path, note in zip(paths, chunk.notes, strict=True):
        indexes.entries[path] = note.read
        indexes.names.restore(path, note.names)
        indexes.set_concept_of_note(path, note.own_concept)


def _load_target(indexes: Indexes, record: TargetRecord) -> None:
    target = indexes.targets.add(record.text, record.keys)
    paths = indexes.graph.paths
    target.notes = _by_path(record.notes, paths)
    if record.mentions is None:
        target.mentions = dict(target.notes)
    else:
        target.mentions = _by_path(record.mentions, paths)
    target.forms = dict(record.forms)
    indexes.targets.set_resolution(target, record.resolved, record.concept)


def _flat(counts: Mapping[str, int], places: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(number for path, count in counts.items() for number in (places[path], count))


def _by_path(flat: Sequence[int], paths: Sequence[str]) -> dict[str, int]:
    return {paths[flat[n]]: flat[n + 1] for n in range(0, len(flat), 2)}


def _portions(items: Iterable[T], size: int) -> Iterator[tuple[T, ...]]:
    waiting = iter(items)
    while portion := tuple(islice(waiting, size)):
        yield portion
