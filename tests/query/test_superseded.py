"""Superseded notes: the live note stands above, and the old one tells what replaced it."""

from typing import Any

import pytest
from msgspec.structs import replace

from clew.engine.private.two_views import TwoViews
from clew.engine.settings import EngineSettings
from clew.engine.snapshot import Snapshot
from clew.query import successors as live_module
from clew.query.successors import live_paths
from clew.values.requests import Filters
from clew.values.search_replies import SearchReply
from clew.values.vault import Batch
from tests.query.context.packs import pack
from tests.searches import SEARCH, ask, embed, paths, vault
from tests.tables import for_each_row
from tests.vaults import engine_of, read_note, snapshot_of
from tests.windows import items, text_of

OLD = "We store prices in the ledger as floats. " * 3
NEW = "We keep amounts as whole cents.\n"
FILLER = {f"Other {n}.md": f"The ledger of harbour {n} has prices.\n" for n in range(3)}


def note(text: str, **keys: str) -> str:
    return "---\n" + "".join(f"{key}: {value}\n" for key, value in keys.items()) + f"---\n{text}"


def pair(*, is_stated_by_old: bool, **of_new: str) -> dict[str, str]:
    """Return a decision about prices, and the one that replaced it."""
    by_old = {"superseded_by": '"[[Cents]]"'} if is_stated_by_old else {}
    by_new = {} if is_stated_by_old else {"supersedes": '"[[Floats]]"'}
    return {
        "Floats.md": note(OLD, **by_old),
        "Cents.md": note(NEW, created="2026-01-20", **by_new, **of_new),
        **FILLER,
    }


def chain(**notes: str) -> Snapshot:
    """Return a vault of notes ``a.md`` ... with what their key ``superseded_by`` says."""
    keys = {path: {"superseded_by": value} if value else {} for path, value in notes.items()}
    return snapshot_of({f"{path}.md": note("x", **each) for path, each in keys.items()})


def live(snapshot: Snapshot) -> dict[str, list[str]]:
    """Return the live notes of each replaced note, as names."""
    return {
        path.removesuffix(".md"): [each.removesuffix(".md") for each in live_paths(snapshot, path)]
        for path in sorted(snapshot.successors.replaced)
    }


@for_each_row(
    ("notes", "expected"),
    [
        ({"a": "b", "b": ""}, {"a": ["b"]}),
        ({"a": '"[[b]]"', "b": "'[[c#Head|shown]]'", "c": ""}, {"a": ["c"], "b": ["c"]}),
        ({"a": "[[b]]", "b": ""}, {"a": ["b"]}),  # without quotes, YAML has a list in a list
        ({"a": "[b, c.md]", "b": "", "c": ""}, {"a": ["b", "c"]}),
        ({"a": '["[[b]]", "[[c]]"]', "b": "c", "c": ""}, {"a": ["c"], "b": ["c"]}),
        ({"a": "memory://b.md#L1-L2", "b": ""}, {"a": ["b"]}),
        ({"a": "b", "b": "a"}, {"a": [], "b": []}),
        ({"a": "b", "b": "a", "c": "b"}, {"a": [], "b": [], "c": []}),
        ({"a": "b", "b": "[a, c]", "c": ""}, {"a": ["c"], "b": ["c"]}),
        ({"a": "[b, d]", "b": "c", "c": "", "d": ""}, {"a": ["c", "d"], "b": ["c"]}),
        ({"a": "a"}, {"a": []}),
        ({"a": "b", "b": "b"}, {"a": ["b"], "b": []}),
        ({"a": "nothing"}, {}),
        ({"a": "{x: y}"}, {}),
    ],
)
def test_chains_lead_to_the_live_notes(
    notes: dict[str, str], expected: dict[str, list[str]]
) -> None:
    assert live(chain(**notes)) == expected


def test_an_alias_names_the_note_that_replaces() -> None:
    notes = {"a.md": note("x", superseded_by="the cents"), "b.md": note("y", aliases="[the cents]")}
    assert live(snapshot_of(notes)) == {"a": ["b"]}


def test_keys_are_read_in_any_case() -> None:
    for key in ("Superseded-By", "superseded by", "SUPERSEDED_BY"):
        notes = {"a.md": f"---\n{key}: b\n---\nx", "b.md": "y"}
        assert live(snapshot_of(notes)) == {"a": ["b"]}


