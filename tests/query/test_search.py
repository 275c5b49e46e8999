"""Search end to end on vaults in memory: order, pages, legs, random queries."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from clew.embed.noise import BUILTIN_NOISE
from clew.engine.snapshot import Snapshot
from clew.index.formulas.bm25 import inverse_frequency
from clew.query.search.fusion import BEFORE
from clew.query.search.legs.registry import LEGS
from clew.query.search.legs.word_scores import NOTE_BONUS
from clew.query.search.passage_hits import HITS_MAX
from clew.query.search.search_config import SearchConfig
from clew.text.query_language import parse_query
from clew.text.stopwords import STOP_WORDS
from clew.text.terms import query_words
from clew.values.errors import InvalidParams
from clew.values.requests import Filters, Search
from clew.values.search_replies import SearchReply, SearchResult
from clew.values.vault import Batch
from clew.values.wire import encode_result
from tests.examples import examples
from tests.searches import SEARCH, ask, embed, paths, setting, vault
from tests.tables import for_each_row
from tests.timed import check_within
from tests.vaults import DAY_S, NOW_S, engine_of, read_note

MODES = ("hybrid", "keyword", "semantic", "graph")
SMALL = {
    "harbours/A Guarda.md": "# A Guarda\n\nA harbour with a [[tide gauge]] and a [[seiche]].",
    "harbours/Cambados.md": "# Cambados\n\nIts [[Tide gauge]] broke. See [[Clock drift]].",
    "Tide gauge.md": "# Tide gauge\n\nMeasures the sea level.\n\n## Repair\n\nTake the clock out.",
    "Clock drift.md": "---\naliases: [ageing]\n---\nClocks go wrong: [[GPS]].",
    "journal.md": "Nothing of interest, but for lunch.",
    "empty.md": "",
}
SNAPSHOT = vault(SMALL)
MANY = vault({f"n{n:03}.md": f"tide number{n} [[c{n % 9}]]" for n in range(150)})


def in_mode(mode: str, **fields: Any) -> Search:
    return replace(SEARCH, mode=mode, **fields)


def check(snapshot: Snapshot, reply: SearchReply, request: Search) -> None:
    """Assert the properties of every reply."""
    found = paths(reply)
    assert len(found) == len(set(found)) <= request.limit
    assert reply.meta.returned_items == len(reply.results)
    assert reply.search_metrics.candidates >= reply.meta.total_items == reply.total >= len(found)
    assert (reply.answered == "no") is (reply.total == 0)
    assert reply.answered == "no" or not reply.suggestions
    assert reply.meta.truncated == (reply.cursor is not None)
    # A list is ordered by date, and scores 0.
    order = [(-row.score, path) for row, path in zip(reply.results, found, strict=True) if row.legs]
    assert order == sorted(order), "best first, equals by path"
    allowed = {leg.name for leg in LEGS} if request.mode == "hybrid" else {request.mode}
    if reply.search_metrics.tier == "keyword":
        allowed = {"keyword"}
    ranks: dict[str, dict[int, float]] = {}
    is_list = bool(parse_query(reply.query).clauses) and not any(r.legs for r in reply.results)
    for row in reply.results:
        assert row.legs or is_list, "it was found by some leg"
        assert set(row.legs) <= allowed
        assert len(row.snippet) <= 320
        assert 0 <= row.confidence <= 1
        assert 1 <= row.lines[0] <= row.lines[1]
        for leg, hit in row.legs.items():
            assert 1 <= hit.rank <= HITS_MAX
            assert hit.rank not in ranks.setdefault(leg, {})
            ranks[leg][hit.rank] = hit.raw
    for raws in ranks.values():
        falling = [raw for _, raw in sorted(raws.items())]
        assert falling == sorted(falling, reverse=True), "a better rank has no smaller raw score"
    for path, row in zip(found, reply.results, strict=True):
        note = snapshot.note(path)
        assert row.title == snapshot.title(path)
        places = {(chunk.first_line, chunk.last_line): chunk.tokens for chunk in note.chunks}
        assert row.tokens == (places[row.lines] if places else 0)


@for_each_row("mode", MODES)
@for_each_row("query", ["tide gauge", "drift", "sea", "Cambados", "latest", "clok"])
def test_replies_keep_their_promises(mode: str, query: str) -> None:
    request = in_mode(mode, limit=3)
    check(SNAPSHOT, ask(SNAPSHOT, query, request), request)


WORDS = st.sampled_from(
    ["tide", "gauge", "ebb", "sea", "[[tide]]", "[[Ghost]]", "# ebb\n\n", "\n\n"]
)
TEXTS = st.lists(WORDS, max_size=8).map(" ".join)
VAULTS = st.dictionaries(
    st.sampled_from(["tide.md", "a/ebb.md", "b/ebb.md", "sea.md", "x.md"]), TEXTS, max_size=5
)
REQUESTS = st.builds(
    Search,
    query=st.just(""),
    mode=st.sampled_from(MODES),
    ranking=st.sampled_from(["fused", "additive"]),
    fuzzy=st.booleans(),
    explain=st.booleans(),
    limit=st.integers(1, 4),
)


@examples(150)
@given(VAULTS, st.lists(WORDS, min_size=1, max_size=4).map(" ".join), REQUESTS)
def test_replies_keep_their_promises_on_any_vault(
    notes: dict[str, str], query: str, request: Search
) -> None:
    snapshot = vault(notes)
    try:
        reply = ask(snapshot, query, request)
    except InvalidParams:
        assert not query_words(query)
        return
    check(snapshot, reply, request)


@examples(60)
@given(VAULTS, VAULTS, REQUESTS, st.sampled_from(["tide", "sea gauge", "ebb ghost", "tied"]))
def test_the_history_of_a_vault_does_not_change_replies(
    now: dict[str, str], before: dict[str, str], request: Search, query: str
) -> None:
    """The same notes give the same reply, whether read at once or after other edits."""
    engine = engine_of(before)
    embed(engine)
    for path, text in now.items():
        engine.apply(Batch(put=(read_note(path, text),)))
    engine.apply(Batch(dropped=tuple(before.keys() - now.keys())))
    embed(engine)
    edited, fresh = (
        encode_result(1, replace(ask(snapshot, query, request), revision=0))
        for snapshot in (engine.snapshot, vault(now))
    )
    assert edited == fresh


@pytest.mark.slow
@pytest.mark.parametrize("ranking", ["fused", "additive"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("limit", [1, 7, 149, 150])
def test_pages_together_are_the_whole_list(mode: str, ranking: str, limit: int) -> None:
    request = in_mode(mode, ranking=ranking)
    query = "tide number7 c3"
    whole = ask(MANY, query, replace(request, limit=100_000))
    assert whole.cursor is None
    found: list[SearchResult] = []
    cursor = None
    for _ in range(200):
        reply = ask(MANY, query, replace(request, limit=limit, cursor=cursor))
        found += reply.results
        cursor = reply.cursor
        assert reply.total == whole.total
        if cursor is None:
            break
    assert found == list(whole.results)
    assert len(found) == (150 if mode in ("hybrid", "keyword") else whole.total)


def test_the_same_request_is_answered_by_the_same_bytes() -> None:
    first, second = (encode_result(1, ask(SNAPSHOT, "tide gauge latest")) for _ in range(2))
    assert first == second


@for_each_row("query", ["", "   ", "?!", "the", "the of and", "\0", "\u200b"])
@for_each_row("mode", MODES)
def test_a_query_without_a_word_is_refused(query: str, mode: str) -> None:
    with pytest.raises(InvalidParams) as caught:
        ask(SNAPSHOT, query, in_mode(mode))
    assert caught.value.field == "query"


def test_a_query_uses_the_legs_of_its_mode() -> None:
    by_mode = {
        mode: {
            leg for row in ask(SNAPSHOT, "tide gauge", in_mode(mode)).results for leg in row.legs
        }
        for mode in MODES
    }
    assert by_mode["keyword"] == {"keyword"}
    assert by_mode["semantic"] == {"semantic"}
    assert by_mode["graph"] == {"graph"}
    assert by_mode["hybrid"] == {"keyword", "semantic", "graph"}


def test_a_note_is_found_by_its_links() -> None:
    row = next(r for r in ask(SNAPSHOT, "ageing").results if r.uri.endswith("Cambados.md"))
    assert "graph" in row.legs
    assert "keyword" not in row.legs


def test_the_graph_leg_weighs_hits_by_the_square_of_their_share_of_the_best() -> None:
    best, query = "best.md", "tide"
    snapshot = vault(
        {
            best: "tide tide tide [[Near]]",
            "other.md": "a tide among a good many other words that are of no interest [[Far]]",
            "Near.md": "",
            "Far.md": "",
        }
    )
    reply = ask(snapshot, query, given=setting(has_model=False))
    legs = dict(zip(paths(reply), (row.legs for row in reply.results), strict=True))
    words = [legs[path]["keyword"] for path in (best, "other.md")]
    share = words[1].raw / words[0].raw * (60 + words[0].rank) / (60 + words[1].rank)
    assert share < 0.9
    ratio = legs["Far.md"]["graph"].raw / legs["Near.md"]["graph"].raw
    assert ratio == pytest.approx(share**2, rel=1e-3)


def test_a_note_is_first_where_the_query_is_its_name() -> None:
    notes = {f"{n}.md": "# Tide\n\nthe tide, the tide [[Ebb]]\n" for n in range(30)}
    snapshot = vault({**notes, "About the tide.md": "Written long ago. [[Ebb]]"})
    assert paths(ask(snapshot, "about the tide"))[0] == "About the tide.md"
    assert paths(ask(snapshot, "all about the tide"))[0] != "About the tide.md"


def test_a_note_is_found_by_its_meaning() -> None:
    found = paths(ask(SNAPSHOT, "measuring ocean levels", in_mode("semantic")))
    assert found[0] == "Tide gauge.md"


def test_of_equal_passages_the_first_is_shown() -> None:
    section = "## Same\n\n" + "The tide is high today. " * 30 + "\n\n"
    snapshot = vault({"n.md": "# Top\n\n" + "An unlike beginning. " * 40 + "\n\n" + section * 3})
    chunks = snapshot.note("n.md").chunks
    assert len(chunks) == 4
    for mode in ("semantic", "keyword"):
        (row,) = ask(snapshot, "same high tide", in_mode(mode)).results
        assert row.lines == (chunks[1].first_line, chunks[1].last_line)


def test_without_a_model_the_other_legs_answer() -> None:
    reply = ask(SNAPSHOT, "tide gauge", given=setting(has_model=False))
    assert {leg for row in reply.results for leg in row.legs} == {"keyword", "graph"}


def test_fusion_and_age_make_the_score() -> None:
    """The score can be computed from the ranks and raw scores in the reply."""
    old_s, config = NOW_S - 400 * DAY_S, SearchConfig(recency=0.4)
    engine = engine_of({"new.md": "tide tide", "other.md": "tide gauge"})
    engine.apply(Batch(put=(read_note("old.md", "tide gauge gauge", old_s),)))
    embed(engine)
    reply = ask(engine.snapshot, "tide gauge", given=setting(config=config))
    full = {leg: hit.raw for r in reply.results for leg, hit in r.legs.items() if hit.rank == 1}
    each_word_once = (1 + NOTE_BONUS) * (inverse_frequency(3, 3) + inverse_frequency(3, 2))
    full |= {"semantic": 1.0, "keyword": max(full["keyword"], each_word_once)}
    none = {**dict.fromkeys(full, 0.0), "semantic": BUILTIN_NOISE}
    for row in reply.results:
        expected = sum(
            config.weights[leg]
            * (BEFORE if leg in ("keyword", "semantic") else 1.0)
            * max(0.01, (hit.raw - none[leg]) / (full[leg] - none[leg]))
            / (60 + hit.rank)
            for leg, hit in row.legs.items()
        )
        decay = (400 - 28) ** -0.5 if row.uri.endswith("old.md") else 1.0
        assert row.score == pytest.approx(expected * (0.6 + 0.4 * decay), abs=2e-6)


SAME = "# Same\n\nThe tide gauge of [[Harbour]].\n"


@for_each_row("mode", MODES)
@for_each_row("ranking", ["fused", "additive"])
def test_equal_notes_are_ordered_by_path(mode: str, ranking: str) -> None:
    snapshot = vault({f"{letter}/Same.md": SAME for letter in "hgfedcba"})
    reply = ask(snapshot, "tide gauge", in_mode(mode, ranking=ranking))
    assert paths(reply) == sorted(paths(reply))
    assert len(paths(reply)) == 8


@for_each_row("mode", MODES)
@for_each_row("ranking", ["fused", "additive"])
@for_each_row(
    "notes", [{}, {"a.md": ""}, {f"{n}.md": "\n \n" for n in range(9)}, {"a.md": "---\n---\n"}]
)
def test_search_in_empty_vaults_finds_nothing(
    notes: dict[str, str], mode: str, ranking: str
) -> None:
    assert paths(ask(vault(notes), "tide xyzzy", in_mode(mode, ranking=ranking))) == []


@pytest.mark.parametrize("mode", MODES)
def test_one_note_is_found_by_its_name_alone(mode: str) -> None:
    reply = ask(vault({"Seiche.md": ""}), "seiche", in_mode(mode))
    (row,) = reply.results
    assert (row.title, row.snippet, row.heading, row.lines, row.tokens) == (
        *("Seiche", "", None, (1, 1)),
        0,
    )


HOSTILE = st.one_of(
    st.text(max_size=80),
    st.text(
        alphabet=st.sampled_from(
            list("\"'+-()*:^~?\\/[]{}|&!<>#@%$ \t\n\0aA1潮ักא\u202e\u0301👍🇪\ud800")
        ),
        max_size=60,
    ),
    st.sampled_from(
        [
            "tide AND gauge OR NOT (sea)",
            '"tide gauge"~3',
            "title:tide* +sea -gauge",
            "NEAR(tide gauge, 5)",
            "'; DROP TABLE notes; --",
            "[[tide gauge]] ![[x]]",
            "tide " * 2_000,
            "\u202etide\u202c gauge",
            "<|endoftext|> [MASK]",
            "last last last week latest 2024-13-45",
            "٣ نوفمبر المد",
            "a" * 5_000,
            "🏴‍☠️ tide",
        ]
    ),
)


@examples(400)
@given(HOSTILE, REQUESTS)
def test_any_text_is_a_query_or_a_clear_error(query: str, request: Search) -> None:
    try:
        reply = ask(SNAPSHOT, query, request)
    except InvalidParams:
        assert not any(word not in STOP_WORDS for word in query_words(query))
        return
    check(SNAPSHOT, reply, request)


PIECES = [
    "👍",
    "ا",
    "潮",
    "ก",
    "a ",
    "À ",
    "\u0301",
    "İ",
    "x" * 63 + " ",
    "wort-",
    "camelCase",
    "last ",
]
FOLDERS = vault({f"daily {n}/folder {n} of x/n.md": "tide" for n in range(300)})


@pytest.mark.slow
@for_each_row("piece", PIECES)
@for_each_row("ranking", ["fused", "additive"])
def test_a_query_of_100_kb_takes_no_longer_than_a_tenth_of_a_second(
    piece: str, ranking: str
) -> None:
    query = ("tide " + piece * 100_000)[:100_000]
    request = replace(SEARCH, ranking=ranking)
    check_within(0.1, lambda: ask(FOLDERS, query, request))


def test_explaining_changes_nothing_else() -> None:
    plain, explained = (
        ask(SNAPSHOT, "tide gauge", replace(SEARCH, explain=explain)) for explain in (False, True)
    )
    assert b"breakdown" not in encode_result(1, plain)
    assert encode_result(1, explained).count(b"breakdown") == len(plain.results)
    rows = tuple(replace(row, breakdown=UNSET) for row in explained.results)
    assert replace(explained, results=rows, understood=UNSET) == plain


def test_filters_that_leave_nothing_find_nothing() -> None:
    for mode in MODES:
        reply = ask(SNAPSHOT, "tide", in_mode(mode), Filters(folder="nowhere"))
        assert (reply.results, reply.total) == ((), 0)


def test_words_after_the_sixty_fourth_are_not_looked_for() -> None:
    """Stop words do not count."""
    *words, last, later = (f"{a}o{b}u" for a in "bdfgk" for b in "bdfgklmnprstz")
    snapshot = vault({"a.md": " ".join([*words, later]), "b.md": " ".join([*words, last])})
    query = " the ".join([*words, last, later])
    assert paths(ask(snapshot, query, in_mode("keyword"))) == ["b.md", "a.md"]


def test_scores_that_are_shown_as_equal_are_ordered_by_path() -> None:
    """A second of a note's age is in no decimal that is shown."""
    engine = engine_of({})
    ages_s = {f"{name}.md": 100 * DAY_S - at for at, name in enumerate("abc")}
    engine.apply(Batch(put=tuple(read_note(p, "tide", NOW_S - age) for p, age in ages_s.items())))
    reply = ask(engine.snapshot, "tide", replace(SEARCH, ranking="additive"))
    assert paths(reply) == ["a.md", "b.md", "c.md"]
