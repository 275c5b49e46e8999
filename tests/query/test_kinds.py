"""Types, folders, tags and sources that a query names: preferred, or listed newest first."""

from datetime import UTC

import numpy as np
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from clew.index.notes.note_lists import kind_name
from clew.query.search.legs.temporal import split_period
from clew.query.search.narrowing.kinds import (
    NEWEST_PREFERENCE,
    PREFERENCE,
    PREFERRED_MAX,
    named_kinds,
    prefer,
)
from clew.values.vault import Batch
from tests.searches import SEARCH, ask, paths, vault
from tests.tables import for_each_row
from tests.vaults import NOW_S, engine_of, read_note, snapshot_of

NOTES = {
    "plans/2025-03-01.md": "---\ntype: Decision\ntags: [home/garden]\n---\nclock drift",
    "plans/2025-03-02.md": "---\nsource: Reading-List\n---\nclock drift",
    "plans/2025-03-03.md": "---\ntype: decision\n---\nclock drift",
    "Team Meetings/2025-04-01.md": "clock drift",
    "notes/2025-05-01.md": "clock drift",
    "Re\u0301unions/2024-01-01.md": "---\ntype: बैठक\n---\nclock drift",
}
SNAPSHOT = vault(NOTES)
EXPLAINED = replace(SEARCH, explain=True)


def kinds(query: str) -> tuple[str, ...]:
    told = ask(SNAPSHOT, query, EXPLAINED).understood
    assert told is not UNSET
    return told.kinds


@for_each_row(
    ("query", "named"),
    [
        ("decisions on clock drift", ("type:decision",)),
        ("the DECISION", ("type:decision",)),
        ("my team meeting notes", ("folder:team meetings",)),
        ("garden plans", ("folder:plans", "tag:garden")),
        ("reading list", ("source:reading list",)),
        ("plan", ("folder:plans",)),
        ("my notes", ()),
        ("meeting", ()),
        ("clock", ()),
        ("2025", ()),
        ("r\u00e9unions", ("folder:r\u00e9unions",)),
        ("re\u0301unions", ("folder:r\u00e9unions",)),
        ("बैठक", ("type:बैठक",)),
    ],
)
def test_only_kinds_of_the_vault_are_understood(query: str, named: tuple[str, ...]) -> None:
    assert kinds(f"{query} zebra") == named


@pytest.mark.parametrize(
    ("query", "listed"),
    [
        ("latest decisions", ["plans/2025-03-03.md", "plans/2025-03-01.md"]),
        ("my newest team meeting notes", ["Team Meetings/2025-04-01.md"]),
        ("neueste plans", [f"plans/2025-03-0{day}.md" for day in (3, 2, 1)]),
        ("latest garden notes", ["plans/2025-03-01.md"]),
        ("latest decision about the garden", ["plans/2025-03-01.md"]),
        (
            "latest garden and team meetings",
            ["Team Meetings/2025-04-01.md", "plans/2025-03-01.md"],
        ),
        ("the most recent decisions from 2025-03-01", ["plans/2025-03-01.md"]),
    ],
)
def test_the_newest_of_a_kind_are_listed_by_date(query: str, listed: list[str]) -> None:
    assert paths(ask(SNAPSHOT, query)) == listed


MEETINGS = {
    "a.md": "---\ntags: [meeting]\ncreated: 2024-01-01\nmodified: 2026-01-01\n---\nbudget",
    "2025-01-01 Meeting with Ann.md": "budget",
    "Meeting, spring.md": "---\ncreated: 2024-06-01\n---\nbudget",
    "Seeing meetings end.md": "---\ncreated: 2023-06-01\n---\nbudget",
    "2025-02-01 Talk.md": "no meeting",
}


@pytest.mark.parametrize("query", ["latest meeting", "latest budget"])
def test_the_newest_have_the_day_by_which_they_are_ordered(query: str) -> None:
    reply = ask(vault(MEETINGS), query)
    days = dict(zip(paths(reply), (row.day for row in reply.results), strict=True))
    assert days["2025-01-01 Meeting with Ann.md"] == "2025-01-01"
    assert days["a.md"] == "2024-01-01"
    assert reply.period is None
    assert {row.of_period for row in reply.results} == {UNSET}


def test_where_titles_name_a_kind_more_often_than_tags_both_count() -> None:
    """The order is that of the days on which notes were written, not edited."""
    newest = ["2025-01-01 Meeting with Ann.md", "Meeting, spring.md", "a.md"]
    assert paths(ask(vault(MEETINGS), "latest meeting")) == [*newest, "Seeing meetings end.md"]
    marked = {f"{n}.md": f"---\ntype: meeting\ncreated: 2025-0{n}-01\n---\nx" for n in range(1, 5)}
    listed = paths(ask(vault({**MEETINGS, **marked}), "latest meetings"))
    assert listed == ["4.md", "3.md", "2.md", "1.md", "a.md"]


