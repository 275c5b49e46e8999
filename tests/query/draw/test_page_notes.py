"""The notes a page lists: some behind every edge and concept, however few there is room for."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.query.draw import drawing, page_notes
from clew.query.draw.page_notes import Rows, by_falling_date, by_need
from clew.query.slices import finished
from clew.values import replies, requests
from tests.examples import examples
from tests.query.draw.test_webpage import data_of
from tests.vaults import NOW_S, snapshot_of

tables = st.lists(st.frozensets(st.integers(0, 6), min_size=1), min_size=1, max_size=20)


def rows_of(table: list[frozenset[int]]) -> Rows:
    cells = [concept for row in table for concept in row]
    return Rows(np.array(cells, np.int64), np.array([len(row) for row in table], np.int64))


@examples()
@given(tables)
def test_every_edge_then_every_concept_has_a_note_among_the_first(
    table: list[frozenset[int]],
) -> None:
    concepts = set().union(*table)
    ends = [(a, b) for a in concepts for b in concepts if a < b if any({a, b} <= r for r in table)]
    order = by_need(rows_of(table), ends).tolist()
    assert sorted(order) == list(range(len(table)))
    newest = {next(at for at, row in enumerate(table) if {*pair} <= row) for pair in ends}
    assert set(order[: len(newest)]) == newest
    assert concepts <= set().union(*(table[at] for at in order[: len(newest) + len(concepts)]))


def data(**limits: int) -> dict[str, Any]:
    texts = {
        f"n{at}.md": f"---\nmodified: 2026-01-{at:02}\n---\n[[A]] [[B]]" for at in range(10, 20)
    }
    texts["old/x.md"] = "---\nmodified: 2020-02-03\ntags: [t, u]\n---\n[[A]] [[C]]"
    with pytest.MonkeyPatch.context() as patch:
        for name, value in limits.items():
            patch.setattr(page_notes, name, value)
        found = finished(
            drawing.subgraph(snapshot_of(texts), requests.GraphRequest(format="html"), NOW_S)
        )
        reply = drawing.draw(found, "html", "vault")
    assert isinstance(reply, replies.GraphText)
    parsed: dict[str, Any] = data_of(reply.text)
    return parsed


def test_the_notes_of_the_page_have_paths_days_tags_and_concepts() -> None:
    found = data()
    assert [row[0] for row in found["notes"]] == [f"n{at}.md" for at in range(19, 9, -1)] + [
        "old/x.md"
    ]
    names = [row[0] for row in found["nodes"]]
    assert found["notes"][-1] == [
        "old/x.md",
        "2020-02-03",
        [0, 1],
        [names.index("a"), names.index("c")],
    ]
    assert found["tags"] == ["t", "u"]
    assert found["totals"] == {"concepts": 3, "edges": 2, "notes": 11}


def test_too_many_notes_leave_each_edge_its_newest() -> None:
    found = data(NOTES_MAX=3)
    assert [row[0] for row in found["notes"]] == ["n19.md", "n18.md", "old/x.md"]
    assert [row[0] for row in data(CHARACTERS_MAX=90)["notes"]] == ["n19.md", "old/x.md"]


def test_a_page_of_an_empty_vault_lists_nothing() -> None:
    found = finished(drawing.subgraph(snapshot_of({}), requests.GraphRequest(), NOW_S))
    reply = drawing.draw(found, "html", "vault")
    assert isinstance(reply, replies.GraphText)
    assert data_of(reply.text)["notes"] == []


def test_the_first_twelve_tags_of_a_note_are_on_the_page() -> None:
    tags = [f"t{number:02}" for number in range(13)]
    snapshot = snapshot_of({"a.md": f"---\ntags: {tags}\n---\n[[A]] [[B]]"})
    request = requests.GraphRequest(format="html")
    reply = drawing.draw(finished(drawing.subgraph(snapshot, request, NOW_S)), "html", "vault")
    assert isinstance(reply, replies.GraphText)
    found = data_of(reply.text)
    assert (found["tags"], found["notes"][0][2]) == (tags[:12], list(range(12)))


def test_notes_are_listed_by_falling_date_then_by_path() -> None:
    changed_s = np.array([5.0, 9.0, 5.0, 7.0, 5.0])
    assert by_falling_date(changed_s, ["c", "z", "a", "y", "b"]) == [1, 3, 2, 4, 0]


def test_no_long_list_is_sorted_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """``sorted`` holds Python's lock to its end, and so all other clients."""
    lengths = []

    def noted(rows: Iterable[Any], **options: Any) -> list[Any]:
        taken = list(rows)
        lengths.append(len(taken))
        return sorted(taken, **options)

    monkeypatch.setattr(page_notes, "sorted", noted, raising=False)
    dates_s = np.arange(1_000.0) // 2
    order = by_falling_date(dates_s, [str(number) for number in range(1_000)])
    assert order == sorted(range(1_000), key=lambda row: (-dates_s[row], str(row)))
    assert max(lengths) == 2
