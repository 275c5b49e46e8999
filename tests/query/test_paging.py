"""Pages of every list: together they are the whole list, also after changes; wrong cursors."""

from base64 import urlsafe_b64decode
from collections import Counter
from collections.abc import Callable, Generator, Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.engine.apply import Engine
from clew.engine.embedding import name_vectors
from clew.engine.snapshot import Snapshot
from clew.query.cursors import cursor_after, first_page_moment_s, last_key
from clew.query.doctor.groups import groups_and_page
from clew.query.notes import links, lists
from clew.query.paging import page
from clew.query.search.search_notes import search
from clew.query.search.similar import NameModel, similar
from clew.query.slices import finished
from clew.values import requests
from clew.values.errors import InvalidParams
from clew.values.requests import ListRequest
from clew.values.vault import Batch
from tests.examples import examples
from tests.fakes import LetterEncoder
from tests.searches import embed, setting
from tests.tables import for_each_row
from tests.vaults import CLOCK, NOW_S, engine_of, read_note

Rows = Sequence[Hashable]


class Listed(NamedTuple):
    """A list: its request, and how to get its rows, with what they are sorted by, and a cursor."""

    request: ListRequest
    ask: Callable[[Snapshot, Any], tuple[Rows, int, int, str | None]]
    can_be_outdated: bool = False


def listed(
    request: ListRequest,
    answer: Callable[[Snapshot, Any], Any],
    rows_of: Callable[[Any], Sequence[Any]],
    *fields: str,
    can_be_outdated: bool = False,
) -> Listed:
    """Return a list; ``fields`` are those of a row that name and sort it."""

    def ask(snapshot: Snapshot, asked: Any) -> tuple[Rows, int, int, str | None]:
        reply = answer(snapshot, asked)
        reply = finished(reply) if isinstance(reply, Generator) else reply
        rows = [tuple(getattr(row, name) for name in fields) or row for row in rows_of(reply)]
        return rows, reply.start, reply.total, reply.cursor

    return Listed(request, ask, can_be_outdated)


def by_doctor(code: str | None) -> Listed:
    def ask(snapshot: Snapshot, asked: Any) -> tuple[Rows, int, int, str | None]:
        _, shown = finished(groups_and_page(snapshot, snapshot.problems(), asked))
        return list(shown.rows), shown.start, shown.total, shown.cursor

    return Listed(requests.Doctor(code=code), ask)


def names_similar(snapshot: Snapshot, asked: requests.Similar) -> Any:
    return similar(snapshot, asked, NameModel(snapshot.name_vectors, bool), ())


