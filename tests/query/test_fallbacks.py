"""What words that the vault lacks are taken for: compounds, slips and similar words."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.engine.passages import Passages
from clew.query.search.fallbacks.compounds import with_joined_words
from clew.query.search.fallbacks.similar_words import SIMILAR_MAX, words_similar
from clew.query.search.finding.setting import Setting
from clew.query.search.matching import Scope, match_corrected, word_ids_by_term
from clew.query.search.query_terms import query_terms
from clew.query.slices import finished
from clew.text.similarity.fuzzy import shapes_of
from clew.text.similarity.trigrams import DICE_MIN, dice, rows_similar, trigrams
from clew.values.vault import Batch
from tests.data import rows
from tests.examples import examples
from tests.searches import SEARCH, ask, paths, setting
from tests.spelling import passages_of
from tests.stored import read_back, stored
from tests.tables import for_each_row
from tests.timed import check_within
from tests.vaults import engine_of, snapshot_of

KEYWORD = replace(SEARCH, mode="keyword")
PLAIN = setting(has_model=False)
NOTES = {
    **{f"weather{number}.md": "the weather" for number in range(1, 4)},
    "drift.md": "# Clock drift\nof one second for each day",
    "gauge.md": "the tide is read at a gauge",
    "database.md": "one database",
    "analysis.md": "its harmonic analysis",
    "view.md": "the graph view, from above",
    "thermometer.md": "no thermometers here",
    "trump.md": "trump",
    "harmonization.md": "harmonization",
}
WORDS = st.text("abcé", min_size=1, max_size=9)


@for_each_row(("query", "answered", "tier", "first"), rows("fallbacks.tsv"))
@for_each_row("is_stored", [False, True])
def test_words_are_taken_for_others(
    query: str, answered: str, tier: str, first: str, *, is_stored: bool
) -> None:
    engine = engine_of(NOTES)
    if is_stored:
        engine = read_back(stored(engine.indexes))
    reply = ask(engine.snapshot, query, KEYWORD, given=PLAIN)
    correction = reply.fuzzy_correction
    assert (correction.to if correction else "=") == answered
    assert (paths(reply) or ["-"])[0] == first
    assert reply.search_metrics.tier == tier or first == "-"


def test_a_joined_word_counts_as_both_words() -> None:
    """In any vault, and only once where a hyphen joins them."""
    notes = {f"{word}{n}.md": word for word in ("clock", "drift") for n in range(5)}
    joined = snapshot_of({**notes, "joined.md": "clockdrift"})
    assert paths(ask(joined, "clock drift", KEYWORD, given=PLAIN))[0] == "joined.md"
    for query in ("clock, drift", "clock and drift", "drift clock"):
        assert "joined.md" not in paths(ask(joined, query, KEYWORD, given=PLAIN))
    hyphen = snapshot_of({**notes, "both.md": "clock-drift"})
    terms = query_terms("clock drift", hyphen.languages)
    ids = word_ids_by_term(hyphen, terms.terms)
    assert with_joined_words(hyphen, terms, ids) == ids, "its parts are in the index already"


def test_a_split_follows_the_notes() -> None:
    engine = engine_of({"a.md": "clock drift", "b.md": "clock", "c.md": "drift"})
    assert ask(engine.snapshot, "clockdrift", KEYWORD, given=PLAIN).fuzzy_correction
    engine.apply(Batch(dropped=("a.md",)))
    reply = ask(engine.snapshot, "clockdrift", KEYWORD, given=PLAIN)
    assert (reply.fuzzy_correction, reply.results) == (None, ())


def test_a_slip_comes_before_a_split_into_stems() -> None:
    """Notes have words with the stems of ``regul`` and ``arisation``, and neither as it stands."""
    errors = "errors that arise are regulated"
    notes = {"weights.md": "the regularization", "errors.md": errors}
    reply = ask(snapshot_of(notes), "regularisation", KEYWORD, given=PLAIN)
    assert reply.fuzzy_correction
    assert (paths(reply)[0], reply.fuzzy_correction.to) == ("weights.md", "regularization")


@examples(300)
@given(WORDS, st.lists(WORDS, max_size=20))
def test_no_similar_word_is_left_out_by_its_shape(word: str, others: list[str]) -> None:
    """This holds for words that have no trigram twice."""
    plain = [each for each in others if len(trigrams(each)) == len(each) - 2]
    if len(trigrams(word)) == len(word) - 2:
        kept = {plain[row] for row in rows_similar(word, *shapes_of(plain)).tolist()}
        wanted = {each for each in plain if dice(trigrams(word), trigrams(each)) >= DICE_MIN}
        assert wanted <= kept


def similar(passages: Passages, word: str) -> list[str]:
    return [passages.keyword.words[each] for each in finished(words_similar(passages, word))]


def test_the_most_similar_words_are_found_wherever_they_are() -> None:
    words = [f"thermomet{end}" for end in ("er", "ers", "ric", "rical", "rically", "rists")]
    words += [f"thermometrix{chr(97 + n)}" for n in range(2 * SIMILAR_MAX)]
    passages = passages_of(dict.fromkeys(words, 1))
    of_word = trigrams("thermometry")
    ordered = sorted(words, key=lambda each: (-dice(of_word, trigrams(each)), each))
    assert sorted(similar(passages, "thermometry")) == sorted(ordered[:SIMILAR_MAX])
    passages.drop(0)
    assert similar(passages, "thermometry") == []


def test_a_large_vocabulary_is_compared_fast() -> None:
    chance = np.random.default_rng(7)
    letters = np.array(list("etaoinshrdlucmfwyp"))
    sizes = chance.integers(5, 12, 300_000)
    text = "".join(letters[(chance.random(sizes.sum()) ** 2 * len(letters)).astype(int)])
    ends = np.cumsum(sizes)
    words = [
        text[end - size : end] for end, size in zip(ends.tolist(), sizes.tolist(), strict=True)
    ]
    shapes = shapes_of(words)
    check_within(0.2, lambda: rows_similar("thermometry", *shapes))


def test_a_word_that_only_deleted_notes_had_is_corrected() -> None:
    engine = engine_of({"a.md": "clock tide", "b.md": "clocks drift"})
    query = query_terms("clocks", engine.snapshot.languages)
    assert finished(match_corrected(Scope(engine.snapshot, None), query)) is None
    engine.apply(Batch(dropped=("b.md",)))
    matches = finished(match_corrected(Scope(engine.snapshot, None), query))
    assert matches is not None
    assert [each.corrected for each in matches.corrections] == ["clock"]


def test_a_word_that_the_model_knows_is_right_beside_others() -> None:
    notes = {f"{n}.md": "a boat with its gradients summed" for n in range(3)}
    snapshot = snapshot_of(notes | {"s.md": "harmonic analysis of a boat"})
    for query in ("boat summer", "boat summer analisys"):
        reply = ask(snapshot, query, given=setting())
        made = reply.fuzzy_correction.corrections if reply.fuzzy_correction else ()
        assert [each.from_ for each in made] == ["analisys"] * ("analisys" in query)
    unknown = ask(snapshot, "boat summer", given=PLAIN)  # without a model
    assert unknown.fuzzy_correction is not None
    alone = ask(snapshot, "summer", given=setting())
    assert alone.fuzzy_correction is not None


def test_a_prefix_and_a_word_that_the_model_knows_are_no_slip() -> None:
    notes = {f"{n}.md": "the notes" for n in range(4)}
    snapshot = snapshot_of({"a.md": "Unlike the others, these notes are unlimited.", **notes})
    assert ask(snapshot, "unlinked notes").fuzzy_correction is None
    assert ask(snapshot, "unlimted notes").fuzzy_correction is not None
    slips = snapshot_of({"a.md": "The reasons to prepare until then, under pressure.", **notes})
    for slip in ("resons notes", "prepair notes", "presure notes"):
        assert ask(slips, slip).fuzzy_correction is not None, slip


def test_letters_that_are_exchanged_in_a_word_of_six_are_a_slip_beside_other_words() -> None:
    notes = {"a.md": "The marches of Gandhi.", **{f"{n}.md": "a grand work" for n in range(4)}}
    reply = ask(snapshot_of(notes), "what was ghandi's work called")
    assert reply.fuzzy_correction is not None
    assert reply.fuzzy_correction.to == "what was gandhi's work called"


def corrected_alone(notes: str, query: str, given: Setting) -> str | None:
    correction = ask(snapshot_of({"a.md": notes}), query, given=given).fuzzy_correction
    return correction.to if correction else None


def test_a_word_that_the_model_knows_is_corrected_alone_only_as_a_slip() -> None:
    notes = "a page of better buttons, wormers"
    assert corrected_alone(notes, "plague", setting()) is None
    assert corrected_alone(notes, "worker", setting()) is None  # no slip in another form
    assert corrected_alone(notes, "wermer", setting()) == "wormers"
    assert corrected_alone(notes, "beter", setting()) == "better"
    assert corrected_alone(notes, "letter", setting()) is None


@for_each_row(
    ("query", "corrected"),
    [
        ("dieser", None),  # a viewer is six letters with two edits, and begins otherwise
        ("westen", None),
        ("vieweer", "viewer"),
        ("vaewar", None),  # six letters
        ("vievver", "viewer"),  # seven letters
        ("cuttens", None),  # buttons begin otherwise
        ("fiewer", "viewer"),  # one edit
    ],
)
def test_two_edits_are_made_in_a_lone_word_only_if_it_is_long(
    query: str, corrected: str | None
) -> None:
    assert corrected_alone("the viewer of nested pages, buttons", query, PLAIN) == corrected


@for_each_row(
    ("notes", "query", "corrected"),
    [
        ("good habits", "habbit", "habits"),  # two edits, and one between the stems
        ("a tide gauge", "guages", "gauge"),
        ("a tide gauge", "the guages at sea", "the gauge at sea"),
        # A word one edit away is nearer than one whose stem is, though more notes have that.
        ("a gauge, gauges\n\n# Gauge\n\na gauge", "guages", "gauges"),
        ("a command, commands", "slashes comands", "slashes commands"),
        ("the orbits", "arbott", None),  # the stems are two edits apart too
        ("the rabbits", "habbit", None),  # the first letter, in two edits
        ("they bring", "bridge", None),  # "bridg" is as short as words that may be right
        ("two hours", "houses", None),
    ],
)
def test_a_slip_is_corrected_to_another_form_of_the_word(
    notes: str, query: str, corrected: str | None
) -> None:
    assert corrected_alone(notes, query, PLAIN) == corrected


@for_each_row(
    ("notes", "query", "corrected"),
    [
        ("the car port, a carpoort", "carport", "car port"),  # a note has both parts
        ("the clock has a drift, clocksdrafts", "clocksdrift", "clocks drift"),  # two edits
        ("the clock has a drift, clocksdraft", "clocksdrift", "clocksdraft"),
    ],
)
def test_a_split_into_words_of_the_notes_comes_before_a_correction(
    notes: str, query: str, corrected: str
) -> None:
    """A split into words of which notes have other forms comes before one of two edits only."""
    assert corrected_alone(notes, query, PLAIN) == corrected
