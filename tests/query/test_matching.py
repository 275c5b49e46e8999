"""How words are matched: exactly, as parts of longer words, corrected, or by any part."""

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.query.search.passage_hits import HITS_MAX
from clew.values.requests import Filters, Search
from clew.values.search_replies import SearchReply
from clew.values.vault import Batch
from tests.examples import examples
from tests.searches import SEARCH, ask, paths, setting
from tests.spelling import searched_words
from tests.tables import for_each_row
from tests.vaults import engine_of, read_note, snapshot_of

KEYWORD = replace(SEARCH, mode="keyword")
EXACT = replace(KEYWORD, fuzzy=False)
PLAIN = setting(has_model=False)

NOTES = {
    **{f"gauge{number}.md": "a gauge" for number in range(3)},
    "database.md": "a database of harbours",
    "harbour.md": "the harbour, about its harbourmaster",
    "ebb.md": "ebb and flood",
    "identifiers.md": "call tideGauge() there",
    "thai.md": "ระดับน้ำทะเล",
}
SNAPSHOT = snapshot_of(NOTES)


def found(query: str, request: Search = KEYWORD, filters: Filters | None = None) -> SearchReply:
    return ask(SNAPSHOT, query, request, filters, given=PLAIN)


def corrected(reply: SearchReply) -> str:
    """Return the corrected query that was answered."""
    assert reply.fuzzy_correction is not None
    return reply.fuzzy_correction.to


Tier = Literal["bm25", "trigram", "fuzzy", "keyword"]
TIERS: list[tuple[str, Tier, set[str]]] = [
    ("gauge", "bm25", {"gauge0.md", "gauge1.md", "gauge2.md", "identifiers.md"}),
    ("gauges", "bm25", {"gauge0.md", "gauge1.md", "gauge2.md", "identifiers.md"}),
    ("ebb", "bm25", {"ebb.md"}),
    ("tabase", "trigram", {"database.md"}),
    ("bourmas", "trigram", {"harbour.md"}),
    ("harboru", "fuzzy", {"harbour.md", "database.md"}),
    ("databsae", "fuzzy", {"database.md"}),
    ("EBBB", "fuzzy", {"ebb.md"}),
    ("bb", "keyword", {"ebb.md"}),
    ("oo", "keyword", {"ebb.md"}),
    ("น้", "bm25", {"thai.md"}),
    ("ดับ", "bm25", {"thai.md"}),
]


@for_each_row(("query", "tier", "expected"), TIERS)
def test_the_reply_names_the_tier(query: str, tier: Tier, expected: set[str]) -> None:
    reply = found(query)
    assert reply.search_metrics.tier == tier
    assert set(paths(reply)) == expected
    assert (reply.fuzzy_correction is not None) is (tier == "fuzzy")


def test_longer_words_are_tried_if_fewer_than_three_notes_match() -> None:
    """The word "gaugexyz" contains "gaug"; it is tried if fewer than three notes have "gaug"."""
    exact = {f"g{number}.md": "gaug" for number in range(3)}
    snapshot = snapshot_of({**exact, "longer.md": "gaugexyz"})
    assert set(paths(ask(snapshot, "gaug", KEYWORD, given=PLAIN))) == set(exact)
    snapshot = snapshot_of({"g0.md": "gaug", "g1.md": "gaug", "longer.md": "gaugexyz"})
    reply = ask(snapshot, "gaug", KEYWORD, given=PLAIN)
    assert reply.search_metrics.tier == "trigram"
    assert set(paths(reply)) == {"g0.md", "g1.md", "longer.md"}


def test_notes_with_the_word_itself_come_before_those_with_longer_words() -> None:
    longer = {f"{number}.md": "antityres " * 5 for number in range(9)}
    filler = "and so on, of the weather and the garden and the party " * 20
    snapshot = snapshot_of({**longer, "z.md": f"winter tyres {filler}"})
    found = paths(ask(snapshot, "tyres", KEYWORD, given=PLAIN))
    assert found[0] == "z.md"
    assert len(found) > 5


@for_each_row(
    ("query", "to", "corrections"),
    [
        ("harborumaster", "harbourmaster", [("harborumaster", "harbourmaster", 1)]),
        ("Databsae, please?", "database, please?", [("databsae", "database", 1)]),
        ("ebb and floood!", "ebb and flood!", [("floood", "flood", 1)]),
        ("fod floodgate flod", "fod floodgate flood", [("flod", "flood", 1)]),
        ("flod flodx-flod", "flood flodx-flood", [("flod", "flood", 1)]),
        ("dtabsae", "database", [("dtabsae", "database", 2)]),
        ("ebb's flodo's", "ebb's flood's", [("flodo", "flood", 1)]),
    ],
)
def test_a_correction_keeps_the_other_text_of_the_query(
    query: str, to: str, corrections: list[tuple[str, str, int]]
) -> None:
    correction = found(query).fuzzy_correction
    assert correction is not None
    assert (correction.from_, correction.to) == (query, to)
    assert [(each.from_, each.to, each.distance) for each in correction.corrections] == corrections


