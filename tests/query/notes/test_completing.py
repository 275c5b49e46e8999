"""Completion of names: those of one kind that begin with what was typed."""

from typing import Any

import pytest

from clew.query.notes.completing import complete
from clew.query.slices import finished
from clew.values import requests
from tests.tables import for_each_row
from tests.vaults import snapshot_of

NOTES = {
    "Tide gauge.md": "[[Moon]] [[moon]] [[Tides]] #sea/tide #sea",
    "seas/Tide table.markdown": "[[Moon]] [[Tide gauge]] #sea",
    "seas/north/tide table.md": "[[Élan]]",
    "seas/north/odd\udce9.md": "[[Moon]]",
}


@for_each_row(
    ("kind", "prefix", "values"),
    [
        ("note", "TIDE T", ("Tide table", "tide table")),
        ("note", "seas/n", ("seas/north/tide table.md",)),
        ("note", "odd", ()),
        ("note", "x", ()),
        ("folder", "", ("seas", "seas/north")),
        ("folder", "Seas/", ("seas/north",)),
        ("tag", "#SEA", ("sea", "sea/tide")),
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
