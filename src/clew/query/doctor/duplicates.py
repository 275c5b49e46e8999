"""Concepts that are likely the same under two names: written alike, or close in meaning.

Two names are compared only if they share a key, such as their stems without spaces or a rare word,
or if one is among the nearest to a concept that many notes mention. Keys that more than
``NAMES_A_KEY_MAX`` names have are skipped. So the work grows with the number of concepts and not
with its square.

- Names that are the same but for spaces, signs and a plural are duplicates.
- All other pairs need evidence from the graph, and one of the two must be without a note of its
  own, since a person who keeps a note for each means two things. Names that differ in one letter,
  in endings or accents, or have the same words in another order, need one of two kinds of evidence:
  vectors of the names that are close, or neighbours in common. Other names need both, and no note
  in common, since two names of one thing are rarely used in the same note.

Names that differ in a number are never duplicates: dates, versions, parts. Nor is a name that adds
words to the other, since it mostly is a special case.
"""

import re
from array import array
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from rapidfuzz.distance import OSA

from clew.engine.name_vectors import NameVectors
from clew.engine.snapshot import Snapshot
from clew.index.graph_rows import most_mentioned
from clew.index.structures.id_sums import distinct_ids
from clew.query.slices import PAUSE, SLICE_ROWS, Slices
from clew.text.stopwords import STOP_WORDS
from clew.text.terms import term_of, without_accents
from clew.values.arrays import Int32Array, Int64Array, IntegerArray

CONCEPTS_MAX = 200_000  # concepts that are compared, by id
STEP_ROWS = 32  # names or pairs that are compared between pauses
PAIRS_MAX = 100_000  # pairs of names to compare
NAMES_A_KEY_MAX = 16  # a key that more names have says little about them
NOTES_MIN = 2  # a concept in fewer notes has neighbours by chance
NOTES_MAX = 200  # a concept in more notes is compared by its name alone
LETTERS_MIN = 6  # a shorter word may well differ from another by one letter
SINGULAR_MAX = 3  # letters of a word that is never taken for a plural
LETTERS_MAX = 40  # first letters of a name, one of which may be wrong
SAME_NAMES = 0.8  # the cosine of two names that mean the same
SIMILAR_NAMES = 0.7  # the cosine of two names that are close in meaning
COMMON_NEIGHBOURS = 0.5  # the share of the smaller neighbourhood that both have
COMMON_NEIGHBOURS_MIN = 4
MENTIONED_MAX = 200  # most mentioned concepts, whose nearest names are compared too
NEAREST_MAX = 5
_ALIKE, _REORDERED, _MISSPELT = "written alike", "the same words", "one letter apart"
_ENDINGS, _SAME_MEANING = "other endings or accents", "names of one meaning"
_WORDS = re.compile(r"[^\W_]+")
_NUMBERS = re.compile(r"\d+|[+#*/<>=%&@$]+")  # and signs that tell C++ from C


class Duplicate(NamedTuple):
    """Two concepts that are likely the same; the one in fewer notes comes first."""

    name: str
    other: str
    reason: str  # in words, to show


class _Name(NamedTuple):
    """A concept and the forms in which its name is compared."""

    name: str
    singular: str  # its letters and digits, each word without the ending of a plural
    letters: str  # of its stems, without accents
    stems: tuple[str, ...]
    numbers: tuple[str, ...]
    has_note: bool  # whether the concept has a note of its own


class _Columns(NamedTuple):
    """What is compared first of two names, by the index of a name."""

    singular: Int64Array  # equal for equal forms
    lengths: Int64Array  # of the letters
    slots: Int64Array  # of the vectors; empty if they cannot be used


