"""The keyword index compared with a dictionary, after any edits."""

from array import array
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from clew.index.keyword import COUNT_MAX, KeywordIndex
from clew.text.terms import term_of
from clew.values.note_words import Words
from tests.examples import examples

VOCABULARY = [
    "graph",
    "graphs",
    "graphing",
    "cafe",
    "café",
    "東京",
    "ไทย",
    "книга",
    "книги",
    "2026",
    "é",
]
Part = dict[str, int]
parts = st.dictionaries(
    st.sampled_from(VOCABULARY), st.sampled_from([1, 2, 3, 50, COUNT_MAX, COUNT_MAX + 1, 100_000])
)
notes = st.lists(parts, min_size=1, max_size=4)


def words_of(note: list[Part]) -> Words:
    """Return the sparse table of a note's parts."""
    places: dict[str, int] = {}
    columns = array("i"), array("i"), array("i")
    for part, table in enumerate(note):
        for word, count in table.items():
            for column, value in zip(
                columns, (places.setdefault(word, len(places)), part, count), strict=True
            ):
                column.append(value)
    return Words("".join(f"{word}\n" for word in places), *(column.tobytes() for column in columns))


class KeywordMachine(RuleBasedStateMachine):
    """Slots with their words; the reader leaves dead slots out, as the engine does."""

    def __init__(self) -> None:
        super().__init__()
        self.index = KeywordIndex("english")
        self.slots: list[Part | None] = []

    @rule(note=notes)
    def put(self, note: list[Part]) -> None:
        self.index.put(len(self.slots), len(note), words_of(note))
        self.slots += note

    @rule(data=st.data())
    def drop(self, data: st.DataObject) -> None:
        if self.slots:
            self.slots[data.draw(st.integers(0, len(self.slots) - 1))] = None

    @rule(data=st.data())
    def compact(self, data: st.DataObject) -> None:
        alive = [at for at, part in enumerate(self.slots) if part is not None]
        kept = data.draw(st.permutations(alive))
        self.index.compact(np.array(kept, np.int64))
        self.slots = [self.slots[at] for at in kept]
        standing = {word for part in self.slots if part for word in part}
        assert self.index.words == sorted(standing)
        assert not len(self.index.tail[0])
        words, _, _ = self.index.all_postings()
        assert (np.diff(words) >= 0).all()

    @rule(portion=st.integers(1, 4))
    def come_back_from_columns(self, portion: int) -> None:
        index, back = self.index, KeywordIndex("english")
        terms, ids, seen = index.terms(), [term for _, term in index.vocabulary()], 0
        for start in range(0, len(index.words), portion):
            some = ids[start : start + portion]
            known = max(seen, max(some) + 1)
            words = index.words[start : start + portion]
            back.add_words(words, terms[seen:known], np.array(some, np.int32))
            seen = known
        assert seen == len(terms)
        back.replace_postings(index.starts, index.slots, index.counts, index.lengths)
        back.append_to_tail(*index.tail)
        self.index = back

    def found(self, words: list[str]) -> dict[int, int]:
        """Return the live slots that contain any of these words, with counts."""
        ids = [self.index.id_of(word) for word in words]
        slots, counts = self.index.postings_of([each for each in ids if each is not None])
        found: Counter[int] = Counter()
        for slot, count in zip(slots.tolist(), counts.tolist(), strict=True):
            if self.slots[slot] is not None:
                found[slot] += count
        return dict(found)

    @invariant()
    def every_word_is_found_where_it_stands(self) -> None:
        for word in VOCABULARY:
            expected = {
                at: min(part[word], COUNT_MAX)
                for at, part in enumerate(self.slots)
                if part and word in part
            }
            assert self.found([word]) == expected

    @invariant()
    def words_of_a_term_are_found_together(self) -> None:
        for term in {term_of(word, "english") for word in VOCABULARY}:
            ids = self.index.ids_of_term(term)
            assert ids == sorted(ids)
            words = {self.index.words[each] for each in ids}
            assert all(term_of(word, "english") == term for word in words)
            alike = [word for word in VOCABULARY if term_of(word, "english") == term]
            assert words >= {word for part in self.slots if part for word in part} & set(alike)
            merged: Counter[int] = Counter()
            for word in alike:
                merged.update(self.found([word]))
            assert self.found(alike) == dict(merged)
        assert self.index.ids_of_term("unheard") == []

    @invariant()
    def lengths_are_exact(self) -> None:
        lengths = self.index.lengths.tolist()
        assert len(lengths) == len(self.slots)
        for length, part in zip(lengths, self.slots, strict=True):
            assert part is None or length == sum(part.values())

    @invariant()
    def rows_are_all_cells(self) -> None:
        rows = zip(*(column.tolist() for column in self.index.all_postings()), strict=True)
        found = sorted(
            (slot, self.index.words[word], count)
            for word, slot, count in rows
            if self.slots[slot] is not None
        )
        expected = [
            (at, w, min(c, COUNT_MAX))
            for at, part in enumerate(self.slots)
            for w, c in (part or {}).items()
        ]
        assert found == sorted(expected)