def test_a_correction_keeps_the_period_of_the_query() -> None:
    reply = found("databsae since 2020", replace(SEARCH, mode="hybrid"))
    assert corrected(reply) == "database since 2020"


ENOUGH = snapshot_of(
    {
        **{f"clock{number}.md": "clock" for number in range(3)},
        "drift.md": "clock drift, accumulated",
        "king.md": "king for graph, thrust",
    }
)


@pytest.mark.parametrize(
    ("query", "to"),
    [
        ("clock drft", "clock drift"),
        ("Clock dirft?", "Clock drift?"),
        ("clock acumulated", "clock accumulated"),
        ("clock accummulated", "clock accumulated"),
        ("clock accumuleted", "clock accumulated"),
        ("clock drft kind", "clock drift kind"),
    ],
)
def test_a_slip_is_corrected_though_other_words_find_enough_notes(query: str, to: str) -> None:
    reply = ask(ENOUGH, query, KEYWORD, given=PLAIN)
    assert (corrected(reply), reply.search_metrics.tier) == (to, "fuzzy")
    assert paths(reply)[0] == "drift.md"
    assert len(paths(reply)) == 4
    reply = ask(ENOUGH, query, EXACT, given=PLAIN)
    assert (reply.fuzzy_correction, reply.search_metrics.tier) == (None, "bm25")


@for_each_row(
    "query",
    [
        "clock kind",  # one letter for another in a short word
        "clock rift",  # the first letter
        "clock drfit drifting clocks",  # the corrected word is in the query already
        "clock four",  # an extra letter in a short word
        "clock teh",  # few letters
        "clock acumlated",  # two edits
        "clock drift1",  # a number
    ],
)
def test_only_slips_are_corrected_where_enough_notes_match(query: str) -> None:
    reply = ask(ENOUGH, query, KEYWORD, given=PLAIN)
    assert (reply.fuzzy_correction, reply.search_metrics.tier) == (None, "bm25")


KNOWN = "clock drift tide gauge 20310"


