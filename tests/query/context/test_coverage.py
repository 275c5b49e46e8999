"""Relevance of passages beside each other: terms that others have count less, links count more."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.query.context.candidates import candidates_of
from clew.query.context.formulas.coverage import covering_relevance
from clew.query.context.gather import gather
from clew.query.context.passages import Passage, PassageLink
from clew.query.slices import finished
from clew.text.tokens import count_tokens
from clew.values.requests import Context
from tests.examples import examples
from tests.searches import setting
from tests.vaults import snapshot_of

_PLACES = st.integers(0, 5)


def test_terms_that_a_passage_before_has_count_less() -> None:
    found = covering_relevance([1.0, 0.5, 0.5], [{0}, {0}, {1}], [3.0, 1.0], {})
    first = 1.0 + 0.5 * 3 / 4
    second, third = 0.5**0.7 + 0.5 * 3 / 4 * 0.3, 0.5**0.7 + 0.5 * 1 / 4
    assert found == pytest.approx([1.0, second / first, third / first])


def test_a_passage_counts_more_if_a_better_one_links_to_it() -> None:
    found = covering_relevance(
        [1.0, 0.5, 0.5, 0.2], [set()] * 4, [], {0: {2: 1 / sqrt(4)}, 3: {1: 1.0}}
    )
    # The last passage is taken after the second, so its link adds nothing.
    assert found == pytest.approx([1.0, 0.5**0.7, 0.5**0.7 + 0.25 / 2, 0.2**0.7])


@examples(300)
@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]), st.sets(st.integers(0, 3))),
        min_size=6,
        max_size=6,
    ),
    st.dictionaries(_PLACES, st.dictionaries(_PLACES, st.sampled_from([0.1, 0.5, 1.0]))),
)
def test_each_step_takes_the_passage_that_adds_most(
    passages: list[tuple[float, set[int]]], linked: dict[int, dict[int, float]]
) -> None:
    relevances, terms = [each for each, _ in passages], [each for _, each in passages]
    weights = [1.0, 2.0, 0.5, 4.0]
    expected = _compared_with_all(relevances, terms, weights, linked)
    assert covering_relevance(relevances, terms, weights, linked) == pytest.approx(expected)


def _compared_with_all(
    relevances: Sequence[float],
    terms: Sequence[set[int]],
    weights: Sequence[float],
    linked: Mapping[int, Mapping[int, float]],
) -> list[float]:
    """Return what ``covering_relevance`` returns, by looking at all passages at each step."""
    uses: Counter[int] = Counter()
    gains: dict[int, float] = {}

    def gain(index: int) -> float:
        new = sum(weights[term] * 0.3 ** uses[term] for term in sorted(terms[index]))
        shares = (relevances[each] * linked.get(each, {}).get(index, 0.0) for each in gains)
        own = relevances[index] ** 0.7
        return float(own + 0.5 * new / sum(weights) + 0.25 * max(shares, default=0.0))

    while len(gains) < len(relevances):
        left = [index for index in range(len(relevances)) if index not in gains]
        best = max(left, key=lambda index: (gain(index), -index))
        now = gain(best)
        uses.update(terms[best])
        gains[best] = now
    highest = max(gains.values())
    return [gains[index] / (highest or 1.0) for index in range(len(relevances))]


VAULT = {
    "Bubye.md": "The Bubye river leaves [[Shona land]] at [[Old mill]] for [[Nowhere]].",
    "Shona land.md": "A country with a river. [[Bubye]] is in its south.",
    "Old mill.md": "The wheel of the river turned here, as Shona land knew.",
}


def test_a_passage_knows_where_its_links_and_mentions_lead() -> None:
    links = {
        each.note.path: set(each.links) for each in _passages(VAULT, "country of the Bubye river")
    }
    mill, land, river = (PassageLink(f"{name}.md") for name in ("Old mill", "Shona land", "Bubye"))
    assert links == {"Bubye.md": {land, mill}, "Old mill.md": {land}, "Shona land.md": {river}}


def test_a_passage_has_no_links_of_another_one_of_its_note() -> None:
    far = "Nothing is told of water here, but of stones. " * 40
    text = f"The Bubye river.\n\n{far}\n\n## Land\n\n[[A#Falls]] of Shona land.\n\n{far}"
    vault = {"Rivers.md": text, "A.md": "# A\n\n## Falls\n\nHigh.\n", "Shona land.md": "Dry."}
    passages = [each for each in _passages(vault, "Bubye land") if each.note.path == "Rivers.md"]
    assert len(passages) > 1
    links = [PassageLink("A.md", "falls"), PassageLink("Shona land.md")]
    for passage in passages:
        has_links = "[[A#Falls]]" in text[passage.start : passage.end]
        assert [*passage.links] == (links if has_links else [])


def test_a_link_to_a_section_raises_its_passages_alone() -> None:
    def relevance_by_heading(link: str) -> dict[str, float]:
        stones = "Stones lie beside the water of the river everywhere, and sand. " * 25
        sections = "".join(f"## {name}\n\n{stones}\n\n" for name in ("Upper", "Falls", "Lower"))
        vault = {"Bubye.md": f"The Bubye river {link}.", "Places.md": f"# Places\n\n{sections}"}
        request = Context(query="river Bubye", token_budget=4_000)
        material = finished(gather(snapshot_of(vault), request, setting(has_model=False)))
        found = candidates_of(material, count_tokens)
        passages = [(each.passage, each.relevance) for each in found if each.passage is not None]
        return {each.headings[-1]: share for each, share in passages if each.headings}

    without, with_link = (
        relevance_by_heading("[[Places|ends]]"),
        relevance_by_heading("[[Places#Lower|ends]]"),
    )
    assert with_link["Lower"] > without["Lower"]
    assert with_link["Upper"] < without["Upper"]


def test_a_list_of_notes_stays_in_its_order() -> None:
    vault = {f"{name}.md": f"#tide {name} [[c]]" for name in "abc"}
    assert [each.links for each in _passages(vault, "tag:tide")] == [()] * 3


def _passages(vault: Mapping[str, str], query: str) -> Sequence[Passage]:
    request = Context(query=query)
    return finished(gather(snapshot_of(vault), request, setting(has_model=False))).passages
