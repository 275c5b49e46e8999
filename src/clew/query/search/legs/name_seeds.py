"""Weights of the notes and concepts that a query names, from which the graph leg starts.

A name weighs more the fewer notes have it, and the more of the query it covers.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.index.formulas.bm25 import inverse_frequency
from clew.query.search.named import WORDS_MAX, Named
from clew.text.stopwords import STOP_WORDS
from clew.text.terms import query_words

COVERED_FULL = 0.25  # of a query: a name that covers less of it has less weight


def seeds_of(
    snapshot: Snapshot, named: Sequence[Named], query: str
) -> tuple[dict[int, float], dict[int, float]]:
    """Return weights of the named notes, by note id, and of the named concepts, by concept id.

    The weight of a name is its ``rarity`` times its ``prominence`` in the query. If it names no
    concept of the graph, its notes share that weight.
    """
    note_weights: dict[int, float] = {}
    concept_weights: dict[int, float] = {}
    graph, note_count = snapshot.graph, snapshot.derived.layout.note_count
    for match, covered in zip(named, _covered_shares(snapshot, named, query), strict=True):
        concept_id = graph.concept_id(match.concept) if match.concept else None
        if concept_id is not None:
            mentions = graph.note_count(concept_id)
            concept_weights[concept_id] = rarity(note_count, mentions) * prominence(covered)
            continue
        weight = rarity(note_count, len(match.paths)) * prominence(covered)
        for path in match.paths:
            note_id = graph.note_id(path)
            assert note_id is not None
            note_weights[note_id] = note_weights.get(note_id, 0.0) + weight / len(match.paths)
    return note_weights, concept_weights


def rarity(note_count: int, frequency: int) -> float:
    """Return how rare a name is that ``frequency`` of ``note_count`` notes have, in (0, 1].

    Its inverse document frequency, divided by that of a name that one note has.
    """
    return inverse_frequency(note_count, max(1, frequency)) / inverse_frequency(note_count, 1)


def prominence(covered: float) -> float:
    """Return the factor of the weight of a name that covers this share of a query; 0..1.

    A long question with several names may be about each of them: so a name has its full weight if
    it covers ``COVERED_FULL`` of the query.
    """
    return min(1.0, covered / COVERED_FULL)


def _covered_shares(snapshot: Snapshot, named: Sequence[Named], query: str) -> list[float]:
    """Return which share of the words of ``query`` each name is, weighed by how rare they are.

    Stop words count only for a name that has no other words.
    """
    if not named:
        return []
    words_of_query = dict.fromkeys(query_words(query)[:WORDS_MAX])
    words_by_name = [dict.fromkeys(query_words(" ".join(match.words))) for match in named]
    are_grammar = [STOP_WORDS.issuperset(name) for name in words_by_name]
    counted = dict.fromkeys(chain(words_of_query, *words_by_name))
    if not any(are_grammar):  # stop words are in most notes, so that counting these takes longest
        counted = dict.fromkeys(word for word in counted if word not in STOP_WORDS)
    weights = _word_weights(snapshot, counted)

    def total(words: Iterable[str], ignored: AbstractSet[str]) -> float:
        return sum(weights[word] for word in words if word not in ignored)

    def covered(name: Iterable[str], is_grammar: bool) -> float:
        ignored = frozenset() if is_grammar else STOP_WORDS
        of_query = total(words_of_query, ignored)
        return min(1.0, total(name, ignored) / of_query) if of_query else 1.0

    return list(map(covered, words_by_name, are_grammar))


def _word_weights(snapshot: Snapshot, words: Iterable[str]) -> dict[str, float]:
    """Return the inverse document frequency of each word and its stem, in parts of notes.

    A part with several words of one stem counts for each.
    """
    passages, languages = snapshot.passages, snapshot.languages
    part_count = passages.totals.notes + passages.totals.chunks
    ids_by_word = {word: passages.keyword.ids_of_term(languages.term_of(word)) for word in words}
    ids = sorted(set(chain.from_iterable(ids_by_word.values())))
    counts = dict(zip(ids, passages.live_counts(np.array(ids, np.int64)).tolist(), strict=True))
    return {
        word: inverse_frequency(part_count, min(part_count, sum(map(counts.__getitem__, its_ids))))
        for word, its_ids in ids_by_word.items()
    }
