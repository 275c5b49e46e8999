"""Suggestions: the names most similar to an unknown one, by shared trigrams.

Bit sets of trigrams select the names that are compared. All names are read in slices.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from heapq import nsmallest

import numpy as np

from clew.engine.caches.name_shapes import NameShapes, texts_like
from clew.engine.snapshot import Snapshot
from clew.index.graph import ConceptGraph
from clew.query.references.forms import path_reading, readings
from clew.query.references.locate import left_out_note
from clew.query.slices import PAUSE, SLICE_ROWS, Slices, batched
from clew.text.concept import normalize
from clew.text.filename import file_name, folders_with_parents, shown_name, without_extension
from clew.text.similarity.fuzzy import corrigible_words, edit_distances, is_corrigible
from clew.text.similarity.names import (
    SIMILARITY_MIN,
    name_similarity,
    name_trigrams,
)
from clew.text.similarity.near_names import (
    acronyms_of,
    is_acronym,
    is_near,
    words_of,
    words_to_share,
)
from clew.text.unicode import is_utf8
from clew.text.uri import to_uri
from clew.values.arrays import Int64Array
from clew.values.errors import NotFound, UnknownNote

SUGGESTIONS_MAX = 5
NAMES_SPLIT_MAX = 20_000  # names that are split into words to be compared: about 30 ms of CPU
_SCORED_MAX = 1_000  # similar names that are kept at a time
_NO_COUNTS: Mapping[str, int] = {}


def close_names(name: str, names: Iterable[str]) -> Slices[tuple[str, ...]]:
    """Return up to ``SUGGESTIONS_MAX`` of ``names`` similar to ``name``, most similar first."""
    return (yield from _closest(name, ((candidate, candidate) for candidate in names)))


def _closest(
    name: str, candidates: Iterable[tuple[str, str]], counts: Mapping[str, int] = _NO_COUNTS
) -> Slices[tuple[str, ...]]:
    """Return the values of up to ``SUGGESTIONS_MAX`` names similar to ``name``, best first.

    ``candidates``: pairs of a name and its value; several names may have the same value.
    ``counts``: how many notes mention a value; of equally similar ones, most mentioned first.
    """
    trigrams, words = name_trigrams(name), words_to_share(name)
    rank_by_value: dict[str, tuple[float, int, str]] = {}
    for number, (candidate, value) in enumerate(candidates):
        if number % SLICE_ROWS == 0:
            yield PAUSE
        similarity = name_similarity(trigrams, candidate)
        if similarity >= SIMILARITY_MIN and is_near(words, candidate, similarity):
            scored = (-similarity, -counts.get(value, 0), candidate)
            rank_by_value[value] = min(scored, rank_by_value.get(value, scored))
        if len(rank_by_value) >= _SCORED_MAX:
            rank_by_value = {value: rank_by_value[value] for value in _most_similar(rank_by_value)}
    return tuple(_most_similar(rank_by_value))


def _most_similar(rank_by_value: Mapping[str, tuple[float, int, str]]) -> list[str]:
    return nsmallest(
        SUGGESTIONS_MAX, rank_by_value, key=lambda value: (*rank_by_value[value], value)
    )


def close_concepts_to(snapshot: Snapshot, name: str) -> Slices[tuple[str, ...]]:
    """Return the concepts with names or aliases like ``name``, at most ``SUGGESTIONS_MAX``."""
    graph, shapes = snapshot.graph, snapshot.name_shapes
    ids = yield from _ids_like(shapes.concepts, name, graph, graph.concept_slots)
    mentioned = ids[graph.note_counts[ids] > 0]
    named = [(concept, concept) for concept in map(graph.name, mentioned.tolist())]
    if snapshot.names.naming.aliases:
        aliases = yield from shapes.aliases.like(name, snapshot.names.notes_by_alias)
        variants = yield from texts_like(name, snapshot.names.rules.merged)
        for text in (*aliases, *variants):
            concept = snapshot.concept_named(text)
            if concept is not None and graph.concept_id(concept) is not None:
                named.append((text, concept))
    counts = {concept: _note_count(graph, concept) for _, concept in named}
    return (yield from _closest(name, named, counts))


def _concepts_with_words_like(snapshot: Snapshot, name: str) -> Slices[tuple[str, ...]]:
    """Return the concepts whose names have a word like each word of ``name``, nearest first.

    So a misspelt word is found in a longer name, with which it shares too few trigrams. Returns
    nothing in vaults of over ``NAMES_SPLIT_MAX`` names, since it compares all of them.
    """
    graph, words = snapshot.graph, corrigible_words(words_of(name))
    count = graph.concept_slots  # names of later revisions may follow
    if not words or count > NAMES_SPLIT_MAX:
        return ()
    edits_by_id: Counter[int] = Counter()
    ids: AbstractSet[int] | None = None
    ids_by_word: dict[str, list[int]] = {}
    for first in range(0, count, SLICE_ROWS):
        names = graph.concept_names(first, min(count, first + SLICE_ROWS))
        for number, concept in enumerate(names, first):
            for word in filter(is_corrigible, set(words_of(concept))):
                ids_by_word.setdefault(word, []).append(number)
        yield PAUSE
    vocabulary = list(ids_by_word)
    for word in words:
        edits_by_similar: dict[int, int] = {}
        for index, edits in sorted(edit_distances(word, vocabulary), key=lambda row: -row[1]):
            edits_by_similar |= dict.fromkeys(ids_by_word[vocabulary[index]], edits)
        ids = edits_by_similar.keys() if ids is None else ids & edits_by_similar.keys()
        edits_by_id.update(edits_by_similar)
        yield PAUSE
    counts = graph.note_counts
    ranked = [(edits_by_id[each], -int(counts[each]), graph.name(each)) for each in ids or ()]
    first_rows = nsmallest(SUGGESTIONS_MAX, (row for row in ranked if row[1]))
    return tuple(concept for _, _, concept in first_rows)


def _acronyms(snapshot: Snapshot, name: str) -> Slices[list[str]]:
    """Return concepts whose name is an acronym of ``name``, or has ``name`` as its acronym."""
    graph = snapshot.graph
    if "-" in name:
        named = map(snapshot.concept_named, acronyms_of(name))
        return [each for each in named if each is not None and _is_mentioned(graph, each)]
    count = graph.concept_slots  # names of later revisions may follow
    if count > NAMES_SPLIT_MAX or not is_acronym(name):
        return []
    concepts: list[str] = []
    for first in range(0, count, SLICE_ROWS):
        names = graph.concept_names(first, min(count, first + SLICE_ROWS))
        concepts += (each for each in names if name in acronyms_of(each))
        yield PAUSE
    return [each for each in concepts if _is_mentioned(graph, each)]


def _is_mentioned(graph: ConceptGraph, name: str) -> bool:
    return _note_count(graph, name) > 0


def _note_count(graph: ConceptGraph, name: str) -> int:
    concept_id = graph.concept_id(name)
    return 0 if concept_id is None else graph.note_count(concept_id)


def close_files_to(snapshot: Snapshot, name: str) -> Slices[tuple[str, ...]]:
    """Return the paths of notes with file names like ``name``, at most ``SUGGESTIONS_MAX``."""
    paths = yield from _paths_like(snapshot, name, snapshot.name_shapes.files)
    return (yield from _closest(name, ((file_name(path), path) for path in paths)))


def close_folders_to(snapshot: Snapshot, path: str) -> Slices[tuple[str, ...]]:
    """Return the folders of notes with names like ``path``; if it has a "/", with paths like it."""
    wanted = path.strip("/")
    with_notes = snapshot.fields.folders(snapshot.graph.is_live)
    yield PAUSE
    folders = set(filter(is_utf8, folders_with_parents(with_notes)))
    yield PAUSE
    if "/" in wanted:
        return (yield from _closest(wanted, ((folder, folder) for folder in folders)))
    return (yield from _closest(wanted, ((each.rpartition("/")[2], each) for each in folders)))


def close_names_in(snapshot: Snapshot, field: str, name: str) -> Slices[tuple[str, ...]]:
    """Return the types, tags or sources, as ``field`` says, of notes with names like ``name``."""
    names = snapshot.fields.names_of(field, snapshot.graph.is_live)
    yield PAUSE
    return (yield from close_names(name, filter(is_utf8, names)))


def _paths_like(snapshot: Snapshot, name: str, shapes: NameShapes) -> Slices[list[str]]:
    """Return the paths of notes whose names, by their ``shapes``, may be like ``name``."""
    graph = snapshot.graph
    ids = yield from _ids_like(shapes, name, graph, graph.note_slots)
    return list(map(graph.path, ids[graph.is_live[ids]].tolist()))


def _ids_like(shapes: NameShapes, name: str, graph: ConceptGraph, count: int) -> Slices[Int64Array]:
    for _ in shapes.grow(graph, count):
        yield PAUSE
    return shapes.like(name, graph, count)


def _close_notes_to(snapshot: Snapshot, path: str) -> Slices[tuple[str, ...]]:
    """Return the paths of notes with names like the last part of ``path``, or all of it.

    Notes with the same file name come first, since the note may have been moved; of these, the
    ones with the most similar paths.
    """
    stem = file_name(path)
    namesakes = yield from _most_like(path, snapshot.names.notes_with_stem(normalize(stem)))
    close = yield from _notes_named_like(snapshot, stem)
    if stem != path and len(close) < SUGGESTIONS_MAX:  # "/" may belong to a title
        close += yield from _notes_named_like(snapshot, path)
    close = close or (yield from _notes_within_edits(snapshot, stem))
    return tuple(dict.fromkeys((*namesakes, *close)))[:SUGGESTIONS_MAX]


def _notes_within_edits(snapshot: Snapshot, stem: str) -> Slices[tuple[str, ...]]:
    """Return the paths of notes whose file names differ from ``stem`` by few edits.

    This finds short names too, which may share no trigram. Returns nothing in vaults of over
    ``NAMES_SPLIT_MAX`` notes, since it compares all of them.
    """
    graph = snapshot.graph
    if graph.note_slots > NAMES_SPLIT_MAX or not is_corrigible(stem):
        return ()
    ranked: list[tuple[int, str]] = []
    for note_ids in batched(np.flatnonzero(graph.is_live)):
        paths = list(map(graph.path, note_ids))
        names = [file_name(path).casefold() for path in paths]
        near = edit_distances(stem.casefold(), names)
        ranked += ((distance, paths[index]) for index, distance in near)
        yield PAUSE
    return tuple(path for _, path in nsmallest(SUGGESTIONS_MAX, ranked))


def _most_like(path: str, paths: Iterable[str]) -> Slices[list[str]]:
    """Return up to ``SUGGESTIONS_MAX`` of ``paths``, most similar to ``path`` first."""
    trigrams = name_trigrams(path)
    ranked: list[tuple[float, str]] = []
    for number, other in enumerate(paths):
        if number % SLICE_ROWS == 0:
            yield PAUSE
        ranked.append((-name_similarity(trigrams, without_extension(other)), other))
    return [other for _, other in nsmallest(SUGGESTIONS_MAX, ranked)]


def _notes_named_like(snapshot: Snapshot, name: str) -> Slices[tuple[str, ...]]:
    """Return the paths of notes with file names, titles or aliases like ``name``."""
    shapes, titles = snapshot.name_shapes, snapshot.lists.paths_by_title
    by_file = yield from _paths_like(snapshot, name, shapes.files)
    named = [(file_name(path), path) for path in by_file]
    for title in (yield from shapes.titles.like(name, titles)):
        named += ((title, path) for path in titles[title])
    for alias in (yield from shapes.aliases.like(name, snapshot.names.notes_by_alias)):
        named += ((alias, path) for path in snapshot.names.notes_with_alias(alias))
    return (yield from _closest(name, named))


def with_similar_names(snapshot: Snapshot, error: NotFound) -> Slices[NotFound]:
    """Return ``error``; an ``UnknownNote`` gets the notes with similar names as suggestions.

    Its hint tells if the name is that of a note left out of the index, of a concept without a note,
    or of a file of code.
    """
    if not isinstance(error, UnknownNote):
        return error
    reading = path_reading(error.reference)
    if reading.name.partition("::")[0] in snapshot.code.files:
        hint = "it is a file of code: `code` tells what is in it; its text is in the file alone"
        return UnknownNote(error.reference, hint)
    if left_out_note(snapshot, reading.name) is not None:
        hint = "its note is left out of the index: `why` tells the reason"
        return UnknownNote(error.reference, hint)
    paths = yield from _close_notes_to(snapshot, without_extension(reading.name))
    concept = snapshot.concept_named(reading.name)
    if concept is not None and _is_mentioned(snapshot.graph, concept):
        concept_paths = nsmallest(SUGGESTIONS_MAX, snapshot.paths_by_concept.get(concept, ()))
        if not concept_paths:
            hint = "it is a concept without a note: `concept` tells what it goes with"
            return UnknownNote(error.reference, hint, tuple(map(to_uri, paths)))
        paths = tuple(dict.fromkeys((*concept_paths, *paths)))[:SUGGESTIONS_MAX]
    if not paths:
        hint = "`recent` lists notes, `search` looks in their text"
        return UnknownNote(error.reference, hint)
    similar = map(shown_name, map(without_extension, paths))
    hint = f"close to it: {', '.join(similar)}"
    return UnknownNote(error.reference, hint, tuple(map(to_uri, paths)))


def ignored_names(snapshot: Snapshot, unknown: Iterable[str]) -> tuple[str, ...]:
    """Return the unknown concept names that the vault's rules ignore."""
    return tuple(
        name
        for name in unknown
        if any(snapshot.names.is_ignored(reading.name) for reading in readings(name))
    )


def close_concepts(snapshot: Snapshot, unknown: Iterable[str]) -> Slices[tuple[str, ...]]:
    """Return the concepts with names similar to unknown ones, at most ``SUGGESTIONS_MAX`` each."""
    suggestions: dict[str, None] = {}
    for reference in unknown:
        *_, reading = readings(reference)
        name = normalize(reading.name)
        if name:
            similar = yield from close_concepts_to(snapshot, name)
            similar = similar or (yield from _concepts_with_words_like(snapshot, name))
            acronyms = yield from _acronyms(snapshot, name)
            similar = tuple(dict.fromkeys((*acronyms, *similar)))[:SUGGESTIONS_MAX]
            suggestions |= dict.fromkeys(similar)
    return tuple(suggestions)
