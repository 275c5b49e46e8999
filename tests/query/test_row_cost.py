"""What the rows of a search cost, counted in calls of functions, which no other load changes."""

import sys
from collections.abc import Generator
from types import FrameType

import pytest

from clew.query.context import evidence
from clew.query.search import results, search_notes
from clew.query.search.results import result_rows
from clew.query.search.search_notes import search
from clew.query.slices import finished
from clew.text.masking import secrets
from clew.values.requests import Search
from tests.counted import counted
from tests.query.context.packs import pack
from tests.searches import SEARCH, ask, setting, vault

PARAGRAPH = "The [[tide]] gauge of the harbour was read at noon, and its clock was slow. "
NOTES = {f"{n}.md": f"# Gauge {n}\n\n{PARAGRAPH * 4}\n\nNumber {n}.\n" for n in range(40)}
CALLS_MAX = 79  # of functions of Python, for a row of a plain note


def test_a_row_takes_few_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    per_row: list[float] = []

    def rows(*given: object) -> Generator[None, None, object]:
        calls = 0

        def count(_: FrameType, event: str, __: object) -> None:
            nonlocal calls
            calls += event == "call"

        before = sys.getprofile()
        sys.setprofile(count)
        made = finished(result_rows(*given))  # type: ignore[arg-type]
        sys.setprofile(before)
        per_row.append(calls / len(made))
        return made
        yield

    monkeypatch.setattr(search_notes, "result_rows", rows)
    assert len(ask(vault(NOTES), "tide gauge clock", SEARCH).results) == SEARCH.limit
    (calls_per_row,) = per_row
    assert calls_per_row <= CALLS_MAX, calls_per_row


def test_only_notes_that_may_have_secrets_are_searched_for_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    notes = {"safe.md": f"{PARAGRAPH}\n", "key.md": f"{PARAGRAPH}password: aB3dE5gH7jK9\n"}
    stored = vault(notes)
    searched = counted(monkeypatch, secrets, "secrets_in")
    replied = ask(stored, "tide gauge clock", SEARCH)
    assert len(replied.results) == len(notes)
    assert ["password" in text for (text,) in searched] == [True]
    assert "[REDACTED:SECRET]" in next(row.snippet for row in replied.results if "key" in row.uri)


def test_a_pack_makes_the_references_that_it_lists_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = vault({path: f"{text}{path} has a gauge.\n" for path, text in NOTES.items()})
    made = counted(monkeypatch, evidence, "passage_reference")
    reply = pack(stored, "tide gauge clock", token_budget=200)
    assert reply.metadata.dropped_count > len(reply.more) == len(made) == evidence.MORE_MAX


def test_a_long_list_is_looked_up_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "SLICE_ROWS", 16)
    calls = counted(monkeypatch, results, "_hits")
    request = Search(query="path:md", limit=len(NOTES))
    reply = finished(search(vault(NOTES), request, setting()))
    assert len(reply.results) == len(NOTES)
    assert [len(note_ids) for _, note_ids, *_ in calls] == [16, 16, 8]