@pytest.mark.parametrize(
    ("query", "is_needed"),
    [
        *((query, False) for query in ("clock", "clocks drifting", "clock drift teh", KNOWN)),
        *((query, True) for query in ("clcok", "clock drfit drift", "tabase", "bb")),
    ],
)
def test_the_vocabulary_is_searched_only_where_there_may_be_a_slip(
    query: str, is_needed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched = searched_words(monkeypatch)
    snapshot = snapshot_of({f"{number}.md": "clock drift of a tide gauge" for number in range(3)})
    ask(snapshot, query, KEYWORD, given=PLAIN)
    assert bool(searched) is is_needed


@pytest.mark.parametrize("query", ["yesterday", "latest notes", "gauge", "gauges last week"])
def test_the_vocabulary_is_not_searched_for_known_words(
    query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched = searched_words(monkeypatch)
    ask(SNAPSHOT, query, SEARCH)
    assert not searched


@pytest.mark.parametrize("query", [query for query, tier, _ in TIERS if tier == "fuzzy"])
def test_nothing_is_corrected_without_fuzzy(query: str) -> None:
    reply = found(query, EXACT)
    assert reply.fuzzy_correction is None
    assert reply.results == ()


@pytest.mark.parametrize("query", ["eb", "db", "abuot", "tihs", "gague 12"])
def test_no_word_is_corrected_to_a_stop_word(query: str) -> None:
    """This holds for words of two letters, and for words whose nearest word is a stop word."""
    snapshot = snapshot_of({"a.md": "about this database, deb", "b.md": "13"})
    reply = ask(snapshot, query, KEYWORD, given=PLAIN)
    assert reply.fuzzy_correction is None


def test_an_inflected_form_of_a_known_word_is_not_corrected() -> None:
    """ "votes" is also one letter from "notes", and more frequent; but the vault has "note"."""
    notes = {"note.md": "one note", "v1.md": "votes", "v2.md": "votes votes", "z.md": "zebra"}
    reply = ask(snapshot_of(notes), "notes zebrra", KEYWORD, given=PLAIN)
    assert corrected(reply) == "notes zebra"


def test_words_of_deleted_notes_are_unknown() -> None:
    engine = engine_of({"a.md": "gauge", "b.md": "gague"})
    assert paths(ask(engine.snapshot, "gague", KEYWORD, given=PLAIN))[0] == "b.md"
    engine.apply(Batch(dropped=("b.md",)))
    reply = ask(engine.snapshot, "gague", KEYWORD, given=PLAIN)
    assert (paths(reply), reply.search_metrics.tier) == (["a.md"], "fuzzy")


def test_the_most_frequent_of_equally_near_words_is_taken() -> None:
    notes = {"a.md": "bead", "b.md": "bear", "c.md": "bear", "d.md": "beat"}
    reply = ask(snapshot_of(notes), "beax", KEYWORD, given=PLAIN)
    assert corrected(reply) == "bear"


def test_a_correction_that_finds_as_many_notes_is_kept() -> None:
    snapshot = snapshot_of({"a.md": "ebb and flood", "b.md": "ebb"})
    assert paths(ask(snapshot, "ebb", KEYWORD, given=PLAIN)) == ["b.md", "a.md"]
    reply = ask(snapshot, "ebb floood", KEYWORD, given=PLAIN)
    assert (reply.search_metrics.tier, paths(reply)) == ("fuzzy", ["a.md", "b.md"])


def test_longer_words_are_tried_before_corrections() -> None:
    snapshot = snapshot_of({"a.md": "floodgate", "b.md": "flood"})
    reply = ask(snapshot, "floodg", KEYWORD, given=PLAIN)
    assert (reply.search_metrics.tier, reply.fuzzy_correction) == ("trigram", None)


def test_other_legs_answer_the_corrected_query() -> None:
    notes = {"a.md": "[[Harbour]]", "b.md": "[[Harbour]] [[Pilot]]", "c.md": "[[Pilot]]"}
    reply = ask(snapshot_of(notes), "harborur", given=PLAIN)
    assert reply.fuzzy_correction is not None
    assert "c.md" in paths(reply), "which the graph leg reaches from the concept"


def test_longer_words_are_looked_for_only_if_another_note_may_have_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    filters = Filters(type="storm")
    snapshot = snapshot_of({**NOTES, "storm.md": "---\ntype: storm\n---\nflood"})
    searched = searched_words(monkeypatch)
    assert paths(ask(snapshot, "flood", EXACT, filters, given=PLAIN)) == ["storm.md"]
    assert not searched
    assert paths(ask(snapshot, "floo", EXACT, filters, given=PLAIN)) == ["storm.md"]
    assert searched


def test_filters_hold_in_every_tier() -> None:
    inside = Filters(folder="nowhere")
    for query, _, _ in TIERS:
        assert found(query, KEYWORD, inside).results == ()


def test_the_last_resort_ranks_by_how_many_words_match() -> None:
    snapshot = snapshot_of({"both.md": "xaby xcdy", "one.md": "xaby", "none.md": "xefy"})
    reply = ask(snapshot, "ab cd", KEYWORD, given=PLAIN)
    raws = [(p, r.legs["keyword"].raw) for p, r in zip(paths(reply), reply.results, strict=True)]
    assert raws == [("both.md", 1.0), ("one.md", 0.5)]
    assert reply.search_metrics.tier == "keyword"


def test_the_last_resort_puts_notes_with_all_words_first() -> None:
    """This holds even if the note would be last for each single word."""
    notes = {f"{word}{n:03}.md": word for word in ("xabx", "xcdx") for n in range(HITS_MAX + 50)}
    both = f"xabx {'filler ' * 200} xcdx"
    snapshot = snapshot_of({**notes, "both.md": both, "no/both.md": both})
    reply = ask(snapshot, "ab cd", KEYWORD, given=PLAIN)
    assert paths(reply)[:2] == ["both.md", "no/both.md"]
    assert reply.total == HITS_MAX
    inside = Filters(folder="no")
    assert paths(ask(snapshot, "ab cd", KEYWORD, inside, given=PLAIN)) == ["no/both.md"]


VOCABULARY = [
    "tide",
    "tides",
    "tidal",
    "gauge",
    "guage",
    "harbour",
    "ebb",
    "the",
    "潮汐",
    "tideGauge",
]
TEXTS = st.lists(st.sampled_from(VOCABULARY), max_size=4).map(" ".join)


@examples(150)
@given(
    st.lists(TEXTS, min_size=1, max_size=5),
    st.lists(TEXTS, max_size=3),
    st.lists(st.sampled_from([*VOCABULARY, "gaueg", "tid", "idal", "潮", "hrbour"]), min_size=1),
)
def test_earlier_notes_do_not_change_answers(
    now: list[str], gone: list[str], query: list[str]
) -> None:
    """Two vaults with the same notes give the same answers, though one had other notes before."""
    notes = {f"n{number}.md": text for number, text in enumerate(now)}
    engine = engine_of({f"n{number}.md": text for number, text in enumerate(gone)})
    engine.apply(Batch(put=tuple(read_note(*each) for each in notes.items())))
    dropped = tuple(f"n{number}.md" for number in range(len(now), len(gone)))
    engine.apply(Batch(dropped=dropped))
    wanted = " ".join([*query, "x"])
    fresh, edited = (
        ask(snapshot, wanted, given=PLAIN) for snapshot in (snapshot_of(notes), engine.snapshot)
    )
    assert replace(edited, revision=0) == replace(fresh, revision=0)