def duplicates(snapshot: Snapshot, vectors: NameVectors | None) -> Slices[list[Duplicate]]:
    """Return the likely duplicates among the concepts, by name.

    ``vectors``: of the names, or ``None`` if they cannot be used.
    """
    names = yield from _names(snapshot)
    by_keys = yield from _pairs(names)
    pairs = by_keys.union((yield from _nearest_pairs(snapshot, vectors, names)))
    numbers = np.fromiter(pairs, np.int64, len(pairs))
    close = yield from _close_pairs(vectors, names, numbers)
    rows = set()
    for at, (pair, similarity) in enumerate(close):
        if at % STEP_ROWS == 0:
            yield PAUSE
        one, two = _pair(names, pair)
        kind = _kind(one, two, similarity)
        if kind is None:
            continue
        reason = _reason(snapshot, one, two, kind, similarity)
        yield PAUSE
        if reason is not None:
            rows.add(_ordered(snapshot, one.name, two.name, reason))
    return sorted(rows)


def _names(snapshot: Snapshot) -> Slices[list[_Name]]:
    graph = snapshot.graph
    stemmer = next(iter(snapshot.languages.stemmers), "")
    ids = np.flatnonzero(graph.note_counts)[:CONCEPTS_MAX].tolist()
    names = []
    for at, concept in enumerate(ids):
        if at % STEP_ROWS == 0:
            yield PAUSE
        name = graph.name(concept)
        names.append(_forms(name, stemmer, has_note=name in snapshot.paths_by_concept))
    return names


def _forms(name: str, stemmer: str, *, has_note: bool) -> _Name:
    words = _WORDS.findall(name)
    stems = tuple(without_accents(term_of(word, stemmer)) for word in words)
    numbers = tuple(sorted(_NUMBERS.findall(name)))
    singular = "".join(map(_singular, words))
    return _Name(name, singular, "".join(stems), stems, numbers, has_note)


def _singular(word: str) -> str:
    """Return a word without the ending of a regular English plural."""
    if len(word) <= SINGULAR_MAX or word.endswith("ss") or not word.endswith("s"):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") else word[:-1]


def _pair_number(names: Sequence[_Name], first: int, second: int) -> int:
    """Return one number for a pair of indexes, since freeing 100,000 tuples takes far longer."""
    return min(first, second) * len(names) + max(first, second)


def _pair(names: Sequence[_Name], number: int) -> tuple[_Name, _Name]:
    first, second = divmod(number, len(names))
    return names[first], names[second]


def _pairs(names: Sequence[_Name]) -> Slices[set[int]]:
    """Return the numbers of the pairs of names that share a key.

    Keys are compared by their hashes, in arrays: a table of a million strings would hold up other
    clients each time it grows. A collision of hashes only means that two more names are compared.
    """
    hashes, name_indexes = array("q"), array("q")  # by key: its hash, and the index of its name
    for at, name in enumerate(names):
        if at % STEP_ROWS == 0:
            yield PAUSE
        keys = set(map(hash, _keys(name)))
        hashes.extend(keys)
        name_indexes.extend([at] * len(keys))
    grouped: list[tuple[Int64Array, Int64Array, Int64Array]] = []
    yield lambda: grouped.append(
        _groups(np.frombuffer(hashes, "q"), np.frombuffer(name_indexes, "q"))
    )
    ((members, starts, lengths),) = grouped
    pairs: set[int] = set()
    for at, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
        if at % STEP_ROWS == 0:
            yield PAUSE
        pairs.update(
            _pair_number(names, first, second)
            for first, second in combinations(members[start : start + length].tolist(), 2)
            if _may_be_one(names[first], names[second])
        )
        if len(pairs) >= PAIRS_MAX:
            break
    return pairs