LISTS: Mapping[str, Listed] = {
    **{
        f"concepts by {sort}": listed(
            requests.Concepts(sort=sort),  # type: ignore[arg-type]
            lists.concepts,
            lambda reply: reply.concepts,
            *fields,
        )
        for sort, fields in (
            ("mentions", ["mention_count", "name"]),
            ("name", ["name"]),
        )
    },
    "concepts by date": listed(
        requests.Concepts(prefix="t", sort="recent"),
        lists.concepts,
        lambda reply: reply.concepts,
        "name",
    ),
    "tags": listed(requests.Tags(), lists.tags, lambda reply: reply.tags),
    "notes of a tag": listed(requests.Tags(tag="a"), lists.tags, lambda reply: reply.notes, "uri"),
    **{
        f"notes by {by}": listed(
            requests.Recent(by=by),
            lambda snapshot, asked: lists.recent(snapshot, asked, CLOCK),
            lambda reply: reply.notes,
            by,
            "uri",
        )
        for by in ("modified", "created")
    },
    "orphans": listed(requests.Orphans(), links.orphans, lambda reply: reply.orphans),
    "unresolved": listed(
        requests.Unresolved(), links.unresolved, lambda reply: reply.unresolved, "count", "target"
    ),
    "links": listed(
        requests.Links(uri="Tide.md"),
        links.links,
        lambda reply: reply.links,
        "target",
        "line",
        can_be_outdated=True,
    ),
    "backlinks": listed(
        requests.Backlinks(uri="Tide.md"),
        links.backlinks,
        lambda reply: reply.backlinks,
        can_be_outdated=True,
    ),
    "mentions of a concept": listed(
        requests.Backlinks(concept_name="Gauge"),
        links.backlinks,
        lambda reply: reply.backlinks,
        can_be_outdated=True,
    ),
    "similar": listed(
        requests.Similar(concept_name="Tide"), names_similar, lambda reply: reply.similar, "name"
    ),
    "problems": by_doctor(None),
    **{code: by_doctor(code) for code in ("fieldInvalid", "linkAmbiguous", "unlinkedMention")},
    "search": listed(
        requests.Search(query="tide gauge", mode="keyword"),
        lambda snapshot, asked: search(snapshot, asked, setting()),
        lambda reply: reply.results,
        "uri",
        can_be_outdated=True,
    ),
    "search by filter": listed(
        requests.Search(query="path:e"),
        lambda snapshot, asked: search(snapshot, asked, setting()),
        lambda reply: reply.results,
        "uri",
        can_be_outdated=True,
    ),
}
NAMES = ["Tide", "Gauge", "one/Plan", "two/Plan", "Ebb tide", "Zanzibar trip", "x"]
LINES = [
    "[[Tide]] [[Gauge]]",
    "[[Tide|t]] [[Tide]] ![[Gauge]]",
    "[[Plan]] #a/b",
    "#a #c [[nowhere]]",
    "[[Tides]] [[Gauges]] [[thin air]]",
    "the Zanzibar trip, the tide gauge",
    "---\nimportance: high\nrelated: '[[Gauge]]'\n---",
    "tide",
]
TEXTS = st.lists(st.sampled_from(LINES), max_size=6).map("\n".join)
NOTES = st.tuples(TEXTS, st.integers(0, 3))
VAULTS = st.dictionaries(st.sampled_from(NAMES), NOTES, min_size=4)


def put(engine: Engine, notes: Mapping[str, tuple[str, int]]) -> None:
    """Write notes, each with a text and how many hours ago it was changed, and their vectors."""
    read = (
        read_note(f"{name}.md", text, NOW_S - 3600 * hours) for name, (text, hours) in notes.items()
    )
    engine.apply(Batch(put=tuple(read)))
    concepts = sorted(engine.indexes.graph.concepts())
    engine.apply(Batch(vectors=name_vectors(LetterEncoder(), concepts)))


def vault_of(notes: Mapping[str, tuple[str, int]]) -> Engine:
    engine = engine_of({})
    put(engine, {"Tide": ("The [[Gauge]].", 1), "Gauge": ("", 1), **notes})
    return engine


def pages(each: Listed, limits: Iterator[int], snapshots: Iterator[Snapshot]) -> list[Rows]:
    """Return the rows of all pages, each of a snapshot."""
    found: list[Rows] = []
    cursor = None
    while True:
        asked = replace(each.request, limit=next(limits), cursor=cursor)
        rows, start, total, cursor = each.ask(next(snapshots), asked)
        assert len(rows) <= asked.limit
        assert start + len(rows) <= total
        assert (cursor is None) == (start + len(rows) == total) or not rows
        found.append(rows)
        if cursor is None:
            return found


def whole(each: Listed, snapshot: Snapshot) -> Rows:
    return each.ask(snapshot, replace(each.request, limit=requests.LIST_LIMIT_MAX))[0]


def forever(*values: Any) -> Iterator[Any]:
    """Yield the values, and then the last one for ever."""
    yield from values[:-1]
    while True:
        yield values[-1]


@examples(60)
@given(VAULTS, st.lists(st.integers(1, 5), min_size=1, max_size=5))
def test_the_pages_of_each_list_are_the_whole_list(
    notes: dict[str, tuple[str, int]], limits: list[int]
) -> None:
    snapshot = vault_of(notes).snapshot
    for name, each in LISTS.items():
        found = pages(each, forever(*limits), forever(snapshot))
        assert [row for part in found for row in part] == list(whole(each, snapshot)), name


