"""Queries of stop words alone: they find the notes with these words in their title."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.query.search.legs.name_seeds import seeds_of
from clew.query.search.named import named_in
from clew.query.search.narrowing import titles
from clew.text.stopwords import STOP_WORDS
from clew.values.errors import InvalidParams
from clew.values.requests import Filters
from tests.searches import SEARCH, ask, paths, vault
from tests.tables import for_each_row

NOTES = {
    "The Who.md": "A band from London.",
    "How to do it.md": "Step by step. [[The Who]]",
    "hamlet.md": "# To be or not to be\n\nThat is the question.",
    "Doctor.md": "---\naliases: [Who is he]\n---\nHe travels.",
    "folder/It.md": "A novel.",
    "other.md": "who the how to do it, to be or not to be, it is what it is",
}
SNAPSHOT = vault(NOTES)
MODES = ("hybrid", "keyword", "semantic", "graph")


@for_each_row("mode", MODES)
@for_each_row(
    ("query", "found"),
    [
        ("the who", ["The Who.md"]),
        ("The Who?", ["The Who.md"]),
        ("how to do it", ["How to do it.md"]),
        ("to be or not to be", ["hamlet.md"]),
        ("not to be", ["hamlet.md"]),
        ("how to", ["How to do it.md"]),
        ("who is he", ["Doctor.md"]),
        ("it", ["folder/It.md"]),
    ],
)
def test_stop_words_find_the_notes_with_them_in_their_title(
    query: str, found: list[str], mode: str
) -> None:
    assert paths(ask(SNAPSHOT, query, replace(SEARCH, mode=mode))) == found


@for_each_row("query", ["who the", "be to", "to", "is what it is", "of the", "do it to"])
def test_stop_words_that_are_in_no_title_are_refused(query: str) -> None:
    with pytest.raises(InvalidParams, match="only stop words"):
        ask(SNAPSHOT, query)


def test_a_whole_title_is_above_a_part_of_one() -> None:
    snapshot = vault({"a/How to do it.md": "x", "How to.md": "y"})
    assert paths(ask(snapshot, "how to")) == ["How to.md", "a/How to do it.md"]


def test_filters_and_operators_hold() -> None:
    assert paths(ask(SNAPSHOT, "it", filters=Filters(folder="folder"))) == ["folder/It.md"]
    assert paths(ask(SNAPSHOT, "the who -London path:who")) == []
    with pytest.raises(InvalidParams, match="only stop words"):
        ask(SNAPSHOT, "it", filters=Filters(folder="elsewhere"))


def test_a_title_in_so_many_notes_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(titles, "TITLES_READ_MAX", 3)
    few = {f"How to do {number}.md": "" for number in range(3)}
    assert len(paths(ask(vault(few), "how to do"))) == 3
    many = few | {"How to do x.md": ""}
    with pytest.raises(InvalidParams, match="only stop words"):
        ask(vault(many), "how to do")
    assert paths(ask(vault(many | {"How to do.md": ""}), "how to do")) == ["How to do.md"]


def test_a_title_of_stop_words_counts_in_a_longer_query() -> None:
    assert paths(ask(SNAPSHOT, "London band the who"))[0] == "The Who.md"
    weights, _ = seeds_of(SNAPSHOT, named_in(SNAPSHOT, "songs of the who"), "songs of the who")
    _, concepts = seeds_of(SNAPSHOT, named_in(SNAPSHOT, "songs, the who"), "songs, the who")
    assert weights or concepts


TEXT = st.lists(st.sampled_from(["the", "who", "to", "be", "tide"]), min_size=1, max_size=4)


@given(st.lists(TEXT.map(" ".join), max_size=5, unique=True), TEXT)
def test_found_titles_have_the_words_in_a_row(names: list[str], words: list[str]) -> None:
    snapshot = vault({f"{name}.md": "" for name in names})
    query = " ".join(words)
    if not STOP_WORDS.issuperset(words):
        return
    padded = [f" {name} " for name in names]
    expected = {n.strip() for n in padded if f" {query} " in n and len(words) > 1}
    expected |= {query} & set(names)
    try:
        found = paths(ask(snapshot, query))
    except InvalidParams:
        found = []
    assert {path.removesuffix(".md") for path in found} == expected