def test_a_note_listed_for_its_kind_shows_its_text_and_not_the_kind() -> None:
    assert ask(SNAPSHOT, "latest decisions").results[0].snippet == "clock drift"
    tide = "The tide is high.\n" * 20
    notes = {"a.md": f"---\ntype: decision\n---\n{tide}We keep half a tide of water."}
    (quoted,) = ask(vault(notes), 'latest decisions "half a tide"').results
    assert "half a tide of water" in quoted.snippet


def test_the_newest_of_a_kind_beside_other_words_come_first_but_not_alone() -> None:
    found = paths(ask(SNAPSHOT, "latest decisions about clock drift"))
    assert set(found[:2]) == {"plans/2025-03-01.md", "plans/2025-03-03.md"}
    assert set(found) == set(NOTES)


def test_notes_of_a_kind_are_preferred_but_not_alone() -> None:
    found = paths(ask(SNAPSHOT, "clock drift decision"))
    assert set(found[:2]) == {"plans/2025-03-01.md", "plans/2025-03-03.md"}
    assert set(found) == set(NOTES)
    notes = {f"{name}/n.md": "clock drift and tides" for name in "abc"}
    assert paths(ask(vault(notes), "clock drift b"))[0] == "b/n.md"


def test_without_notes_of_the_kind_in_the_period_other_notes_are_found() -> None:
    reply = ask(SNAPSHOT, "latest decisions about clocks from March 1987")
    assert reply.results
    assert reply.empty_filter is not None
    assert reply.empty_filter.filter == "period"


def test_a_kind_without_notes_is_none() -> None:
    engine = engine_of(NOTES)
    assert engine.snapshot.lists.kind_counts[kind_name("team_meetings")] == (0, 1, 0, 0)
    engine.apply(Batch(dropped=("Team Meetings/2025-04-01.md",)))
    assert "team meetings" not in engine.snapshot.lists.kind_counts
    engine.apply(Batch(put=(read_note("plans/2025-03-01.md", "no type", 0.0),)))
    assert engine.snapshot.lists.kind_counts["decision"] == (1, 0, 0, 0)
    assert "garden" not in engine.snapshot.lists.kind_counts


def test_a_tag_is_a_kind_though_folding_takes_an_accent_off_a_letter() -> None:
    notes = {"a.md": "#πρωτεΐνη", "b.md": "πρωτεΐνη"}
    assert paths(ask(vault(notes), "latest πρωτεΐνη")) == ["a.md"]


def test_a_list_of_a_kind_has_no_correction() -> None:
    notes = {"worx/a.md": "one", "worx/b.md": "two", "c.md": "the work", "d.md": "work"}
    reply = ask(vault(notes), "latest worx")
    assert set(paths(reply)) == {"worx/a.md", "worx/b.md"}
    assert reply.fuzzy_correction is None


def test_all_notes_of_the_last_preferred_score_are_preferred() -> None:
    numbers = range(PREFERRED_MAX + 40)
    snapshot = vault({f"{number}.md": "---\ntype: decision\n---\ntide" for number in numbers})
    named = named_kinds(snapshot, "decision about the tide")
    count = snapshot.graph.note_slots
    scores = prefer(snapshot, named, np.arange(count), np.ones(count), None)
    assert set(scores.tolist()) == {PREFERENCE}


def test_a_long_query_names_no_kind() -> None:
    assert kinds("zebra " * 15 + "decision") == ("type:decision",)
    assert kinds("zebra " * 16 + "decision") == ()


def test_the_name_of_a_kind_has_at_most_three_words() -> None:
    notes = {"a.md": "---\ntype: red tape report\n---\n", "b.md": "---\ntype: a b c d\n---\n"}
    for query, named in (("red tape reports", True), ("a b c d", False)):
        assert bool(named_kinds(snapshot_of(notes), query).named) is named


def test_as_many_titles_as_marked_notes_do_not_count() -> None:
    marked = {"2.md": "---\ntype: meeting\ncreated: 2025-02-01\n---\nx"}
    titled = {"A meeting.md": "---\ncreated: 2025-01-01\n---\nx"}
    assert paths(ask(vault({**marked, **titled}), "latest meetings")) == ["2.md"]
    titled["Another meeting.md"] = titled["A meeting.md"]
    assert len(paths(ask(vault({**marked, **titled}), "latest meetings"))) == 3


def test_notes_of_a_kind_are_preferred_more_if_the_newest_are_asked_for() -> None:
    named = named_kinds(SNAPSHOT, "decisions")
    period, _ = split_period("latest", NOW_S, UTC, SNAPSHOT)
    count = SNAPSHOT.graph.note_slots
    scores = prefer(SNAPSHOT, named, np.arange(count), np.ones(count), period)
    assert sorted(scores.tolist()) == [1.0] * 4 + [NEWEST_PREFERENCE] * 2
