"""The concepts and notes that a query names: the longest match, by any name, in any script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.query.search import named as named_module
from clew.query.search.named import NAMED_MAX, NOTES_MAX, named_in
from tests.counted import counted
from tests.tables import for_each_row
from tests.vaults import snapshot_of

SNAPSHOT = snapshot_of(
    {
        "Machine Learning.md": "---\naliases: [ML, statistical learning]\n---\n",
        "Learning.md": "",
        "Mercury.md": "the god",
        "Mercury (planet).md": "",
        "Saturn (planet).md": "",
        "Saturn (god).md": "",
        "Kansas City, Missouri.md": "",
        "C++.md": "",
        "Dr. Who?.md": "",
        "The Who.md": "",
        "It.md": "",
        "台風.md": "",
        "Прилив.md": "",
        "one/Twin.md": "",
        "two/Twin.md": "",
        "links.md": "[[machine learning]] [[Learning]] [[Ghost]] [[St. Ives, Cornwall]] [[The]]"
        " [[台風]] [[x]] [[who]]",
    }
)

NAMES = [
    ("machine learning", ["machine-learning"]),
    ("what is Machine  LEARNING?", ["machine-learning"]),
    ("machine_learning", ["machine-learning"]),
    ("learning machine", ["learning"]),
    ("for_machine_learning", []),
    ("machine_learning_of learning", ["learning"]),
    ("its machine_learning", ["machine-learning"]),
    ("ML and learning", ["machine-learning", "learning"]),
    ("learning learning", ["learning"]),
    ("statistical-learning", ["machine-learning"]),
    ("ghost", ["ghost"]),
    ("St. Ives, Cornwall", ["st.-ives,-cornwall"]),
    ("where is St. Ives, Cornwall?", ["st.-ives,-cornwall"]),
    ("the 台風 of last year", ["台風"]),
    ("the", []),
    ("x", []),
    ("about the", []),
    ("nothing of the kind", []),
    ("", []),
]

CALLED = [
    ("mercury", ["Mercury.md"]),
    ("Mercury (planet)", ["Mercury (planet).md"]),
    ("tell me of Mercury (planet), please", ["Mercury (planet).md"]),
    ("saturn", ["Saturn (god).md", "Saturn (planet).md"]),
    ("Saturn (god)", ["Saturn (god).md"]),
    ("kansas city missouri", ["Kansas City, Missouri.md"]),
    ("Kansas City, Missouri.", ["Kansas City, Missouri.md"]),
    ("C++", ["C++.md"]),
    ("Dr. Who?", ["Dr. Who?.md"]),
    ("dr who", ["Dr. Who?.md"]),
    ("прилив", ["Прилив.md"]),
    ("ПРИЛИВ!", ["Прилив.md"]),
    ("twin", ["one/Twin.md", "two/Twin.md"]),
    ("it", []),
    ("ml", ["Machine Learning.md"]),
]


@for_each_row(("query", "names"), NAMES)
def test_concepts_are_named_by_link_texts(query: str, names: list[str]) -> None:
    assert [each.concept for each in named_in(SNAPSHOT, query)] == names


@for_each_row(("query", "paths"), CALLED)
def test_notes_are_named_by_titles_and_aliases(query: str, paths: list[str]) -> None:
    assert [path for each in named_in(SNAPSHOT, query) for path in each.paths] == paths


@pytest.mark.parametrize(
    ("query", "is_whole"),
    [("ML", True), ("what is ML", False), ("Mercury (planet)", True), ("ML ghost", False)],
)
def test_a_query_that_is_just_a_name_is_marked_whole(query: str, is_whole: bool) -> None:
    assert [each.is_whole for each in named_in(SNAPSHOT, query)][-1] is is_whole


def test_the_notes_of_one_name_are_bounded() -> None:
    snapshot = snapshot_of({f"{number:03}/Twin.md": "" for number in range(NOTES_MAX + 5)})
    (named,) = named_in(snapshot, "twin")
    assert named.paths == tuple(f"{number:03}/Twin.md" for number in range(NOTES_MAX))


def test_the_names_of_a_query_are_bounded() -> None:
    names = [f"name{number}" for number in range(NAMED_MAX + 5)]
    snapshot = snapshot_of({"a.md": " ".join(f"[[{name}]]" for name in names)})
    assert [each.concept for each in named_in(snapshot, " ".join(names))] == names[:NAMED_MAX]


@given(st.lists(st.sampled_from(["machine", "learning", "ML", "saturn", "(god)", "the", "?"])))
def test_no_word_names_two_things(words: list[str]) -> None:
    found = named_in(SNAPSHOT, " ".join(words))
    keys = [each.concept or each.paths for each in found]
    assert len(keys) == len(set(keys)) <= len(words)


@given(st.text(max_size=60))
def test_looking_up_names_never_raises(query: str) -> None:
    for each in named_in(SNAPSHOT, query):
        assert each.concept is not None or each.paths
        assert each.concept is None or SNAPSHOT.graph.concept_id(each.concept) is not None


def test_a_name_of_more_than_twelve_words_is_not_looked_for() -> None:
    words = [f"word{number}" for number in range(13)]
    names = [" ".join(words[:count]) for count in (12, 13)]
    snapshot = snapshot_of({f"{name}.md": "" for name in names})
    (named,) = named_in(snapshot, names[1])
    assert named.paths == (f"{names[0]}.md",)


def test_the_names_in_the_last_query_of_a_snapshot_are_looked_up_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    snapshots = snapshot_of({"Tide.md": "", "Harbour.md": ""}), snapshot_of({"sea/Tide.md": ""})
    looked_up = counted(monkeypatch, named_module, "_look_up")
    paths_by_query = {
        "tide": [[("Tide.md",)], [("sea/Tide.md",)]],
        "harbour": [[("Harbour.md",)], []],
    }
    for query, paths in paths_by_query.items():
        for _ in range(3):
            found = [[each.paths for each in named_in(snapshot, query)] for snapshot in snapshots]
            assert found == paths
    assert [name for _, name in looked_up] == ["tide", "tide", "harbour", "harbour"]
