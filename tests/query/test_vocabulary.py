"""Words of the vault are found by spelling and by parts as if all words were compared."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from clew.engine import indexes
from clew.engine.apply import Engine
from clew.engine.passages import Passages
from clew.engine.persist.index_file import read_indexes
from clew.engine.settings import EngineSettings
from clew.index.structures import records, word_shapes
from clew.query.search.fallbacks import vocabulary
from clew.query.search.fallbacks.vocabulary import corrections_of, words_containing
from clew.query.slices import finished
from clew.text.similarity.fuzzy import Correction
from clew.values.vault import Batch, ReadNote
from tests.examples import examples
from tests.spelling import compared, containing, passage_counts, passages_of
from tests.stored import read_back, stored, written
from tests.tables import for_each_row
from tests.vaults import read_note

_WORDS = (
    "blast radius calculator detector database storage adapter symbol graph index page rank node"
)
_COUNTS = (10, 8, 15, 12, 5, 20, 18, 25, 14, 30, 6, 7, 22)
GOLDEN = dict(zip(_WORDS.split(), _COUNTS, strict=True))
# Few letters, so that words are similar; one beyond the BMP, and two with the same six low bits.
LETTERS = "abcé日\U0001d4d0" + chr(ord("a") + 64)
near_words = st.text(LETTERS, min_size=3, max_size=9)
frequencies = st.dictionaries(near_words, st.integers(0, 3), max_size=12)


def corrections(passages: Passages, words: list[str]) -> list[Correction]:
    return finished(corrections_of(passages, words))


def found(passages: Passages, part: str, most: int) -> list[str]:
    """Return the words that contain ``part``, sorted."""
    ids = finished(words_containing(passages, part, most))
    assert ids == sorted(ids)
    return sorted(passages.keyword.words[word_id] for word_id in ids)


def corrected(text: str, counts: dict[str, int]) -> str:
    """Return ``text`` with its words corrected like those of a query."""
    words = text.split()
    by_word = {each.word: each.corrected for each in corrections(passages_of(counts), words)}
    return " ".join(by_word.get(word, word) for word in words)


@for_each_row(
    ("text", "expected"),
    [
        ("databse", "database"),
        ("detctor", "detector"),
        ("adatper", "adapter"),
        ("symbo", "symbol"),
        ("nod", "node"),
        ("db", "db"),
        ("blast radus", "blast radius"),
        ("xyzzy", "xyzzy"),
        ("blast radius", "blast radius"),
        ("rnak grpah", "rank graph"),
        ("grph1", "grph1"),
        ("calcuator indx", "calculator index"),
    ],
)
def test_words_are_corrected_as_in_the_golden_cases(text: str, expected: str) -> None:
    assert corrected(text, GOLDEN) == expected


@for_each_row(
    ("text", "counts", "expected"),
    [
        ("cart", {"card": 1, "cat": 3, "carton": 9}, "cat"),
        ("cart", {"cast": 2, "card": 2}, "card"),
        ("abcdef", {"abcdeg": 1, "abcdgh": 9}, "abcdeg"),
        ("ghandi", {"gandhi": 1, "grand": 9}, "gandhi"),  # of the same letters
        ("ghandi", {"ghandy": 1, "gandhi": 9}, "ghandy"),  # one edit is nearer
        ("abcde", {"abcgh": 1}, "abcde"),
        ("abcdef", {"abcdgh": 1}, "abcdgh"),
        ("abcdef", {"badcfe": 1}, "abcdef"),
        ("ab", {"abc": 1}, "ab"),
        ("2023", {"2024": 1}, "2023"),
        ("v12", {"v13": 1}, "v12"),
        ("a" * 64, {"a" * 65: 1}, "a" * 65),
        ("a" * 65, {"a" * 64: 1}, "a" * 65),
        ("Graph", {"graph": 1}, "graph"),
        ("caxyzw", {"abcxyzw": 1}, "caxyzw"),
        ("журнл", {"журнал": 1}, "журнал"),
        ("नोट", {"नोटा": 1}, "नोटा"),
        ("caf\udce9x", {"caf\udce9": 1}, "caf\udce9"),
    ],
)
def test_ties_are_broken_by_frequency_and_then_by_order(
    text: str, counts: dict[str, int], expected: str
) -> None:
    assert corrected(text, counts) == expected


@given(st.lists(near_words, max_size=4), frequencies, st.booleans())
@example(["abc"], {"bac": 1, "abc": 0}, True)
def test_corrections_equal_those_of_comparing_every_word(
    words: list[str], counts: dict[str, int], is_stored: bool
) -> None:
    passages = passages_of(counts)
    if is_stored:
        passages = Passages.read(written(passages.columns()))
    assert corrections(passages, words) == compared(words, counts)


def test_a_repeated_word_is_corrected_once() -> None:
    passages = passages_of({"node": 1})
    assert corrections(passages, ["nod", "nod"]) == [Correction("nod", "node", 1)]


PARTS = st.text("abc", min_size=1, max_size=4)


@given(st.dictionaries(st.text("abc", min_size=1), st.integers(0, 3)), PARTS, st.integers(1, 4))
def test_the_most_frequent_words_that_contain_a_part_are_found(
    counts: dict[str, int], part: str, most: int
) -> None:
    assert found(passages_of(counts), part, most) == containing(part, counts, most)


@pytest.mark.parametrize("part", ["", "c\na", "abc\n", "cabc"])
def test_a_part_is_not_found_across_two_words(part: str) -> None:
    passages = Passages.read(written(passages_of({"abc": 1, "abcd": 2}).columns()))
    assert found(passages, part, 9) == []


def test_words_of_later_revisions_are_not_found() -> None:
    """Snapshots share the list of words, which grows behind what each of them sees."""
    engine = Engine(EngineSettings())
    engine.apply(Batch(put=(read_note("a.md", "gauges"),)))
    held = engine.snapshot.passages
    engine.apply(Batch(put=(read_note("b.md", "gaugex"),)))
    assert corrections(held, ["gaugez"]) == [Correction("gaugez", "gauges", 1)]
    assert corrections(held, ["gaugexx"]) == [Correction("gaugexx", "gauges", 2)]
    assert found(held, "gauge", 9) == ["gauges"]


# -- after any edits ------------------------------------------------------------------------------

PATHS = st.sampled_from(["a.md", "b.md", "aab.md", "x/b.md"])
TEXTS = st.lists(
    st.lists(st.text("abcé日", min_size=1, max_size=4), min_size=1, max_size=8).map(" ".join),
    max_size=5,
).map("\n\n# h\n\n".join)
QUERIES = ["aaa", "abc", "cab", "abcabc", "aébc", "bbbbbb", "日本日"]
ASKED_PARTS = ["a", "b", "ab", "é", "aa", "日", "caa", "zz"]
HELD_MAX = 3


class VocabularyMachine(RuleBasedStateMachine):
    """Notes that are saved, replaced and deleted, in an index that is stored and compacted."""

    def __init__(self) -> None:
        super().__init__()
        self.engine = Engine(EngineSettings())
        self.notes: dict[str, ReadNote] = {}
        self.held: list[tuple[Passages, dict[str, int]]] = []
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(indexes, "_DEAD_NOTES_MIN", 1)  # so that notes get new ids at times

    @initialize(size=st.sampled_from([1, 3, 100]))
    def search_in_portions(self, size: int) -> None:
        self.patch.setattr(word_shapes, "PORTION_WORDS", size)
        self.patch.setattr(records, "PIECE_BYTES", size)
        for name in ("LATER_WORDS", "WORDS_COUNTED", "POSTINGS_COUNTED"):
            self.patch.setattr(vocabulary, name, size)

    @rule(saved=st.dictionaries(PATHS, TEXTS, max_size=3), dropped=st.sets(PATHS, max_size=2))
    def change(self, saved: dict[str, str], dropped: set[str]) -> None:
        gone = tuple(path for path in dropped - saved.keys() if self.notes.pop(path, None))
        put = {path: read_note(path, text) for path, text in saved.items()}
        self.notes.update(put)
        self.engine.apply(Batch(put=tuple(put.values()), dropped=gone))

    @rule()
    def compact(self) -> None:
        self.engine.compact()

    @rule()
    def store(self) -> None:
        self.engine.adopt(read_indexes(stored(self.engine.indexes), self.engine.settings))

    @rule()
    def come_back_from_disk(self) -> None:
        self.engine = read_back(stored(self.engine.indexes), self.engine.settings)

    @rule()
    def hold(self) -> None:
        snapshot = self.engine.snapshot
        counts = passage_counts(self.notes.values())
        self.held = [*self.held[-HELD_MAX + 1 :], (snapshot.passages, counts)]

    @invariant()
    def every_word_is_found(self) -> None:
        self.check(self.engine.snapshot.passages, passage_counts(self.notes.values()))

    def check(self, passages: Passages, counts: dict[str, int]) -> None:
        assert corrections(passages, QUERIES) == compared(QUERIES, counts)
        for part in ASKED_PARTS:
            for most in (1, 2, 5, 100):
                assert found(passages, part, most) == containing(part, counts, most)

    def teardown(self) -> None:
        try:
            for passages, counts in self.held:
                self.check(passages, counts)
        finally:
            self.patch.undo()


VocabularyMachine.TestCase.settings = examples(40, long=400, stateful_step_count=20)
test_words_are_found_after_any_edits = pytest.mark.slow(VocabularyMachine.TestCase)
