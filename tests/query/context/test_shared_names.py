"""Passages that share names with the best ones enter packs before others."""

from collections.abc import Mapping

from clew.query.context.gather import gather
from clew.query.context.linking.shared_names import NAME_PASSAGES_MIN
from clew.query.slices import finished
from clew.values.requests import Context
from tests.searches import setting
from tests.tables import for_each_row
from tests.vaults import snapshot_of

QUESTION = "the name of the waterfall in the country of the Bubye River"
RIVER = "The Bubye River flows past farms in the south of Zimbabwe."
# Each waterfall has as many words, and as many of the question.
FALLS = {
    f"{name}.md": f"A waterfall is the pride of {land}, they say, in wet years."
    for name, land in (("Aber", "Wales"), ("Bamba", "Lanka"), ("Zambe", "Zimbabwe"))
}


def relevances_of(vault: Mapping[str, str], question: str = QUESTION) -> dict[str, float]:
    """Return the relevance of the passages that may enter a pack by their notes, best first."""
    request = Context(query=question, token_budget=4_000)
    material = finished(gather(snapshot_of(vault), request, setting(has_model=False)))
    return {each.note.path.removesuffix(".md"): each.relevance for each in material.passages}


def order_of(vault: Mapping[str, str], question: str = QUESTION) -> list[str]:
    """Return the names of the notes whose passages may enter a pack, the best first."""
    return list(relevances_of(vault, question))


def test_a_passage_with_a_name_of_the_best_one_comes_before_its_equals() -> None:
    order = order_of({"Course.md": RIVER, **FALLS})
    assert order[:2] == ["Course", "Zambe"], order


def test_a_name_in_the_head_of_a_note_counts() -> None:
    falls = {name: text.replace("Zimbabwe", "Nowhere") for name, text in FALLS.items()}
    titled = "---\ntitle: Falls of Zimbabwe\n---\n" + falls["Zambe.md"]
    order = order_of({"Course.md": RIVER, **falls, "Zambe.md": titled})
    assert order[:2] == ["Course", "Zambe"], order


def test_words_without_a_capital_letter_are_no_names() -> None:
    vault = {name: text.replace("Zimbabwe", "zinc") for name, text in FALLS.items()}
    order = order_of({"Course.md": RIVER.replace("Zimbabwe", "zinc"), **vault})
    assert order == ["Course", "Aber", "Bamba", "Zambe"]


def test_the_first_word_of_a_sentence_is_no_name() -> None:
    vault = {name: text.replace("Zimbabwe", "it. Gauges stand") for name, text in FALLS.items()}
    river = RIVER.replace("Zimbabwe", "it. Gauges stand there")
    assert order_of({"Course.md": river, **vault}) == ["Course", "Aber", "Bamba", "Zambe"]


def test_names_that_many_passages_have_do_not_count() -> None:
    others = {f"Other {n}.md": "Zimbabwe again." for n in range(NAME_PASSAGES_MIN)}
    order = order_of({"Course.md": RIVER, **FALLS, **others})
    assert order[:2] == ["Course", "Aber"], order


def test_names_in_the_question_do_not_count_twice() -> None:
    vault = {
        "Course.md": RIVER,
        "Aber.md": "A waterfall is the pride of Wales, they say, in wet years.",
        "Zambe.md": "A waterfall is the pride of Bubye, they say, in wet years.",
    }
    in_lower_case = {**vault, "Course.md": RIVER.replace("Bubye", "bubye")}
    assert relevances_of(vault) == relevances_of(in_lower_case)


def test_what_the_best_passage_lacks_of_the_question_counts_more() -> None:
    vault = {
        "Course.md": RIVER,
        "Aber.md": "In Zimbabwe a river is the pride of each, they say, in wet years.",
        "Zambe.md": "In Zimbabwe a waterfall is the pride of each, they say, in wet years.",
        **{f"Fall {n}.md": "A waterfall." for n in range(5)},
        **{f"Stream {n}.md": "A river." for n in range(4)},
    }
    order = order_of(vault, "waterfall near the Bubye River")
    assert order.index("Zambe") < order.index("Aber"), order


@for_each_row("name", ["March", "[[Zimbabwe]]", "zimBabwe"])
def test_words_that_need_not_be_names_do_not_count(name: str) -> None:
    """A month, the first word of a link's target, a part of an identifier."""
    word = name.strip("[]")
    vault = {path: text.replace("Zimbabwe", word) for path, text in FALLS.items()}
    if name == "zimBabwe":
        vault["Zambe.md"] = FALLS["Zambe.md"].replace("Zimbabwe", "Babwe")
    order = order_of({"Course.md": RIVER.replace("Zimbabwe", name), **vault})
    assert order == ["Course", "Aber", "Bamba", "Zambe"]


def test_a_note_shares_no_name_with_itself() -> None:
    parts = f"## Course\n\n{RIVER}\n\n## Falls\n\n{FALLS['Aber.md']}\n"
    named = parts.replace("Wales", "Zimbabwe")
    at_wales, at_zimbabwe = (relevances_of({"Course.md": each}) for each in (parts, named))
    assert at_wales == at_zimbabwe


def test_nothing_rises_if_the_best_passage_has_all_that_is_asked_for() -> None:
    river = RIVER.replace("farms", "farms in wet years,")
    zimbabwe, zinc = (
        relevances_of({"Course.md": each, **FALLS}, "Bubye River farms in wet years")
        for each in (river, river.replace("Zimbabwe", "zinc"))
    )
    assert zimbabwe == zinc
    assert len(zinc) == len(FALLS) + 1
