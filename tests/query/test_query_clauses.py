"""Phrases, exclusions and operators of a query: which notes they leave in every mode."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from clew.query.search.narrowing import narrowed as narrowing
from clew.text.query_language import ClauseKind, parse_query
from clew.values.errors import InvalidParams
from clew.values.requests import Filters
from clew.values.vault import Batch
from tests.examples import examples
from tests.searches import SEARCH, ask, embed, paths, vault
from tests.tables import for_each_row
from tests.timed import check_within
from tests.vaults import engine_of, read_note

MODES = ("hybrid", "keyword", "semantic", "graph")
NOTES = {
    "gauges/Tide gauge.md": "---\ntags: [place/harbour]\ntype: Device\nmaker: Old Mill\n---\n"
    "# Tide gauge\n\nIt measures the sea. The clock drifts.\n\n## Repair\n\nBolt it to the quay.",
    "gauges/Radar.md": "---\nmodified: 2026-03-01\n---\n"
    "The tide is [read](https://tides.test) of a radar-gauge.",
    "log/2024-03-01.md": "---\ntags: [place]\nmodified: 2024-03-01\n---\nGauge the tide #ebb café.",
    "log/My Visit.md": "---\nmodified: 2025-03-01\n---\nA **tide** [[gauge]]s and clock drift.",
    "潮.md": "---\nmodified: 2020-03-01\n---\n検潮所で潮汐を測る。",
}
SNAPSHOT = vault(NOTES)
TIDE_GAUGE, RADAR, LOG, VISIT, TIDE_JA = NOTES

CASES: list[tuple[str, set[str]]] = [
    ('"tide gauge"', {TIDE_GAUGE}),
    ('"TIDE-Gauge"', {TIDE_GAUGE}),
    ('"tide gauges"', {VISIT}),
    ('"radar gauge"', {RADAR}),
    ('"gauge tide"', set()),
    ('"clock drift"', {VISIT}),
    ('"sea the clock"', {TIDE_GAUGE}),
    ('"drifts bolt"', set()),
    ('"drifts repair"', {TIDE_GAUGE}),
    ('"cafe"', {LOG}),
    ('"old mill"', {TIDE_GAUGE}),
    ('"maker: old mill"', {TIDE_GAUGE}),
    ('"maker: mill"', set()),
    ('"my visit"', {VISIT}),
    ('"the"', {TIDE_GAUGE, RADAR, LOG}),
    ('"潮汐を測る"', {TIDE_JA}),
    ('"汐測"', set()),
    ('"tide" "gauge"', {TIDE_GAUGE, RADAR, LOG}),
    ('"nowhere tide"', set()),
    ('"tides.test"', {RADAR}),
    ('"tides test of"', set()),
    ("-radar", {TIDE_GAUGE, LOG, VISIT, TIDE_JA}),
    ("-clocks", {RADAR, LOG, TIDE_JA}),
    ("-radar-gauge", {TIDE_GAUGE, LOG, VISIT, TIDE_JA}),
    ("-tide-gauge", {RADAR, LOG, VISIT, TIDE_JA}),
    ("-潮汐", {TIDE_GAUGE, RADAR, LOG, VISIT}),
    ('-"clock drift"', {TIDE_GAUGE, RADAR, LOG, TIDE_JA}),
    ('-"nowhere" -nothing', set(NOTES)),
    ("tag:place", {TIDE_GAUGE, LOG}),
    ("tag:#Place/harbour", {TIDE_GAUGE}),
    ("tag:ebb tag:place", {LOG}),
    ("-tag:place", {RADAR, VISIT, TIDE_JA}),
    ("path:gaug", {TIDE_GAUGE, RADAR}),
    ("path:LOG/", {LOG, VISIT}),
    ('path:"log/my v"', {VISIT}),
    ("-path:g", {TIDE_JA}),
    ("file:2024", {LOG}),
    ("file:log", set()),
    ('-file:"tide gauge"', set(NOTES) - {TIDE_GAUGE}),
    ("file:潮", {TIDE_JA}),
    ("type:device", {TIDE_GAUGE}),
    ("type:note -type:device", set(NOTES) - {TIDE_GAUGE}),
    ("type:device type:note", set()),
    ('path:log -"clock drift"', {LOG}),
    ('"tide" -radar path:g tag:place', {TIDE_GAUGE, LOG}),
]


@for_each_row(("query", "expected"), CASES)
def test_clauses_leave_the_notes_that_fulfil_them(query: str, expected: set[str]) -> None:
    for mode in MODES:
        found = paths(ask(SNAPSHOT, query, replace(SEARCH, mode=mode)))
        if parse_query(query).phrases and mode != "keyword":
            assert set(found) <= expected
        elif query != '"the"':
            assert set(found) == expected


@examples(100)
@given(
    st.sampled_from(CASES),
    st.sampled_from(CASES),
    st.sampled_from(["", "tide", "the quay", "radar clock", "last year", "latest gauge", "tid"]),
    st.sampled_from(MODES),
    st.sampled_from(["fused", "additive"]),
)
def test_no_leg_shows_a_note_that_a_clause_leaves_out(
    one: tuple[str, set[str]], other: tuple[str, set[str]], words: str, mode: str, ranking: str
) -> None:
    request = replace(SEARCH, mode=mode, ranking=ranking)
    found = paths(ask(SNAPSHOT, f"{one[0]} {words} {other[0]}", request))
    assert set(found) <= one[1] & other[1]


WORDS = ("tide", "ebb", "sea", "low")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
VAULTS = st.dictionaries(st.sampled_from(["x.md", "y.md", "z/x.md"]), TEXTS, max_size=3)
PHRASES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)


@examples(150)
@given(VAULTS, VAULTS, PHRASES, PHRASES)
def test_phrases_are_those_of_the_texts_after_any_edits(
    before: dict[str, str], now: dict[str, str], wanted: str, excluded: str
) -> None:
    engine = engine_of(before)
    engine.apply(Batch(dropped=tuple(before.keys() - now.keys())))
    engine.apply(Batch(put=tuple(read_note(path, text) for path, text in now.items())))
    reply = ask(engine.snapshot, f'"{wanted}" -"{excluded}"', replace(SEARCH, mode="keyword"))
    has = {path: f" {text} " for path, text in now.items()}
    expected = {p for p, t in has.items() if f" {wanted} " in t and f" {excluded} " not in t}
    assert set(paths(reply)) == expected


def test_operators_alone_list_the_notes_newest_first_on_all_pages() -> None:
    newest_first = [RADAR, TIDE_GAUGE, VISIT, LOG, TIDE_JA]
    for mode in MODES:
        for ranking in ("fused", "additive"):
            request = replace(SEARCH, mode=mode, ranking=ranking, limit=2, explain=True)
            found: list[str] = []
            cursor = None
            for _ in range(3):
                reply = ask(SNAPSHOT, "-nothing", replace(request, cursor=cursor))
                assert reply.total == len(NOTES)
                assert all((row.score, row.legs) == (0.0, {}) for row in reply.results)
                found += paths(reply)
                cursor = reply.cursor
            assert (found, cursor) == (newest_first, None)


def test_a_list_has_all_notes_that_pass_and_also_the_filters_of_the_request() -> None:
    snapshot = vault({f"{'ab'[n % 2]}/n{n}.md": "---\ntags: [x]\n---\n" for n in range(500)})
    reply = ask(snapshot, "tag:x", SEARCH, Filters(folder="a"))
    assert (reply.total, len(reply.results)) == (250, SEARCH.limit)


@for_each_row("query", ["", "the", '""', '"?!"', "-", "- -", '"', "-?!", "“ ”"])
def test_a_query_without_words_and_clauses_is_refused(query: str) -> None:
    with pytest.raises(InvalidParams) as caught:
        ask(SNAPSHOT, query)
    assert caught.value.field == "query"


def test_a_period_beside_a_phrase_is_understood_but_not_inside_one() -> None:
    assert paths(ask(SNAPSHOT, 'notes from March 2024 -"nothing else"')) == [LOG]
    assert paths(ask(SNAPSHOT, '"March 2024"')) == []


def test_only_plain_words_are_corrected() -> None:
    snapshot = vault({f"n{n}.md": f"barometer {n}" for n in range(5)} | {"o.md": "other"})
    reply = ask(snapshot, 'barometr -othr tag:barometr -"barometr x"')
    assert reply.results == ()
    query = ' barometr -othr -tag:barometr -"barometr x"'
    reply = ask(snapshot, query, replace(SEARCH, mode="keyword"))
    assert len(reply.results) == 5
    assert reply.fuzzy_correction is not None
    assert reply.fuzzy_correction.to == ' barometer -othr -tag:barometr -"barometr x"'
    reply = ask(snapshot, 'barometr "n3"', replace(SEARCH, explain=True))
    assert paths(reply) == ["n3.md"]
    assert reply.understood is not UNSET
    assert reply.understood.words[:2] == ("barometer", "n3")
    reply = ask(snapshot, '"barometr"')
    assert (reply.results, reply.fuzzy_correction) == ((), None)


def test_the_passage_with_the_phrase_is_shown() -> None:
    filler = "The gauge tide gauge-tide. " * 60
    text = f"# T\n\n## One\n\n{filler}\n\n## Two\n\nHere is a bolt of the quay.\n"
    (result,) = ask(vault({"n.md": text}), 'gauge tide "of the quay"').results
    assert result.snippet == "Here is a bolt of the quay."


def test_explain_tells_what_was_understood() -> None:
    query = 'the tides "clock drift" -radar -"a b" tag:x -path:"my v"'
    told = ask(SNAPSHOT, query, replace(SEARCH, explain=True)).understood
    assert told is not UNSET
    assert told.words == ("tides", "clock", "drift")
    assert told.phrases == ("clock drift",)
    assert told.excluded == ("-radar", '-"a b"')
    assert told.operators == ("tag:x", '-path:"my v"')
    assert ask(SNAPSHOT, query).understood is UNSET


def test_many_clauses_are_refused_quickly_but_a_repeated_one_counts_once() -> None:
    query = " ".join(f"-w{n}" for n in range(10_000))

    def refused() -> None:
        with pytest.raises(InvalidParams, match="10000 phrases"):
            ask(SNAPSHOT, query)

    check_within(0.3, refused)
    with pytest.raises(InvalidParams, match="11999 characters"):
        ask(SNAPSHOT, f'"{"xyz " * 3_000}"')
    assert not ask(SNAPSHOT, f'"{"x y " * 2_000}"').results
    assert ask(SNAPSHOT, "-radar " * 10_000).total == 4
    assert ask(SNAPSHOT, "tide " + " ".join(f"-w{n}" for n in range(200))).total


def test_only_so_many_passages_are_read_for_phrases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(narrowing, "PASSAGES_READ_MAX", 3)
    dates = {f"n{n}.md": f"---\nmodified: 2024-01-0{n}\n---\nebb tide" for n in range(1, 8)}
    snapshot = vault(dates)
    reply = ask(snapshot, '"ebb tide"')
    assert set(paths(reply)) == {"n5.md", "n6.md", "n7.md"}
    assert reply.degraded == (
        "phrase: many passages have the words of 'ebb tide', and only some were read",
    )
    assert paths(ask(snapshot, '-"ebb tide"')) == []
    assert set(paths(ask(snapshot, '"ebb tide" path:n1'))) == {"n1.md"}
    assert ask(snapshot, '"ebb" -"moon"').total == len(dates)
    assert ask(snapshot, '"ebb" -"moon"').degraded == ()


def test_excluded_notes_come_back_when_they_lose_the_word() -> None:
    engine = engine_of({"a.md": "tide ebb", "b.md": "tide"})
    embed(engine)
    assert paths(ask(engine.snapshot, "tide -ebb")) == ["b.md"]
    engine.apply(Batch(put=(read_note("a.md", "tide"), read_note("b.md", "tide ebb"))))
    assert paths(ask(engine.snapshot, "tide -ebb")) == ["a.md"]


def test_every_kind_of_clause_is_tried() -> None:
    tried = {clause.kind for query, _ in CASES for clause in parse_query(query).clauses}
    assert tried == set(ClauseKind)


COMMANDS = {
    "tunnel.md": "# Tunnel\n\n`ssh -L 5432:db:5432 bastion` opens a tunnel to the database.",
    "disk.md": "# Full disk\n\n    docker system prune -af --volumes\n",
    "L.md": "The L train is late. A tunnel is closed.",
    **{f"af{n}.md": "The af word is here, -afx and x-af too." for n in range(3)},
}


@for_each_row(
    ("query", "first"),
    [
        ("ssh -L tunnel", "tunnel.md"),
        ("docker system prune -af --volumes", "disk.md"),
        ("prune `docker -L`", "disk.md"),
    ],
)
def test_an_option_that_a_note_has_excludes_nothing(query: str, first: str) -> None:
    assert paths(ask(vault(COMMANDS), query))[0] == first


def test_a_word_that_no_note_has_with_a_minus_is_excluded() -> None:
    moon = {
        "a.md": "The moon pulls.",
        "b.md": "The moon pulls the draft.",
        "c.md": "-draft\n-bread",
    }
    assert paths(ask(vault(moon), "moon -draft")) == ["a.md"]
    assert paths(ask(vault(COMMANDS), "tunnel -train")) == ["tunnel.md"]
    without = {path: text for path, text in COMMANDS.items() if path != "disk.md"}
    assert not {path for path in paths(ask(vault(without), "word -af")) if "af" in path}
