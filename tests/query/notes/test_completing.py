"""Completion of names: those of one kind that begin with what was typed."""

from typing import Any

import pytest

from clew.query.notes.completing import complete
from clew.query.notes.lists import concepts
from clew.query.slices import finished
from clew.values import requests
from tests.tables import for_each_row
from tests.vaults import snapshot_of

NOTES = {
    "Tide gauge.md": "[[Moon]] [[moon]] [[Tides]] #sea/tide #sea",
    "seas/Tide table.markdown": "[[Moon]] [[Tide gauge]] #sea",
    "seas/north/tide table.md": "[[Élan]]",
    "seas/north/odd\udce9.md": "[[Moon]]",
    "seas/e\u0301te\u0301/Me\u0301lia.md": "#\u00e9t\u00e9",
}


@for_each_row(
    ("kind", "prefix", "values"),
    [
        ("note", "TIDE T", ("Tide table", "tide table")),
        ("note", "seas/n", ("seas/north/tide table.md",)),
        ("note", "odd", ()),
        ("note", "x", ()),
        ("folder", "", ("seas", "seas/north", "seas/e\u0301te\u0301")),
        ("folder", "seas/\u00e9", ("seas/e\u0301te\u0301",)),
        ("note", "m\u00c9", ("Me\u0301lia",)),
        ("folder", "Seas/N", ("seas/north",)),
        ("tag", "#SEA", ("sea", "sea/tide")),
        ("tag", "E\u0301T", ("\u00e9t\u00e9",)),
        ("concept", "", ("Moon", "Tide gauge", "Tides", "Élan")),
        ("concept", "tide_g", ("Tide gauge",)),
    ],
)
def test_names_begin_with_what_was_typed(kind: Any, prefix: str, values: tuple[str, ...]) -> None:
    request = requests.Complete(kind=kind, prefix=prefix)
    assert finished(complete(snapshot_of(NOTES), request)).values == values


@pytest.mark.parametrize("kind", ["note", "folder", "tag", "concept"])
def test_no_more_names_are_returned_than_asked_for(kind: Any) -> None:
    whole, first = (
        finished(complete(snapshot_of(NOTES), requests.Complete(kind=kind, limit=limit))).values
        for limit in (1_000, 1)
    )
    assert first == whole[:1]


def test_a_concept_that_is_shown_otherwise_than_it_is_typed_is_completed_to_its_name() -> None:
    notes = {f"{name}.md": "[[Import from Evernote|Evernote]]" for name in "abc"}
    snapshot = snapshot_of(notes | {"Import from Evernote.md": "---\ntitle: Evernote\n---\n"})
    (shown,) = finished(concepts(snapshot, requests.Concepts(prefix="import_"))).concepts
    found = finished(complete(snapshot, requests.Complete(kind="concept", prefix="import_")))
    assert shown.display_name == "Evernote"
    assert found.values == ("import-from-evernote",)