@pytest.mark.slow
@examples(100)
@given(VAULTS, VAULTS, st.sets(st.sampled_from(NAMES[2:]), max_size=2), st.integers(1, 4))
def test_rows_that_stay_are_on_one_page_though_the_notes_change_meanwhile(
    notes: dict[str, tuple[str, int]],
    changed: dict[str, tuple[str, int]],
    dropped: set[str],
    limit: int,
) -> None:
    engine = vault_of(notes)
    before = engine.snapshot
    put(engine, changed)
    engine.apply(Batch(dropped=tuple(f"{note}.md" for note in dropped)))
    for name, each in LISTS.items():
        if name == "concepts by date":  # which its rows do not show
            continue
        check_after_a_change(name, each, before, engine.snapshot, limit)


def check_after_a_change(
    name: str, each: Listed, before: Snapshot, after: Snapshot, limit: int
) -> None:
    try:
        found = pages(each, forever(limit), forever(before, after))
    except InvalidParams as error:
        if each.can_be_outdated and "the cursor is out of date" in str(error):
            return
        raise
    seen = Counter(row for part in found for row in part)
    then, now = Counter(whole(each, before)), Counter(whole(each, after))
    for row in now:
        if then[row] == now[row]:
            assert seen[row] == now[row], f"{name}: neither lost nor repeated"
    if name.startswith("search") and len(found) > 1:
        assert set(seen) >= set(now)
        assert max(seen.values(), default=1) == 1


MANY = {f"n{n} Zanzibar trip": (LINES[n % len(LINES)], n % 3) for n in range(40)}
SNAPSHOT = vault_of(
    {**MANY, "Tide": (LINES[1], 0), "one/Plan": ("", 0), "two/Plan": ("", 0)}
).snapshot


def first_cursor(name: str) -> str:
    cursor = LISTS[name].ask(SNAPSHOT, replace(LISTS[name].request, limit=1))[3]
    assert cursor is not None, name
    return cursor


WITH_PAGES = [name for name in LISTS if name not in ("linkAmbiguous", "fieldInvalid")]


@pytest.mark.slow
@for_each_row("name", WITH_PAGES)
def test_a_cursor_that_was_changed_is_refused(name: str) -> None:
    cursor, each = first_cursor(name), LISTS[name]
    wrong = [cursor[:at] + other + cursor[at + 1 :] for at in range(len(cursor)) for other in "Ab-"]
    wrong += [cursor[:at] + cursor[at + 1 :] for at in range(len(cursor))]
    wrong += [cursor * 2, cursor + "A", cursor + "=", cursor + "\n", f" {cursor}", cursor.lower()]
    wrong += ["", "c", "1", "-1", "next", "c" * 50, "ce" + "é" * 9, "\x00", "c" * 100_000]
    for other in wrong:
        if other != cursor:
            with pytest.raises(InvalidParams) as caught:
                each.ask(SNAPSHOT, replace(each.request, cursor=other))
            assert caught.value.field == "cursor"
            assert "damaged" in str(caught.value)
            assert "leave it out" in caught.value.hint


@for_each_row("name", WITH_PAGES)
def test_a_cursor_of_another_request_is_refused(name: str) -> None:
    each = LISTS[name]
    cursor = first_cursor(name)
    changes: list[dict[str, Any]] = [{"as_of": "2026-01-01"}, {"include_private": True}]
    changed = [(each.ask, replace(each.request, cursor=cursor, **change)) for change in changes]
    others = [replace(LISTS[o].request, cursor=cursor) for o in WITH_PAGES if o != name]
    asks = [LISTS[o].ask for o in WITH_PAGES if o != name]
    for ask, request in [*zip(asks, others, strict=True), *changed]:
        with pytest.raises(InvalidParams) as caught:
            ask(SNAPSHOT, request)
        assert "another request" in str(caught.value)
    free: dict[str, Any] = {"limit": 7, "wait_fresh": True, "wait_for": ("x",), "wait_fresh_ms": 1}
    own = {"explain", "deep", "dump"}.intersection(each.request.__struct_fields__)
    free |= dict.fromkeys(own, True)
    rows, start, *_ = each.ask(SNAPSHOT, replace(each.request, cursor=cursor, **free))
    assert (len(rows) > 0, start) == (True, 1)


