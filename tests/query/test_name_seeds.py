"""Weights of the names in a query: rare names and those that cover more of it weigh more."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.engine.passages import Passages
from clew.engine.snapshot import Snapshot
from clew.query.search.legs.name_seeds import COVERED_FULL, prominence, rarity, seeds_of
from clew.query.search.named import named_in
from clew.values.arrays import Int64Array
from tests.vaults import snapshot_of

SNAPSHOT = snapshot_of(
    {
        "Saturn (planet).md": "",
        "Saturn (god).md": "",
        "Hub.md": "",
        "one.md": "[[Hub]] [[Ghost]] gauge",
        "two.md": "[[Hub]] gauge",
        "three.md": "[[Hub]] gauge",
        "four.md": "gauge",
    }
)


def seeds(query: str, snapshot: Snapshot = SNAPSHOT) -> dict[str, float]:
    """Return the weights of the notes, by path, and of the concepts, by name."""
    notes, concepts = seeds_of(snapshot, named_in(snapshot, query), query)
    graph = snapshot.graph
    return {graph.path(note): weight for note, weight in notes.items()} | {
        graph.name(number): weight for number, weight in concepts.items()
    }


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("ghost", {"ghost"}),
        ("saturn", {"Saturn (planet).md", "Saturn (god).md"}),
        ("Saturn (god) and ghost", {"Saturn (god).md", "ghost"}),
        ("nothing of the kind", set()),
    ],
)
def test_seeds_are_the_named_notes_and_concepts(query: str, names: set[str]) -> None:
    assert set(seeds(query)) == names


def test_a_unique_name_that_is_the_whole_query_weighs_one() -> None:
    assert seeds("ghost") == {"ghost": 1.0}
    assert seeds("Saturn (god)") == {"Saturn (god).md": 1.0}


def test_notes_share_the_weight_of_their_name() -> None:
    weights = seeds("saturn")
    assert set(weights.values()) == {rarity(7, 2) / 2}


def test_a_concept_that_many_notes_mention_weighs_less() -> None:
    weights = seeds("hub ghost")
    assert weights["ghost"] == 1.0
    assert weights["hub"] == rarity(7, 4) < 0.6, "it mentions itself"


def test_a_name_weighs_less_in_a_longer_query() -> None:
    unknown = " ".join(f"unknown{number}" for number in range(12))
    assert 0 < seeds(f"ghost {unknown}")["ghost"] < 0.5


def test_words_of_a_query_count_by_how_rare_they_are() -> None:
    common = seeds("ghost " + "gauge " * 12)["ghost"]
    assert common == 1.0, "a repeated word counts once, and a frequent one little"


def test_stop_words_of_a_query_do_not_count() -> None:
    assert seeds("what was it about the ghost") == seeds("ghost")


def test_stop_words_are_counted_only_for_a_name_that_has_no_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They are in most notes, so counting them takes longest."""
    snapshot = snapshot_of({"The Who.md": "", "Ghost.md": "the who what the ghost"})
    counted: list[str] = []
    live_counts = Passages.live_counts

    def recorded(self: Passages, words: Int64Array) -> Int64Array:
        counted.extend(self.keyword.words[word] for word in words.tolist())
        return live_counts(self, words)

    monkeypatch.setattr(Passages, "live_counts", recorded)
    assert seeds("what the ghost", snapshot) == {"Ghost.md": 1.0}
    assert counted == ["ghost"]
    assert set(seeds("the who", snapshot)) == {"The Who.md"}
    assert {"the", "who"} <= set(counted)


@given(st.integers(1, 10**6), st.data())
def test_rarity_falls_from_one_with_the_frequency_of_a_name(
    note_count: int, data: st.DataObject
) -> None:
    first, second = sorted(data.draw(st.tuples(*[st.integers(1, note_count)] * 2)))
    assert 0 < rarity(note_count, second) <= rarity(note_count, first) <= rarity(note_count, 1) == 1


@pytest.mark.parametrize(
    ("covered", "weight"), [(0, 0), (COVERED_FULL / 2, 0.5), (COVERED_FULL, 1), (1, 1)]
)
def test_prominence_rises_with_the_share_of_the_query(covered: float, weight: float) -> None:
    assert prominence(covered) == pytest.approx(weight)
