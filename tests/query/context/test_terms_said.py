"""Which terms of a query a passage says, and how much each of them counts."""

from collections.abc import Mapping
from dataclasses import replace

from clew.query.context.candidates import candidates_of, terms_said
from clew.query.context.gather import Material, gather
from clew.query.context.pieces import pieces_of
from clew.query.search.finding.setting import Setting, all_specific
from clew.query.slices import finished
from clew.text.tokens import count_tokens
from clew.values.requests import Context
from tests.searches import setting
from tests.vaults import snapshot_of

ROPE = "# Rope\n\nIt is wet.\n\n## Splices\n\n### Eyes\n\n" + "It holds well when dry.\n\n" * 150
TIED = {"a.md": "Many rowed away today.", "b.md": "Gauges rowed away today."}
PARKS = {"a.md": "A song of South Park.", "b.md": "Gauges."}
WRITTEN = {
    "said.md": "---\ndate: 2026-02-02\n---\nWe decided by the list of Iago.",
    "dated.md": "---\ndate: 2025-12-09\n---\nWe decided that an hour is enough.",
    "words.md": "---\ndate: 2024-01-01\n---\nIn December 2025 all was decided.",
}


def material(notes: Mapping[str, str], query: str, given: Setting) -> Material:
    request = Context(query=query, include_graph_rag=False)
    return finished(gather(snapshot_of(notes), request, given))


def words_said(notes: Mapping[str, str], query: str) -> dict[tuple[str, int], set[str]]:
    """Return the words of the query that each passage says, by the path and part."""
    found = material(notes, query, setting(has_model=False))
    return {
        (each.note.path, each.part): {
            found.asked[index] for index in terms_said(found, each, pieces_of(each, found.terms))
        }
        for each in found.passages
    }


def weights(query: str) -> dict[str, float]:
    """Return how much each word of the query counts."""
    found = material(PARKS, query, setting())
    return {word: weight for word, (_, weight) in zip(found.asked, found.terms, strict=True)}


def best_paths(query: str, given: Setting) -> list[str]:
    candidates = candidates_of(material(TIED, query, given), count_tokens)
    ordered = sorted(candidates, key=lambda each: -each.relevance)
    return [each.passage.note.path for each in ordered if each.passage is not None]


def test_a_title_and_the_headings_above_a_passage_are_said_by_it() -> None:
    found = words_said({"Rope.md": ROPE}, "splices of rope with eyes that holds")
    below = [words for (_, part), words in found.items() if part > 1]
    assert below
    assert all(words == {"rope", "splices", "eyes", "holds"} for words in below)


def test_a_title_that_is_no_heading_is_said_by_the_text() -> None:
    found = words_said({"Rope.md": "It holds well when dry."}, "does rope hold")
    assert found["Rope.md", 1] == {"rope", "hold"}


def test_a_note_of_the_period_says_its_words() -> None:
    found = words_said(WRITTEN, "what did we decide in December 2025")
    assert found["dated.md", 1] == {"decide", "december", "2025"} == found["words.md", 1]
    assert found["said.md", 1] == {"decide"}


def test_a_word_of_any_subject_counts_less_than_one_of_some_subject() -> None:
    given = setting()
    assert best_paths("many gauges", given) == ["b.md", "a.md"]
    assert best_paths("many gauges", replace(given, specificity=all_specific)) == ["a.md", "b.md"]


def test_a_name_counts_in_full_whatever_its_words_tell_elsewhere() -> None:
    of_name = weights("the song of South Park")
    of_words = weights("the song of south park")
    assert of_name["south"] > 2 * of_words["south"]
    assert of_name["song"] == of_words["song"]