def test_a_cursor_that_base64_alone_reads_alike_is_refused() -> None:
    cursor, each = first_cursor("tags"), LISTS["tags"]
    for other in (f"{cursor[:5]}!{cursor[5:]}", f"{cursor}=", f"{cursor}\n"):
        with pytest.raises(InvalidParams, match="damaged"):
            each.ask(SNAPSHOT, replace(each.request, cursor=other))


def test_a_cursor_shows_no_name_and_begins_with_a_letter() -> None:
    for number in range(500):
        name = f"AKIA{number}"
        cursor = cursor_after(requests.Unresolved(), (-1, name))
        assert cursor[0].isalpha()
        data = cursor[1:] + "=" * (-len(cursor[1:]) % 4)
        assert name.encode() not in urlsafe_b64decode(data)


@pytest.mark.parametrize("name", ["tags \ud800 \udcff", "潮汐", "x" * 4000, ""])
def test_any_name_comes_back(name: str) -> None:
    request = requests.Unresolved()
    cursor = cursor_after(request, (-3, name))
    assert last_key(replace(request, cursor=cursor), tuple[int, str]) == (-3, name)


def test_a_key_of_another_kind_is_refused() -> None:
    request = requests.Unresolved()
    with pytest.raises(InvalidParams):
        last_key(replace(request, cursor=cursor_after(request, ("x", 1))), tuple[int, str])


def test_all_pages_have_one_moment_unless_the_request_has_one() -> None:
    request = requests.Recent()
    held = replace(request, cursor=cursor_after(request, (1.0, "x"), NOW_S))
    assert first_page_moment_s(held) == NOW_S
    dated = replace(request, as_of="2026-01-01")
    assert (
        first_page_moment_s(replace(dated, cursor=cursor_after(dated, (1.0, "x"), NOW_S))) is None
    )
    assert first_page_moment_s(request) is None


@given(st.lists(st.integers(0, 3), max_size=12), st.integers(1, 4))
def test_rows_with_one_key_are_on_one_page_each(numbers: list[int], limit: int) -> None:
    rows = sorted(numbers)
    found: list[int] = []
    request = requests.Tags(limit=limit)
    while True:
        shown = page(rows, request, lambda row: (row,), tuple[int])
        found += shown.rows
        if shown.cursor is None:
            break
        request = replace(request, cursor=shown.cursor)
    assert found == rows


def test_a_search_goes_on_though_other_notes_change() -> None:
    engine = vault_of({"a": ("tide gauge gauge", 0), "b": ("tide gauge", 0), "x": ("ebb", 0)})
    embed(engine)
    request = requests.Search(query="tide gauge", mode="keyword", limit=1)
    first = finished(search(engine.snapshot, request, setting()))
    put(engine, {"new": ("nothing of it", 0)})
    asked = replace(request, cursor=first.cursor)
    assert finished(search(engine.snapshot, asked, setting())).start == 1
    put(engine, {"best": ("tide gauge\n" * 9, 0), "Tide gauge": ("tide gauge", 0)})
    with pytest.raises(InvalidParams, match="out of date"):
        finished(search(engine.snapshot, asked, setting()))


@for_each_row(
    ("later", "rest"),
    [("aab", "b"), ("ab", "b"), ("b", "b"), ("aaab", "ab"), ("0aab", "b"), ("aa", ""), ("", "")],
)
def test_a_page_after_equal_rows_leaves_none_out_when_some_of_them_went(
    later: str, rest: str
) -> None:
    def key_of(row: str) -> tuple[str]:
        return (row,)

    request = ListRequest(limit=2)
    first = page("aab", request, key_of, tuple[str])
    assert first.rows == "aa"
    following = replace(request, cursor=first.cursor)
    assert page(later, following, key_of, tuple[str]).rows == rest