def _groups(
    hashes: Int64Array, name_indexes: Int64Array
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Group names by equal hashes; return the names by hash, and starts and lengths of groups.

    Only groups of 2 to ``NAMES_A_KEY_MAX`` names count. They are sorted by their first name, so
    that their order does not depend on the hashes. Indexes of names rise in each.
    """
    order = np.argsort(hashes, kind="stable")
    starts = np.flatnonzero(np.diff(hashes[order], prepend=hashes[order[:1]] - 1))
    lengths = np.diff(starts, append=len(order))
    is_kept = (lengths > 1) & (lengths <= NAMES_A_KEY_MAX)
    starts, lengths = starts[is_kept], lengths[is_kept]
    by_first = np.argsort(order[starts], kind="stable")
    return name_indexes[order], starts[by_first], lengths[by_first]


def _may_be_one(one: _Name, two: _Name) -> bool:
    """Return whether two names need to be compared at all."""
    if one.numbers != two.numbers:
        return False
    return one.singular == two.singular or not (one.has_note and two.has_note)


def _keys(name: _Name) -> Iterator[object]:
    """Yield the keys of a name: its letters, these without any one, its words, and all of them."""
    letters = name.letters
    if letters:
        yield letters
    if len(letters) >= LETTERS_MIN:
        # Names one edit apart share a form without one letter, or one is such a form of the other.
        # Source: W. Garbe, "SymSpell", 2012.
        for at in range(min(len(letters), LETTERS_MAX)):
            yield letters[:at] + letters[at + 1 :]
    for stem in set(name.stems) - STOP_WORDS:
        yield " ", stem
    if len(name.stems) > 1:
        yield tuple(sorted(name.stems))  # names that have the same words in another order


def _nearest_pairs(
    snapshot: Snapshot, vectors: NameVectors | None, names: Sequence[_Name]
) -> Slices[list[int]]:
    """Return the numbers of the pairs of the most mentioned concepts with the nearest names."""
    if vectors is None:
        return []
    index_by_name = {name.name: at for at, name in enumerate(names)}
    pairs = []
    for concept in most_mentioned(snapshot.graph, MENTIONED_MAX):
        name = snapshot.graph.name(concept)
        for other, similarity in vectors.nearest(name, NEAREST_MAX)[:NEAREST_MAX]:
            if similarity >= SIMILAR_NAMES and name in index_by_name and other in index_by_name:
                first, second = index_by_name[name], index_by_name[other]
                if _may_be_one(names[first], names[second]):
                    pairs.append(_pair_number(names, first, second))
        yield PAUSE
    return pairs


def _columns(vectors: NameVectors | None, names: Sequence[_Name]) -> Slices[_Columns]:
    """Return what is compared first of all names."""
    singular, lengths, slots = array("q"), array("q"), array("q")
    forms: dict[str, int] = {}
    for start in range(0, len(names), SLICE_ROWS):
        part = names[start : start + SLICE_ROWS]
        singular.extend(forms.setdefault(name.singular, len(forms)) for name in part)
        lengths.extend(len(name.letters) for name in part)
        if vectors is not None:
            slots.extend(vectors.slots(name.name for name in part).tolist())
        yield PAUSE
    return _Columns(*(np.frombuffer(column, np.int64) for column in (singular, lengths, slots)))


def _close_pairs(
    vectors: NameVectors | None, names: Sequence[_Name], numbers: Int64Array
) -> Slices[list[tuple[int, float]]]:
    """Return the pairs that may have a kind, each with the cosine of the vectors, else 0.

    Most pairs only share a word: they are not written alike, have more letters or fewer, and do not
    mean the same.
    """
    columns = yield from _columns(vectors, names)
    close: list[tuple[int, float]] = []
    for start in range(0, len(numbers), SLICE_ROWS):
        part = numbers[start : start + SLICE_ROWS]
        first, second = np.divmod(part, len(names))
        similarities = np.zeros(len(part))
        if vectors is not None:
            similarities = vectors.similarities(columns.slots[first], columns.slots[second])
        is_close = np.abs(columns.lengths[first] - columns.lengths[second]) <= 1
        is_close |= columns.singular[first] == columns.singular[second]
        is_close |= similarities >= SAME_NAMES
        close += zip(part[is_close].tolist(), similarities[is_close].tolist(), strict=True)
        yield PAUSE
    return close


def _kind(one: _Name, two: _Name, similarity: float) -> str | None:
    """Return how two names are alike, in words; ``None`` if they need not be looked at closer."""
    if one.singular == two.singular:
        return _ALIKE
    if one.letters == two.letters:
        return _ENDINGS
    words, others = set(one.stems), set(two.stems)
    if words < others or others < words:
        return None
    if sorted(one.stems) == sorted(two.stems):
        return _REORDERED
    if _is_misspelt(one, two):
        return _MISSPELT
    return _SAME_MEANING if similarity >= SAME_NAMES else None


def _reason(snapshot: Snapshot, one: _Name, two: _Name, kind: str, similarity: float) -> str | None:
    """Return why two concepts are likely one, in words; ``None`` if the evidence is too weak."""
    if kind == _ALIKE:
        return kind
    concepts = [_concept(snapshot, name.name) for name in (one, two)]
    notes = [snapshot.graph.notes_of(concept) for concept in concepts]
    note_counts = sorted(map(len, notes))
    # All concepts of a note are neighbours, so the neighbours of a concept in one note say nothing.
    have_enough = note_counts[0] >= NOTES_MIN and note_counts[1] <= NOTES_MAX
    if kind == _SAME_MEANING and (not have_enough or _common_count(*notes)):
        return None
    share, common_count = _neighbourhoods(snapshot, concepts, notes) if have_enough else (0.0, 0)
    have_neighbours = share >= COMMON_NEIGHBOURS
    if not have_neighbours and (kind == _SAME_MEANING or similarity < SIMILAR_NAMES):
        return None
    evidence = [f"{common_count} neighbours in common"] if have_neighbours else []
    return ", ".join([kind, *evidence])


def _is_misspelt(one: _Name, two: _Name) -> bool:
    """Return whether the names differ in one letter of a long word, or in a space and a letter.

    Words that have digits, or differ in the first letter, are rarely misspelt: they are other
    names.
    """
    if len(one.stems) != len(two.stems):
        differing = [(one.letters, two.letters)]
    else:
        differing = [pair for pair in zip(one.stems, two.stems, strict=True) if len(set(pair)) == 2]
    if len(differing) != 1:
        return False
    first, second = differing[0]
    has_digits = _NUMBERS.search(first + second) is not None
    is_long = min(len(first), len(second)) >= LETTERS_MIN
    if has_digits or not is_long or first[0] != second[0]:
        return False
    return OSA.distance(first, second, score_cutoff=1) <= 1


def _neighbourhoods(
    snapshot: Snapshot, concepts: Sequence[int], notes: Sequence[Int32Array]
) -> tuple[float, int]:
    """Return the common share of the smaller neighbourhood, and the number of common neighbours.

    The share is 0 if there are too few of these. ``notes``: of each of the two concepts.
    """
    themselves, neighbours = np.array(concepts), []
    for note_ids in notes:
        mentioned = distinct_ids(snapshot.graph.concepts_of_notes(note_ids)[0].astype(np.int64))
        neighbours.append(np.setdiff1d(mentioned, themselves, assume_unique=True))
    common_count = _common_count(*neighbours)
    if common_count < COMMON_NEIGHBOURS_MIN:
        return 0.0, common_count
    return common_count / min(map(len, neighbours)), common_count


def _common_count(ids: IntegerArray, others: IntegerArray) -> int:
    """Return how many ids are in both; each has an id once."""
    return len(np.intersect1d(ids, others, assume_unique=True))


def _concept(snapshot: Snapshot, name: str) -> int:
    concept = snapshot.graph.concept_id(name)
    assert concept is not None
    return concept


def _ordered(snapshot: Snapshot, first: str, second: str, reason: str) -> Duplicate:
    names = sorted((first, second), key=lambda name: (_note_count(snapshot, name), name))
    return Duplicate(names[0], names[1], reason)


def _note_count(snapshot: Snapshot, name: str) -> int:
    concept = snapshot.graph.concept_id(name)
    return 0 if concept is None else snapshot.graph.note_count(concept)
