"""Relevance of passages that share names with the best ones.

A question may need several notes: "the waterfall in the country of the Bubye River" does not name
Zimbabwe. The passage about the river does, and the passage about the waterfall has that name too.
So the relevance of a passage rises by at most ``SHARED`` of the highest one. The share of that is
the product of

- the relevance of one of the ``BEST`` passages, of another note, as a share of the highest;
- the sum, at most 1, of the rarities of the names that both have and the query lacks;
- twice the share of the query's terms, by weight, that the other passage lacks, at most 1: nothing
  is looked for beside a passage that has all that was asked for;
- how much of what the other one lacks the passage has: from ``LEAST``, if it has none of it, to 1.

A name is a word with a capital letter, in a title or inside a sentence, that few passages have. The
first word of a link's target is none, as it has a capital letter in any case, and no month is.
This is pseudo-relevance feedback with names alone, and ranks only what search found: Rocchio,
"Relevance feedback in information retrieval", 1971.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from clew.engine.snapshot import Snapshot
from clew.query.context.formulas.relevance import RankedSlots
from clew.query.search.legs.name_seeds import rarity
from clew.query.search.matching import WordMatches
from clew.text.dates.days import MONTHS, WEEKDAYS
from clew.values.arrays import BoolArray, Float64Array, Int64Array, IntegerArray

SHARED = 0.5  # of the highest relevance: the most that names add
LEAST = 0.4  # of that, for a passage with nothing of what the better one lacks
BEST = 3  # passages whose names are looked for
NAME_SHARE_MAX = 0.01  # of the passages of the vault: at most so many have a name
NAME_PASSAGES_MIN = 4  # so many may have one in a small vault
NAMES_MAX = 20  # of a passage, the rarest; so the names of ``BEST`` passages fit into 64 bits

# Words that may begin with a capital letter: all, and those that begin no sentence and no link.
_WORD = re.compile(r"\b[^\W\d_a-z]\w+")
_INNER = re.compile(rf"(?:(?<=[\w,;] )|(?<= \()|(?<=\w[-'\u2019])){_WORD.pattern}")
_LEAST_WEIGHT = 1e-9  # of all terms, so that nothing is divided by 0
_NO_NAMES = frozenset((*MONTHS, *WEEKDAYS))


def with_shared_names(
    snapshot: Snapshot, matches: WordMatches, ranked: RankedSlots, superseded: Sequence[int]
) -> RankedSlots:
    """Return the ranked slots with those higher that share names with the best.

    Notes with the ids ``superseded`` stay as they are, as each has the name of its live note.
    """
    if not len(ranked.slots):
        return ranked
    passages = _NamedPassages(snapshot, ranked.slots)
    names = _names(snapshot, matches, passages.slots[:BEST].tolist())
    shared = passages.sums(names)
    if superseded:
        shared[:, np.isin(snapshot.passages.slots.note_ids[ranked.slots], superseded)] = 0.0
    sharing = np.flatnonzero(shared.any(axis=0))
    lacked, found = passages.lacked_and_found(matches, len(names), sharing)
    shares = np.minimum(1.0, shared[:, sharing]) * _lead(lacked, found)
    relevance = ranked.relevance.copy()
    of_best = ranked.relevance[: len(names), np.newaxis]
    relevance[sharing] += SHARED * (of_best * shares).max(axis=0)
    return RankedSlots.ordered(ranked.slots, relevance)


def _lead(lacked: Float64Array, found: Float64Array) -> Float64Array:
    """Return how much a passage may add to a better one, 0..1.

    ``lacked``: the share of the query that the better one lacks; ``found``: the share of that which
    the passage has.
    """
    factor: Float64Array = np.minimum(1.0, 2.0 * lacked) * (LEAST + (1.0 - LEAST) * found)
    return factor


def _names(
    snapshot: Snapshot, matches: WordMatches, slots: Sequence[int]
) -> list[dict[int, float]]:
    """Return the names in each of these passages: the rarity of each, by word id.

    Words of the query are left out, and those that no other passage has.
    """
    passages, languages = snapshot.passages, snapshot.languages
    words_by_passage = [_capitalized_words(snapshot, slot) for slot in slots]
    found = ((word, passages.keyword.id_of(word)) for word in set(chain(*words_by_passage)))
    id_by_word = {word: word_id for word, word_id in found if word_id is not None}
    ids = sorted(id_by_word.values())
    counts = passages.live_counts(np.array(ids, np.int64)).tolist()
    count_by_id = dict(zip(ids, counts, strict=True))
    total = passages.totals.notes + passages.totals.chunks
    most = max(NAME_PASSAGES_MIN, NAME_SHARE_MAX * total)
    count_by_name = {
        word: count_by_id[word_id]
        for word, word_id in id_by_word.items()
        if 1 < count_by_id[word_id] <= most and languages.term_of(word) not in matches.query.terms
    }
    return [
        {
            id_by_word[name]: rarity(total, count_by_name[name])
            for name in sorted(
                words & count_by_name.keys(), key=lambda name: (count_by_name[name], name)
            )[:NAMES_MAX]
        }
        for words in words_by_passage
    ]


def _capitalized_words(snapshot: Snapshot, slot: int) -> set[str]:
    """Return the words with a capital letter in a passage and the title of its note, folded."""
    slots = snapshot.passages.slots
    note = snapshot.note(snapshot.graph.path(int(slots.note_ids[slot])))
    part = int(slots.parts[slot])
    text = note.text[note.chunks[part - 1].start : note.chunks[part - 1].end] if part else ""
    found = (*_WORD.findall(note.title), *_INNER.findall(text))
    words = {word.casefold() for word in found if word[0].isupper()}
    return words - snapshot.languages.stop_words - _NO_NAMES


class _NamedPassages:
    """Ranked passages; each has the words of its note's head too."""

    def __init__(self, snapshot: Snapshot, slots: Int64Array) -> None:
        self._of_vault = snapshot.passages
        of_vault = snapshot.passages.slots
        note_ids = of_vault.note_ids[slots]
        self._heads = of_vault.firsts[note_ids].astype(np.int64)
        # A head stands for the first chunk.
        self.slots = slots + ((slots == self._heads) & (of_vault.counts[note_ids] > 1))

    def sums(self, weights: Sequence[Mapping[int, float]]) -> Float64Array:
        """Return the sums of the weights of the words that passages have.

        ``weights``: by word id, for each of the first passages. The result has a row for each of
        these and a column for each passage, and 0 where both are of one note.
        """
        ids = list(dict.fromkeys(chain(*weights)))
        bits = np.uint64(1) << np.arange(len(ids), dtype=np.uint64)[:, np.newaxis]
        has = np.zeros(len(self._of_vault.slots), np.uint64)  # by slot: a bit for each word
        for bit, slots in zip(bits, self._of_vault.slots_by_word(ids), strict=True):
            has[slots] |= bit
        has_word = (has.take(self.slots) | has.take(self._heads)) & bits > 0
        rows = [[weight_by_id.get(word_id, 0.0) for word_id in ids] for weight_by_id in weights]
        sums: Float64Array = np.array(rows).reshape(len(weights), len(ids)) @ has_word
        sums[self._heads[: len(weights), np.newaxis] == self._heads] = 0.0
        return sums

    def lacked_and_found(
        self, matches: WordMatches, best: int, among: Int64Array
    ) -> tuple[Float64Array, Float64Array]:
        """Return what the first ``best`` passages lack of the query's terms, and who has it.

        The first array has a row for each of the best, and one column: the share of the terms, by
        weight, that it lacks. The second has a column for each passage ``among`` all: the share of
        these terms that it has.
        """
        wanted = np.append(np.arange(best), among)
        slots, heads = self.slots[wanted], self._heads[wanted]
        terms = matches.slots_by_term
        has = [_is_in(slots, term.slots) | _is_in(heads, term.slots) for term in terms]
        has_term = np.array(has, np.bool_).reshape(len(terms), len(wanted))
        weights = np.array([term.weight for term in terms])
        missing = weights * ~has_term[:, :best].T
        totals: Float64Array = missing.sum(axis=1, keepdims=True)
        found: Float64Array = missing @ has_term[:, best:] / np.where(totals > 0, totals, 1.0)
        return totals / max(float(weights.sum()), _LEAST_WEIGHT), found


def _is_in(slots: Int64Array, rising: IntegerArray) -> BoolArray:
    """Return which of ``slots`` are among ``rising``, which is not empty."""
    is_in: BoolArray = rising.take(rising.searchsorted(slots), mode="clip") == slots
    return is_in
