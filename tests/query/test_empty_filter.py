"""A filter or period that no note passes is told, and so is the period that was understood."""

import pytest

from clew.values.requests import Filters
from tests.searches import SEARCH, ask, paths, vault
from tests.tables import for_each_row

SNAPSHOT = vault(
    {
        "log/2025-03-01.md": "---\ndate: 2025-03-01\ntags: [x]\ntype: memo\n---\n[[Gauge]] tide",
        "log/2025-04-01.md": "---\ndate: 2025-04-01\ntags: [y]\n---\ntide and storm",
    }
)


@for_each_row(
    ("query", "filters", "name", "value"),
    [
        ("tide", Filters(type="plan"), "type", "plan"),
        ("tide", Filters(tags=("x", "z")), "tags", "z"),
        ("tide", Filters(folder="nope"), "folder", "nope"),
        ("tide", Filters(source=("a", "b")), "source", "a, b"),
        ("tide", Filters(entity=("Gauge", "Zebra")), "entity", "Zebra"),
        ("tide", Filters(min_importance=0.9), "minImportance", "0.9"),
        ("tide", Filters(since="1987-03", until="1987-04"), "period", "1987-03/1987-04"),
        ("tide", Filters(until="1987-04", type="memo"), "period", "../1987-04"),
        ("tide", Filters(tags=("x",), since="2025-04-01"), "all", ""),
        ("tide tag:z", None, "tag", "z"),
        ("type:plan", None, "type", "plan"),
        ("tide -tag:x type:plan", None, "type", "plan"),
        ('tide "tide gauge"', None, "phrase", "tide gauge"),
        ("notes from March 1987", None, "period", "1987-03-01/1987-04-01"),
        ("tide since 2026-11-01", None, "period", "2026-11-01/.."),
    ],
)
def test_the_filter_that_no_note_passes_is_named(
    query: str, filters: Filters | None, name: str, value: str
) -> None:
    empty = ask(SNAPSHOT, query, SEARCH, filters).empty_filter
    assert empty is not None
    assert (empty.filter, empty.value) == (name, value)


@for_each_row(
    ("query", "filters", "close"),
    [
        ("type:decison", None, ("decision",)),
        ("tide", Filters(type="Decisions"), ("decision",)),
        ("tag:analysys", None, ("analysis", "tide/analysis")),
        ("tide", Filters(tags=("tide/analyses",)), ("tide/analysis", "analysis")),
        ("tide", Filters(source=("readlist",)), ("reading-list",)),
        ("type:zebra", None, ()),
        ("path:analysys", None, ()),
    ],
)
def test_names_that_a_filter_may_have_meant_are_suggested(
    query: str, filters: Filters | None, close: tuple[str, ...]
) -> None:
    notes = {
        "analysis.md": "---\ntype: Decision\ntags: [tide/analysis, analysis]\n---\ntide",
        "b.md": "---\nsource: Reading-List\n---\ntide",
    }
    empty = ask(vault(notes), query, SEARCH, filters).empty_filter
    assert empty is not None
    assert empty.suggestions == close


@pytest.mark.parametrize(
    ("query", "since", "until"),
    [
        ("tide notes from March 2025", "2025-03-01", "2025-04-01"),
        ("Notizen seit März 2025", "2025-03-01", None),
        ("before 2025-04-01", None, "2025-04-01"),
    ],
)
def test_the_period_that_was_understood_is_told(
    query: str, since: str | None, until: str | None
) -> None:
    reply = ask(SNAPSHOT, query)
    assert reply.period is not None
    assert (reply.period.since, reply.period.until) == (since, until)
    assert reply.empty_filter is None


def test_a_query_without_a_period_has_none_and_no_filter_is_empty() -> None:
    reply = ask(SNAPSHOT, "latest tide", SEARCH, Filters(tags=("x",)))
    assert (reply.period, reply.empty_filter) == (None, None)


@for_each_row(
    "query",
    [
        *("what did I do in March 2025", "Was habe ich im März 2025 gemacht?"),
        *("qué hice en marzo de 2025", "2025年3月に何をした", "March 2025", "notes from 2025-03"),
    ],
)
def test_a_period_finds_the_notes_that_the_filter_finds_in_a_copied_vault(query: str) -> None:
    """All files of a copied vault have the same time; only names date the notes."""
    days = ("2025-02-28", "2025-03-01", "2025-03-14", "2025-03-31", "2025-04-01", "2024-03-14")
    notes = {f"daily/{day}.md": f"Saw [[Anna]] and wrote about tide {day}." for day in days}
    snapshot = vault(notes | {"Anna.md": "march", "do.md": "What I did: [[2025-03-14]]"})
    within = ask(snapshot, "-nothing", SEARCH, Filters(since="2025-03-01", until="2025-04-01"))
    assert paths(within) == [f"daily/{day}.md" for day in reversed(days[1:4])]
    assert paths(ask(snapshot, query)) == paths(within)


def test_only_the_first_eight_filters_are_tried_one_by_one() -> None:
    notes = {"a.md": f"---\ntags: [{', '.join(f't{n}' for n in range(8))}]\n---\ntide"}
    snapshot = vault(notes)
    for given, expected in ((7, ("tags", "none")), (8, ("all", ""))):
        filters = Filters(tags=(*(f"t{n}" for n in range(given)), "none"))
        empty = ask(snapshot, "tide", SEARCH, filters).empty_filter
        assert empty is not None
        assert (empty.filter, empty.value) == expected
