"""Which notes pass the filters of a search: each filter alone, at its limits, and all together."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.query.search.narrowing.narrowed import narrowed
from clew.query.slices import finished
from clew.values import requests
from clew.values.errors import InvalidParams
from clew.values.requests import Filters
from clew.values.vault import Batch
from clew.values.wire import Call, decode_params
from tests.examples import examples
from tests.searches import SEARCH, ask, embed, paths
from tests.tables import for_each_row
from tests.vaults import CLOCK, NOW_S, engine_of, read_note

HEADS = {
    "a/plain.md": "",
    "a/b/deep.md": "type: Decision\nimportance: 0.9\ntags: [Place/Harbour, tide]\nsource: Survey",
    "ab/trap.md": "type: decision\nimportance: 0.2\ntags: [place]\nsource: https://tides.test/a/",
    "A/upper.md": "importance: 0\ntags: [placebo]\nsource: survey data",
    "survey/own.md": "importance: 1.0\nmodified: 2024-02-29",
    "old.md": "modified: 2020-01-01T00:00:00Z\naliases: [Ancient]",
    "links.md": "type: note",
}
BODY = "the tide gauge\n"
NOTES = {path: f"---\n{head}\n---\n{BODY}" for path, head in HEADS.items()}
NOTES["links.md"] += "[[Ancient]] [[Ghost]]"
ENGINE = engine_of(NOTES)
embed(ENGINE)
SNAPSHOT = ENGINE.snapshot


def left(filters: Filters) -> set[str]:
    allowed = finished(narrowed(SNAPSHOT, filters, (), CLOCK)).allowed
    paths = [path for path in SNAPSHOT.graph.paths if path]
    return {p for p in paths if allowed is None or allowed[SNAPSHOT.graph.note_id(p)]}


def test_filters_alone_list_the_notes_that_pass() -> None:
    for mode in ("hybrid", "keyword", "semantic", "graph"):
        found = ask(SNAPSHOT, "", replace(SEARCH, mode=mode), Filters(type="decision"))
        assert set(paths(found)) == {"a/b/deep.md", "ab/trap.md"}
    with pytest.raises(InvalidParams, match="no word to look for"):
        ask(SNAPSHOT, "")
    with pytest.raises(InvalidParams, match="only stop words"):
        ask(SNAPSHOT, "of the", filters=Filters(type="decision"))


ALL = set(NOTES)
UPPER, DEEP, TRAP, PLAIN = "A/upper.md", "a/b/deep.md", "ab/trap.md", "a/plain.md"
OWN, OLD, LINKS = "survey/own.md", "old.md", "links.md"

CASES: list[tuple[Filters, set[str]]] = [
    (Filters(), ALL),
    (Filters(type="decision"), {DEEP, TRAP}),
    (Filters(type="note"), ALL - {DEEP, TRAP}),
    (Filters(type="decisions"), set()),
    (Filters(tags=("place",)), {DEEP, TRAP}),
    (Filters(tags=("#Place/",)), {DEEP, TRAP}),
    (Filters(tags=("place/harbour",)), {DEEP}),
    (Filters(tags=("place", "tide")), {DEEP}),
    (Filters(tags=("harbour",)), set()),
    (Filters(tags=("place/har",)), set()),
    (Filters(tags=("#",)), set()),
    (Filters(folder="a"), {PLAIN, DEEP}),
    (Filters(folder="a/"), {PLAIN, DEEP}),
    (Filters(folder="/a/b/"), {DEEP}),
    (Filters(folder="ab"), {TRAP}),
    (Filters(folder="A"), {UPPER}),
    (Filters(folder="/"), ALL),
    (Filters(folder="./a"), {PLAIN, DEEP}),
    (Filters(folder="a//"), {PLAIN, DEEP}),
    (Filters(folder="./a/.//b/."), {DEEP}),
    (Filters(folder="."), ALL),
    (Filters(folder="./"), ALL),
    (Filters(folder=""), ALL),
    (Filters(folder=".a"), set()),
    (Filters(folder="a/plain.md"), set()),
    (Filters(folder="a/..b"), set()),
    (Filters(min_importance=0), ALL),
    (Filters(min_importance=0.2), ALL - {UPPER}),
    (Filters(min_importance=0.5), ALL - {UPPER, TRAP}),
    (Filters(min_importance=0.5000001), {DEEP, OWN}),
    (Filters(min_importance=1), {OWN}),
    (Filters(source=("survey",)), {DEEP, OWN}),
    (Filters(source=("SURVEY/",)), {DEEP, OWN}),
    (Filters(source=("survey data", "nothing")), {UPPER}),
    (Filters(source=("https://tides.test/a/",)), {TRAP}),
    (Filters(source=("https://tides.test/a",)), {TRAP}),
    (Filters(source=("a",)), {PLAIN, DEEP, UPPER}),
    (Filters(source=("/a/",)), {PLAIN, DEEP, UPPER}),
    (Filters(source=("/",)), set()),
    (Filters(entity=("ghost",)), {LINKS}),
    (Filters(entity=("Ancient",)), {LINKS, OLD}),
    (Filters(entity=("old", "Ghost")), {LINKS}),
    (Filters(entity=("nobody",)), set()),
    (Filters(entity=("///",)), set()),
    (Filters(since="2020-01-01T00:00:00Z", until="2020-01-01T00:00:01Z"), {OLD}),
    (Filters(until="2020-01-01"), set()),
    (Filters(since="2020-01-01T00:00:01Z"), ALL - {OLD}),
    (Filters(since="2024-02-29", until="2024-03-01"), {OWN}),
    (Filters(since="2024-02-29T01:00:00+01:00", until="2024-02-29T00:00:01Z"), {OWN}),
    (Filters(since="2024-03-01", until="2024-02-29"), set()),
    (Filters(tags=("tide",), folder="a", min_importance=0.9, type="DECISION"), {DEEP}),
]


@for_each_row(("filters", "expected"), CASES)
def test_filters_keep_the_notes_that_pass(filters: Filters, expected: set[str]) -> None:
    assert left(filters) == expected


def test_notes_without_a_date_have_that_of_the_file() -> None:
    at = datetime.fromtimestamp(NOW_S, UTC).isoformat()
    after = datetime.fromtimestamp(NOW_S + 1, UTC).isoformat()
    assert left(Filters(since=at, until=after)) == ALL - {OLD, OWN}


@pytest.mark.parametrize(
    ("filters", "field"),
    [
        (Filters(since="soon"), "filters.since"),
        (Filters(until="2024-02-30"), "filters.until"),
        (Filters(folder="a/../.."), "filters.folder"),
        (Filters(folder=".."), "filters.folder"),
        (Filters(folder="./.."), "filters.folder"),
    ],
)
def test_invalid_filters_are_refused(filters: Filters, field: str) -> None:
    with pytest.raises(InvalidParams) as caught:
        finished(narrowed(SNAPSHOT, filters, (), CLOCK))
    assert caught.value.field == field


@for_each_row(
    ("params", "field"),
    [
        ('{"query":"a","filters":{"folders":"a"}}', "filters"),
        ('{"query":"a","filters":{"minImportance":1.5}}', "filters.minImportance"),
        ('{"query":"a","filters":{"minImportance":-0.1}}', "filters.minImportance"),
        ('{"query":"a","filters":{"tags":"a"}}', "filters.tags"),
        ('{"query":"a","filters":{"type":""}}', "filters.type"),
        ('{"query":"a","filters":[]}', "filters"),
        ('{"query":"a","limit":0}', "limit"),
        ('{"query":"a","limit":1000000000}', "limit"),
        ('{"query":"a","limit":-1}', "limit"),
        ('{"query":"a","limit":1.5}', "limit"),
        ('{"query":"a","mode":"words"}', "mode"),
        ('{"query":"a","ranking":"bm25"}', "ranking"),
        ('{"query":"a","cursor":5}', "cursor"),
        ('{"query":null}', "query"),
        ('{"q":"a"}', ""),
        ("{}", ""),
    ],
)
def test_requests_of_another_shape_are_refused(params: str, field: str) -> None:
    with pytest.raises(InvalidParams) as caught:
        decode_params(
            Call(id=None, method="search", params=params.encode(), expects_reply=True),
            requests.Search,
        )
    assert caught.value.field.startswith(field)


FILTERS = st.sampled_from([filters for filters, _ in CASES])
MODES = st.sampled_from(["hybrid", "keyword", "semantic", "graph"])
QUERIES = st.sampled_from(
    ["tide", "gague", "latest tide", "ancient", "survey gauge", "auge", "2024"]
)


@examples(200)
@given(FILTERS, MODES, QUERIES, st.sampled_from(["fused", "additive"]))
def test_no_search_shows_a_note_that_its_filters_leave_out(
    filters: Filters, mode: str, query: str, ranking: str
) -> None:
    request = replace(SEARCH, mode=mode, ranking=ranking)
    found = paths(ask(SNAPSHOT, query, request, filters))
    assert set(found) <= left(filters)
    if query == "tide" and mode == "hybrid":
        assert set(found) == left(filters)


def test_a_deleted_note_passes_no_filter() -> None:
    engine = engine_of({"a.md": "---\ntype: x\n---\n", "b.md": ""})
    engine.apply(Batch(dropped=("a.md",)))
    for filters in (Filters(type="x"), Filters(min_importance=0), Filters(since="1980-01-01")):
        allowed = finished(narrowed(engine.snapshot, filters, (), CLOCK)).allowed
        assert allowed is not None
        assert allowed.sum() == (filters.type is None)
    engine.apply(Batch(put=(read_note("a.md", "---\ntype: x\n---\n"),)))
    allowed = finished(narrowed(engine.snapshot, Filters(type="x"), (), CLOCK)).allowed
    assert allowed is not None
    assert allowed.sum() == 1


@for_each_row(
    ("query", "path"),
    [
        ("path:reunions", "R\u00e9unions/mai.md"),
        ("path:R\u00c9UNIONS", "Re\u0301unions/mai.md"),
        ("path:re\u0301union", "R\u00e9unions/mai.md"),
        ("path:istanbul", "\u0130stanbul/gezi.md"),
        ("path:strasse", "Hauptstra\u00dfe/a.md"),
        ("path:STRASSE", "HAUPTSTRA\u1e9eE/a.md"),
        ("file:cafe", "a/Caf\u00e9.md"),
        ("file:AC\uff0fDC", "music/AC\uff0fDC.md"),
    ],
)
def test_a_part_of_a_path_is_found_whatever_its_accents_and_case(query: str, path: str) -> None:
    snapshot = engine_of({path: BODY, "other/note.md": BODY}).snapshot
    assert paths(ask(snapshot, query, SEARCH)) == [path]
    assert paths(ask(snapshot, f"-{query}", SEARCH)) == ["other/note.md"]


def test_an_accent_and_nothing_else_is_a_part_of_few_paths() -> None:
    snapshot = engine_of({"a.md": BODY}).snapshot
    assert paths(ask(snapshot, "path:\u0301", SEARCH)) == []
