"""Empty notes stand below notes with text that have the same words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, structs
from msgspec.structs import replace

from clew.query.search.search_config import SearchConfig
from clew.text.terms import query_words
from tests.examples import examples
from tests.searches import SEARCH, ask, paths, setting, vault
from tests.tables import for_each_row

FILLER = "and much else about boats, nets, ropes and weather. " * 9
MODES = ("hybrid", "keyword", "semantic", "graph")


@for_each_row("mode", MODES)
@for_each_row("query", ["tide gauge", "gauge", "the tide gauge of the harbour"])
def test_an_empty_note_is_below_one_with_text(query: str, mode: str) -> None:
    notes = {
        "Tide gauge.md": "",
        "Harbour.md": f"It has a tide gauge, {FILLER}",
        "Boats.md": "[[Tide gauge]] [[Harbour]]",
    }
    found = paths(ask(vault(notes), query, replace(SEARCH, mode=mode)))
    assert found.index("Harbour.md") < found.index("Tide gauge.md")


@pytest.mark.parametrize(
    "empty",
    ["", "\n \n", "---\ncreated: 2024-01-01\n---\n", "---\naliases: [tide gauge]\n---\n"],
)
def test_a_note_of_names_alone_is_empty(empty: str) -> None:
    notes = {"Tide gauge.md": empty, "z.md": f"a tide gauge {FILLER}"}
    assert paths(ask(vault(notes), "tide gauge")) == ["z.md", "Tide gauge.md"]


@pytest.mark.parametrize("said", ["", "start: 2024-05-01\nend: 2024-05-09", "maker: '[[Kelvin]]'"])
def test_a_note_of_properties_alone_says_something(said: str) -> None:
    notes = {"Tide gauge.md": f"---\n{said}\n---\n", "z.md": f"a tide gauge {FILLER}"}
    first = "Tide gauge.md" if said else "z.md"
    assert paths(ask(vault(notes), "tide gauge"))[0] == first


@pytest.mark.parametrize("text", ["---\nkind: gauge\n---\n", "---\ntags: [gauge]\n---\n"])
def test_a_note_with_the_words_in_its_properties_is_not_lowered(text: str) -> None:
    notes = {"Tide.md": text, "z.md": f"a gauge of the tide {FILLER}"}
    assert paths(ask(vault(notes), "tide gauge"))[0] == "Tide.md"


def test_an_empty_note_that_alone_has_the_words_comes_first() -> None:
    notes = {"Tide gauge.md": "", "tide.md": f"the tide {FILLER}", "gauge.md": f"a gauge {FILLER}"}
    assert paths(ask(vault(notes), "tide gauge"))[0] == "Tide gauge.md"


def test_the_parts_of_the_additive_ranking_stay_as_they_are() -> None:
    notes = {"Tide gauge.md": "", "z.md": f"a tide gauge {FILLER}"}
    request = replace(SEARCH, ranking="additive", explain=True)
    for row in ask(vault(notes), "tide gauge", request).results:
        assert row.breakdown is not UNSET
        parts = structs.astuple(row.breakdown)
        assert row.score == pytest.approx(sum(parts), abs=len(parts) * 0.5e-6), "each is rounded"


NAMES = st.lists(st.sampled_from(["tide", "gauge", "ebb"]), min_size=1, max_size=3, unique=True)
TEXTS = st.lists(st.sampled_from(["tide", "gauge", "ebb", "sea", "[[tide]]", FILLER]), max_size=6)


@examples(150)
@given(
    st.lists(st.tuples(NAMES.map(" ".join), st.one_of(st.just([]), TEXTS)), max_size=6),
    NAMES.map(" ".join),
    st.sampled_from(MODES),
)
def test_no_empty_note_is_above_one_with_text_that_has_its_words(
    rows: list[tuple[str, list[str]]], query: str, mode: str
) -> None:
    notes = {f"{number}/{name}.md": " ".join(text) for number, (name, text) in enumerate(rows)}
    given_setting = setting(config=SearchConfig(recency=0.0))
    found = paths(ask(vault(notes), query, replace(SEARCH, mode=mode), given=given_setting))
    asked = set(query_words(query))
    for index, empty in enumerate(found):
        words = asked.intersection(query_words(empty.rpartition("/")[2]))
        if notes[empty] or not words:
            continue
        for later in found[index + 1 :]:
            held = query_words(later.rpartition("/")[2] + " " + notes[later])
            assert not notes[later] or not words <= set(held)
