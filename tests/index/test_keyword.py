"""The keyword index compared with a dictionary, after any edits."""

from array import array
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from clew.index.keyword import UNUSED_SHARE_MAX, KeywordIndex
from clew.index.structures.columns import Columns
from clew.index.words import tail_merge
from clew.index.words.sorted_postings import COUNT_MAX
from clew.text.terms import term_of
from clew.values.note_words import Words
from tests.examples import examples
from tests.stored import written
from tests.tables import for_each_row

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
NUMBERED = [f"w{number}" for number in range(200)]


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
        self.lengths: list[int] = []  # by slot

    @rule(together=st.lists(notes, min_size=1, max_size=3))
    def put(self, together: list[list[Part]]) -> None:
        part_counts = np.array(list(map(len, together)))
        lengths = self.index.put(part_counts, list(map(words_of, together)))
        assert lengths.tolist() == [sum(sum(part.values()) for part in note) for note in together]
        for note in together:
            head, *chunks = (sum(part.values()) for part in note)
            self.slots += note
            self.lengths += [0, *(head + chunk for chunk in chunks)] if chunks else [head]

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
        self.lengths = [self.lengths[at] for at in kept]
        standing = {word for part in self.slots if part for word in part}
        assert list(self.index.words) == sorted(standing)
        assert not len(self.index.tail[0])
        words, _, _ = self.index.all_postings()
        assert (np.diff(words) >= 0).all()

    @rule(data=st.data())
    def drop_dead(self, data: st.DataObject) -> None:
        alive = [at for at, part in enumerate(self.slots) if part is not None]
        kept, words = data.draw(st.permutations(alive)), list(self.index.words)
        self.index.drop_dead(np.array(kept, np.int64))
        self.slots = [self.slots[at] for at in kept]
        self.lengths = [self.lengths[at] for at in kept]
        assert list(self.index.words) == words
        assert not len(self.index.tail[0])
        standing = {word for part in self.slots if part for word in part}
        unused = len(words) - len(standing)
        assert self.index.has_many_unused_words == (unused > UNUSED_SHARE_MAX * len(words))

    @rule()
    def come_back_from_columns(self) -> None:
        self.index = KeywordIndex.read(written(self.index.columns()))
        assert not len(self.index.tail[0])

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
    def postings_are_counted(self) -> None:
        count = self.index.word_count
        expected = np.bincount(self.index.all_postings()[0], minlength=count)
        for ids in (np.arange(count), np.arange(1, count, 2)):
            assert self.index.posting_counts(ids).tolist() == expected[ids].tolist()

    @invariant()
    def lengths_are_exact(self) -> None:
        assert self.index.lengths.tolist() == self.lengths

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
            put_note(index, saved[number])
        kept = [firsts[n] + part for n in sorted(order) for part in range(len(saved[n]))]
        index.compact(np.array(kept, np.int64))
        outcomes.append(
            {name: bytes(data) for name, data in written(index.columns()).parts.items()}
        )
    assert outcomes[0] == outcomes[1]


def put_note(index: KeywordIndex, note: list[Part]) -> None:
    index.put(np.array([len(note)]), [words_of(note)])


def index_of(words: int, slots: int) -> KeywordIndex:
    index = KeywordIndex("")
    put_note(index, [{f"w{n}": 1 for n in range(words)} for _ in range(slots)])
    index.compact(np.arange(slots))
    return index


@for_each_row(
    "name",
    [
        "starts",
        "slots",
        "counts",
        "lengths",
        "terms..termIds",
        "ranks",
        "words.checks",
        "terms..terms.rows",
    ],
)
def test_inconsistent_columns_are_rejected(name: str) -> None:
    columns = written(index_of(words=2, slots=1).columns())
    cut = {**columns.parts, name: columns.parts[name][:-1]}
    with pytest.raises(ValueError):  # noqa: PT011 - each has a message of its own
        KeywordIndex.read(Columns(cut))


def test_words_are_stored_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of(words=5, slots=3)
    put_note(index, [{"w1": 2, "new": 1}, {"w4": 1, "new": 3}])
    whole = written(index.columns()).parts
    monkeypatch.setattr(tail_merge, "PORTION_POSTINGS", 2)
    assert {**written(index.columns()).parts} == {**whole}


@given(st.sets(st.sampled_from(NUMBERED), max_size=9))
def test_words_are_stored_in_the_order_of_their_text(later: set[str]) -> None:
    """Also where only a few words are new, and most stored ones are not read."""
    index = KeywordIndex("english")
    for names in ([word for word in NUMBERED if word not in later], later, []):
        put_note(index, [dict.fromkeys(names, 1)])
        index = KeywordIndex.read(written(index.columns()))
    ranks = dict(zip(index.words, index.ranks.tolist(), strict=True))
    assert ranks == {word: rank for rank, word in enumerate(sorted(NUMBERED))}