KeywordMachine.TestCase.settings = examples(60, stateful_step_count=25)
TestKeyword = KeywordMachine.TestCase


@given(st.lists(notes, max_size=5), st.randoms(use_true_random=False))
@examples(50)
def test_a_compacted_index_does_not_depend_on_the_order_of_edits(
    saved: list[list[Part]], chance: object
) -> None:
    """The same notes in any order give the same compacted index."""
    shuffle = chance.shuffle  # type: ignore[attr-defined]
    order = list(range(len(saved)))
    shuffle(order)
    outcomes = []
    for each in (sorted(order), order):
        index, firsts = KeywordIndex(""), {}
        for number in each:
            firsts[number] = len(index.lengths)
            index.put(firsts[number], len(saved[number]), words_of(saved[number]))
        kept = [firsts[n] + part for n in sorted(order) for part in range(len(saved[n]))]
        index.compact(np.array(kept, np.int64))
        columns = (index.starts, index.slots, index.counts, index.lengths)
        outcomes.append((index.words, index.terms(), [column.tolist() for column in columns]))
    assert outcomes[0] == outcomes[1]


def index_of(words: int, slots: int) -> KeywordIndex:
    index = KeywordIndex("")
    index.put(0, slots, words_of([{f"w{n}": 1 for n in range(words)} for _ in range(slots)]))
    index.compact(np.arange(slots))
    return index


INT, COUNT = np.int32, np.uint16


@pytest.mark.parametrize(
    ("starts", "slots", "counts", "lengths"),
    [
        ([], [], [], []),
        ([0, 1], [0], [], [1]),
        ([0, 2], [0], [1], [1]),
        ([0, 1, 1, 1], [0], [1], [1]),  # for more words
        ([0, 1], [1], [1], [1]),  # for more slots
        ([0, 1], [-1], [1], [1]),
        ([1, 1], [0], [1], [1]),  # a cell without a word
        ([0, 2, 1], [0], [1], [1]),
        ([0, -1, 1], [0], [1], [1]),
        ([0, 1], [0], [1], [-1]),
    ],
)
def test_inconsistent_postings_are_rejected(
    starts: list[int], slots: list[int], counts: list[int], lengths: list[int]
) -> None:
    index = index_of(words=2, slots=1)
    with pytest.raises(ValueError, match="postings"):
        index.replace_postings(
            np.array(starts), np.array(slots, INT), np.array(counts, COUNT), np.array(lengths, INT)
        )


@pytest.mark.parametrize(
    ("words", "slots", "counts"),
    [([0], [0], []), ([2], [0], [1]), ([-1], [0], [1]), ([0], [1], [1]), ([0], [-1], [1])],
)
def test_an_inconsistent_tail_is_rejected(
    words: list[int], slots: list[int], counts: list[int]
) -> None:
    index = index_of(words=2, slots=1)
    with pytest.raises(ValueError, match="postings"):
        index.append_to_tail(np.array(words, INT), np.array(slots, INT), np.array(counts, COUNT))


@pytest.mark.parametrize(
    ("words", "terms", "ids"),
    [
        (["a"], ["a"], []),
        (["a"], ["a"], [3]),  # two words are indexed
        (["a"], ["a"], [-1]),
        (["w0"], ["a"], [2]),
        (["a", "a"], ["a"], [2, 2]),
        (["a"], ["w0"], [2]),
    ],
)
def test_an_inconsistent_vocabulary_is_rejected(
    words: list[str], terms: list[str], ids: list[int]
) -> None:
    with pytest.raises(ValueError, match="words"):
        index_of(words=2, slots=1).add_words(words, terms, np.array(ids, INT))