def test_both_statements_of_one_fact_are_one_fact() -> None:
    engine = engine_of(
        {"a.md": note("x", superseded_by="b"), "b.md": note("y", supersedes="a"), "c.md": "z"}
    )
    engine.apply(Batch(put=(read_note("a.md", "x"),)))
    assert live(engine.snapshot) == {"a": ["b"]}
    engine.apply(Batch(put=(read_note("b.md", "y"),)))
    assert live(engine.snapshot) == {}


def labels(reply: SearchReply) -> dict[str, Any]:
    """Return what rows tell of superseded notes, by path."""
    return {
        path: row.superseded_by or row.brought_in
        for path, row in zip(paths(reply), reply.results, strict=True)
        if row.superseded_by or row.brought_in
    }


@for_each_row("is_stated_by_old", [True, False])
@for_each_row("mode", ["hybrid", "keyword", "semantic", "graph"])
def test_search_shows_the_live_note_just_above(is_stated_by_old: bool, mode: str) -> None:
    snapshot = vault(pair(is_stated_by_old=is_stated_by_old))
    for query in ("floats in the ledger", "amounts whole cents prices floats ledger"):
        reply = ask(snapshot, query, replace(SEARCH, mode=mode))
        found = paths(reply)
        assert found.index("Cents.md") < found.index("Floats.md")
        row = reply.results[found.index("Floats.md")]
        assert row.superseded_by
        assert [(each.uri, each.title, each.since) for each in row.superseded_by] == [
            ("memory://Cents.md", "Cents", "2026-01-20")
        ]
        scores = [each.score for each in reply.results]
        assert scores == sorted(scores, reverse=True)


def test_a_live_note_that_no_leg_found_is_brought_in_and_says_so() -> None:
    snapshot = vault(pair(is_stated_by_old=True))
    reply = ask(snapshot, "floats", replace(SEARCH, mode="keyword"))
    assert paths(reply) == ["Cents.md", "Floats.md"]
    assert labels(reply)["Cents.md"] is True
    assert reply.results[0].legs == {}
    assert reply.total == 2


def test_pages_have_each_note_once() -> None:
    snapshot = vault(pair(is_stated_by_old=True))
    whole = ask(snapshot, "prices ledger floats")
    found: list[str] = []
    cursor: str | None = None
    while True:
        page = ask(snapshot, "prices ledger floats", replace(SEARCH, limit=1, cursor=cursor))
        found += paths(page)
        cursor = page.cursor
        if cursor is None:
            break
    assert found == paths(whole)
    assert len(found) == whole.total == len(set(found))


def test_filters_and_periods_keep_a_live_note_out_but_it_is_named() -> None:
    old = note(OLD, superseded_by="Cents", created="2025-03-02", type="decision")
    snapshot = vault({**pair(is_stated_by_old=False), "Floats.md": old})
    for query, filters in (
        ("floats", Filters(type="decision")),
        ("floats -amounts", None),
    ):
        reply = ask(snapshot, query, filters=filters)
        assert "Cents.md" not in paths(reply)
        assert labels(reply)["Floats.md"][0].uri == "memory://Cents.md"
    notes = {"Floats.md": old, "Cents.md": note("Bread.\n", created="2026-01-20"), **FILLER}
    reply = ask(vault(notes), "floats from March 2025")
    assert paths(reply) == ["Floats.md"]
    assert labels(reply)["Floats.md"][0].uri == "memory://Cents.md"
    assert paths(ask(vault(notes), "floats"))[:2] == ["Cents.md", "Floats.md"]


def test_a_list_by_date_has_the_live_note_above_too() -> None:
    old = note(OLD, superseded_by="Cents", modified="2026-01-30", type="decision")
    snapshot = vault(
        {**pair(is_stated_by_old=False, type="decision", modified="2026-01-21"), "Floats.md": old}
    )
    assert paths(ask(snapshot, "type:decision")) == ["Cents.md", "Floats.md"]


def test_a_private_note_is_never_named() -> None:
    notes = pair(is_stated_by_old=True, private="true")
    views = TwoViews(EngineSettings())
    views.apply(Batch(put=tuple(read_note(path, text) for path, text in notes.items())))
    assert paths(ask(views.whole.snapshot, "floats"))[:2] == ["Cents.md", "Floats.md"]
    reply = ask(views.public.snapshot, "floats")
    assert labels(reply) == {}
    assert "Cents.md" not in paths(reply)
    assert "Superseded" not in pack(views.public.snapshot, "floats in the ledger").context


@for_each_row("template", ["default", "compact", "detailed"])
@for_each_row("is_stated_by_old", [True, False])
def test_a_pack_labels_the_old_note_and_has_the_live_one_above(
    template: str, is_stated_by_old: bool
) -> None:
    snapshot = snapshot_of(pair(is_stated_by_old=is_stated_by_old))
    text = pack(snapshot, "floats in the ledger", template=template).context
    label = "*Superseded by Cents (`memory://Cents.md`, 2026-01-20)*"
    assert text.count(label) == 1
    assert text.index("whole cents") < text.index(label) < text.index("as floats")


def test_a_small_pack_has_the_live_note_rather_than_the_old_one() -> None:
    snapshot = snapshot_of(pair(is_stated_by_old=True))
    for budget in range(100, 200, 10):
        reply = pack(snapshot, "prices in the ledger as floats", token_budget=budget)
        assert reply.metadata.total_tokens <= budget
        assert "as floats" not in reply.context or "whole cents" in reply.context


def test_a_window_labels_the_old_note() -> None:
    snapshot = vault(pair(is_stated_by_old=True))
    label = "*Superseded by Cents (`memory://Cents.md`, 2026-01-20)*"
    for fields in ({}, {"mentions": ["@Floats"]}):
        text = text_of(snapshot, "why floats in the ledger", **fields)
        assert label in text
        assert "whole cents" in text


def test_a_constraint_that_was_replaced_stands_below_its_successor() -> None:
    notes = {
        "a.md": note(
            "Use tabs.", type="preference", applies="always", importance="0.9", superseded_by="b"
        ),
        "b.md": note("Use spaces.", type="preference", tags="[nothing]", created="2026-01-20"),
    }
    found = [item.text for item in items(vault(notes), "zebra")["constraints"]]
    assert ["Use spaces" in text for text in found] == [True, False]
    assert "*Superseded by b (`memory://b.md`, 2026-01-20)*" in found[1]


def test_broken_links_and_circles_are_problems() -> None:
    snapshot = snapshot_of(
        {
            "a.md": note("x", superseded_by="b"),
            "b.md": note("y", superseded_by="a"),
            "c.md": note("z", supersedes="[gone, a]"),
        }
    )
    found = [(each.path, each.code, each.value) for each in snapshot.problems()]
    assert found == [
        ("a.md", "supersededCircular", "a.md -> b.md -> a.md"),
        ("c.md", "supersededBroken", "gone"),
    ]


def test_a_vault_without_such_notes_is_searched_as_before() -> None:
    snapshot = vault(FILLER)
    assert not labels(ask(snapshot, "prices"))
    embedded = engine_of(FILLER)
    embed(embedded)
    assert embedded.snapshot.successors.is_empty


def test_a_pack_has_other_notes_above_a_superseded_one_that_matches_a_little_better() -> None:
    query, other = "prices in the ledger as floats", "Prices in the ledger of the quay are floats."
    snapshot = snapshot_of(pair(is_stated_by_old=True) | {"Other.md": other})
    found = paths(ask(snapshot, query))
    assert found.index("Floats.md") < found.index("Other.md"), "in search it stands above"
    text = pack(snapshot, query).context
    assert text.index(other) < text.index("We store prices")


def test_names_in_common_with_its_live_note_put_no_superseded_note_above_others_in_a_pack() -> None:
    query, other = "prices in the ledger as floats", "Prices in the ledger of the quay are floats."
    at_muros = {
        path: text.replace("We ", "At Muros, in Galicia, we ")
        for path, text in pair(is_stated_by_old=True).items()
    }
    text = pack(snapshot_of(at_muros | {"Other.md": other}), query).context
    assert text.index(other) < text.index("we store prices")


def test_the_three_newest_of_many_notes_that_replace_one_are_named() -> None:
    new = {
        f"n{day}.md": note("x", supersedes="old", created=f"2026-01-0{day}") for day in range(1, 6)
    }
    reply = ask(
        snapshot_of({"old.md": note(OLD), **new}), "floats", replace(SEARCH, mode="keyword")
    )
    named = labels(reply)["old.md"]
    assert [each.title for each in named] == ["n5", "n4", "n3"]


def test_of_a_long_chain_so_many_notes_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_module, "CHAIN_MAX", 3)
    assert live(chain(a="b", b="c", c=""))["a"] == ["c"]
    assert live(chain(a="b", b="c", c="d", d=""))["a"] == []
