"""The temporal leg: notes of a period, time zones, and the rest of the query's text."""

from datetime import UTC, tzinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.engine.snapshot import Snapshot
from clew.query.dates import Clock
from clew.query.notes.lists import recent
from clew.query.search.legs.temporal import notes_of_period, split_period
from clew.query.slices import finished
from clew.text.uri import from_uri
from clew.values.errors import InvalidParams
from clew.values.requests import Filters, Recent
from tests.dated import NEW_YORK, NOW_S, PLAIN, TOKYO, dated
from tests.searches import SEARCH, ask, paths, setting
from tests.tables import for_each_row
from tests.vaults import snapshot_of


def of_period(snapshot: Snapshot, query: str, zone: tzinfo = UTC) -> dict[str, float]:
    period, _ = split_period(query, NOW_S, zone, snapshot)
    assert period is not None
    hits = notes_of_period(snapshot, period, None, NOW_S)
    found = (snapshot.graph.path(note) for note in hits.note_ids.tolist())
    return dict(zip(found, hits.note_scores.tolist(), strict=True))


FILES = dated(*((f"{days}.md", "", days) for days in range(20)))


@for_each_row(
    ("query", "days"),
    [
        ("yesterday", range(1, 2)),
        ("last week", range(3, 10)),
        ("this week", range(3)),
        ("since Monday", range(3)),
        ("3 days ago", range(3, 4)),
        ("2026-11-15", range(3, 4)),
        ("2026-11", range(18)),
        ("2026-W46", range(3, 10)),
        ("latest", range(20)),
        ("before 2026-11-01", range(18, 20)),
    ],
)
def test_notes_of_a_period_are_newest_first(query: str, days: range) -> None:
    found = of_period(FILES, query)
    assert list(found) == [f"{each}.md" for each in days]
    scores = list(found.values())
    assert scores == sorted(scores, reverse=True)
    assert 0.5 <= scores[-1] <= scores[0] <= 1.0


@for_each_row("zone", [NEW_YORK, UTC, TOKYO])
@for_each_row(
    ("query", "name", "earlier", "day"),
    [
        ("yesterday", "2026-11-17", "2026-11-15", "2026-11-17"),
        ("2026-W47", "2026-W47", "2026-W46", "2026-11-17"),
        ("last month", "2026-10", "2026-09", "2026-10-30"),
    ],
)
def test_the_note_of_a_period_comes_before_those_changed_in_it(
    query: str, name: str, earlier: str, day: str, zone: tzinfo
) -> None:
    """A day of a month is not the note of the month, nor is the note of the month before."""
    notes = dated(
        (f"{name}.md", "", 0),
        (f"{earlier}.md", f"modified: {day}T11:00:00Z", 0),
        *((f"{day}.md", f"modified: {day}T11:00:00Z", 0) for day in ("2026-11-16", "2026-10-30")),
        ("late.md", "modified: 2026-11-17T14:00:00Z", 0),
        ("october.md", "modified: 2026-10-31T14:00:00Z", 0),
    )
    assert next(iter(of_period(notes, query, zone))) == f"{name}.md"
    assert len(of_period(notes, query, zone)) > 1
    newest = ask(notes, f"newest note of {query}", given=setting(now_s=NOW_S, zone=zone))
    assert newest.results[0].uri != f"memory://{name}.md"


def test_dates_in_front_matter_override_the_file() -> None:
    snapshot = dated(
        ("said.md", "created: 2026-11-17", 300),
        ("elsewhere.md", "created: 2020-01-01", 1),
        ("changed.md", "created: 2020-01-01\nmodified: 2026-11-17T08:00:00Z", 300),
        ("both.md", "created: 2026-11-17T23:59:59Z\nmodified: 2026-11-18", 300),
        ("file.md", "", 1),
    )
    assert list(of_period(snapshot, "yesterday")) == ["both.md", "file.md", "changed.md", "said.md"]


@pytest.mark.parametrize(
    ("zone", "found"),
    [(UTC, {"noon.md", "late.md"}), (TOKYO, {"noon.md"}), (NEW_YORK, {"noon.md", "late.md"})],
)
def test_days_are_those_of_the_local_zone(zone: tzinfo, found: set[str]) -> None:
    """At 20:00 in London it is the next day in Tokyo; at 3:00 it is the day before in New York."""
    snapshot = dated(
        ("noon.md", "modified: 2026-11-17T12:00:00Z", 0),
        ("late.md", "modified: 2026-11-17T20:00:00Z", 0),
        ("early.md", "modified: 2026-11-17T03:00:00Z", 0),
    )
    if zone is UTC:
        found = found | {"early.md"}
    if zone is TOKYO:
        found = found | {"early.md"}
    assert set(of_period(snapshot, "yesterday", zone)) == found


@for_each_row("zone", [NEW_YORK, UTC, TOKYO])
def test_a_date_without_a_time_is_the_same_day_in_every_time_zone(zone: tzinfo) -> None:
    """In New York this day begins at 5:00 UTC, and in Tokyo at 15:00 of the day before."""
    stated = ("created: 2026-11-17", "modified: 20261117", 'date: "[[2026-11-17]]"')
    days = dated(*((f"{at}.md", head, 300) for at, head in enumerate(stated)), ("other.md", "", 9))
    assert set(of_period(days, "2026-11-17", zone)) == {"0.md", "1.md", "2.md"}
    assert not {"0.md", "1.md", "2.md"} & set(of_period(days, "2026-11-16", zone))
    reply = ask(days, "this month", given=setting(now_s=NOW_S, zone=zone, has_model=False))
    assert [row.day for row in reply.results] == ["2026-11-17"] * 3 + ["2026-11-09"]
    for since, until in (("yesterday", "today"), ("2026-11-17", "2026-11-18")):
        for by, found in (("modified", {"0.md", "1.md", "2.md"}), ("created", {"0.md", "2.md"})):
            asked = replace(Recent(since=since, until=until), by=by)
            rows = finished(recent(days, asked, Clock(NOW_S, zone))).notes
            assert {from_uri(row.uri) for row in rows} == found


def test_a_date_in_the_future_is_not_newer_than_now() -> None:
    snapshot = dated(("now.md", "", 0), ("old.md", "", 10), ("typo.md", "created: 9926-01-01", 0))
    assert of_period(snapshot, "latest") == {"now.md": 1.0, "typo.md": 1.0, "old.md": 0.5}
    assert list(of_period(snapshot, "9926-01-01")) == ["typo.md"]


def test_ties_are_sorted_by_path() -> None:
    snapshot = dated(*((f"{name}.md", "modified: 2026-11-17", 0) for name in "cab"))
    assert list(of_period(snapshot, "yesterday")) == ["a.md", "b.md", "c.md"]


@for_each_row(
    ("query", "rest"),
    [
        ("tide last week", "tide"),
        ("latest tide notes", "tide notes"),
        ("tide 2026-11-15", "tide 2026-11-15"),
        ("last week", ""),
        ("notes from March 2026", ""),
        ("all my notes of 2026-11-15", ""),
        ("2026-11-15", "2026-11-15"),
        ("tide of yore", "tide of yore"),
        ("what did I write 3 days ago", ""),
        ("what did I plant 3 days ago", "what did I plant"),
        ("last 3 days", ""),
        ("tide since 2026-10-01", "tide since 2026-10-01"),
        ("since 2026-10-01", ""),
        ("in March 2026", ""),
        ("before 2025-01-01", ""),
        ("2026-11", ""),
        ("what did I work on last week", ""),
        ("what did I do on 2026-11-15", ""),
        ("what changed last week", ""),
        ("what did I write in march about databases", "what did I     about databases"),
        ("react notes from March 2026", "react"),
        ("react notes from 2026-11-15", "react   from 2026-11-15"),
        ("read last week", "read"),
        ("was habe ich letzte Woche geschrieben", ""),
        ("woran haben wir letzte Woche gearbeitet", ""),
        ("was habe ich letzte Woche über React gelesen", "was habe ich   über React"),
        ("Notizen zu React vom letzten Monat", "zu React"),
        ("sur quoi ai-je travaillé la semaine dernière", ""),
        ("qu'est-ce que j'ai modifié hier", ""),
        ("qué escribí la semana pasada", ""),
        ("qué aprendí en marzo sobre React", "qué     sobre React"),
        ("o que escrevi na semana passada", ""),
        ("cosa ho letto la settimana scorsa", ""),
        ("waaraan heb ik vorige week gewerkt", ""),
        ("我上周写了什么", ""),
        ("先週何を書いたか", ""),
    ],
)
def test_phrases_of_time_are_removed_but_dates_in_digits_stay(query: str, rest: str) -> None:
    assert split_period(query, NOW_S, UTC, FILES)[1] == rest


@given(st.text(max_size=40), st.sampled_from(["last week", "latest", "2026-11-15", "yesterday"]))
def test_the_text_left_is_part_of_the_query(text: str, phrase: str) -> None:
    period, rest = split_period(f"{text} {phrase}", NOW_S, UTC, FILES)
    assert len(rest) <= len(text) + len(phrase) + 2
    if period is None:
        assert rest == f"{text} {phrase}"
    else:
        assert set("".join(rest.split())) <= set("".join(f"{text}{phrase}".split()))


NOTES = {
    "ebb.md": "---\nmodified: 2026-11-11\n---\nebb",
    "say.md": "---\nmodified: 2020-01-01\n---\nwhat was last week",
    "date.md": "---\nmodified: 2020-01-01\n---\nmet on 2026-11-11",
    "tide.md": "---\nmodified: 2026-11-12\n---\ntide",
}
SNAPSHOT = snapshot_of(NOTES)


def test_a_period_alone_is_a_query() -> None:
    reply = ask(SNAPSHOT, "last week", given=PLAIN)
    assert paths(reply) == ["tide.md", "ebb.md"]
    assert [list(result.legs) for result in reply.results] == [["temporal"], ["temporal"]]


def test_a_date_finds_notes_of_that_day_and_notes_that_contain_it() -> None:
    reply = ask(SNAPSHOT, "2026-11-11", given=PLAIN)
    legs = {path: set(row.legs) for path, row in zip(paths(reply), reply.results, strict=True)}
    assert legs["ebb.md"] >= {"temporal"}
    assert legs["date.md"] >= {"keyword"}
    assert "temporal" not in legs["date.md"]
    assert "temporal" not in legs["tide.md"]


def test_notes_of_a_period_rank_higher() -> None:
    reply = ask(SNAPSHOT, "ebb or tide last week", given=PLAIN)
    assert set(paths(reply)) == {"ebb.md", "tide.md"}
    assert all({"keyword", "temporal"} <= set(result.legs) for result in reply.results)
    assert "say.md" not in paths(reply)


def test_modes_of_one_leg_search_the_words_of_a_period() -> None:
    reply = ask(SNAPSHOT, "last week", replace(SEARCH, mode="keyword"), given=PLAIN)
    assert paths(reply) == ["say.md"]
    with pytest.raises(InvalidParams):
        ask(SNAPSHOT, "?", replace(SEARCH, mode="keyword"), given=PLAIN)


def test_a_filter_bounds_the_period_too() -> None:
    reply = ask(SNAPSHOT, "last week", filters=Filters(since="2026-11-12"), given=PLAIN)
    assert paths(reply) == ["tide.md"]


@for_each_row("zone", [UTC, TOKYO, NEW_YORK])
@for_each_row("now_s", [-62_135_596_800.0, 253_402_300_799.0, 0.0])
@for_each_row("query", ["yesterday", "tide last year", "since 9999-12-31", "latest"])
def test_no_moment_overflows(zone: tzinfo, now_s: float, query: str) -> None:
    """The first and last moments of ``asOf`` are outside the years 1 to 9999 in some zones."""
    given = setting(now_s=now_s, zone=zone, has_model=False)
    assert ask(SNAPSHOT, query, given=given).query == query


def test_notes_that_say_a_day_of_the_period_come_after_those_written_in_it() -> None:
    snapshot = dated(
        ("due.md", "due: 2026-11-17", 300),
        ("seen.md", "created: 2020-01-01\ndate-watched: 2026-11-12", 300),
        ("written.md", "", 1),
        ("other.md", "due: 2027-11-17", 300),
    )
    assert of_period(snapshot, "yesterday") == {"written.md": 0.5, "due.md": 0.25}
    assert list(of_period(snapshot, "this month")) == ["written.md", "due.md", "seen.md"]
    assert "other.md" not in of_period(snapshot, "since last week")
    none = Filters(folder="none")
    assert not paths(ask(snapshot, "tide this month", filters=none, given=PLAIN))


def test_words_for_a_time_without_notes_are_words() -> None:
    """A note may be about today's page, though none was written today."""
    titles = {"a.md": "Journal page", "daily.md": "Journal page of today", "page.md": "Tide"}
    snapshot = dated(*((path, f"title: {title}", 30) for path, title in titles.items()))
    reply = ask(snapshot, "the shortcut for today's journal page", given=PLAIN)
    assert paths(reply)[0] == "daily.md"
    assert reply.empty_filter is not None
    assert reply.period is not None


@for_each_row(
    ("query", "since"),
    [
        ("what did I earn in 2025", "2025-01-01"),
        ("tide in 2025", "2025-01-01"),
        ("In 2025, what was the tide?", "2025-01-01"),
        ("was hat die Tide im Jahr 2025 gemacht?", "2025-01-01"),
        ("tide in 2024", None),  # no note is of that year
        ("when was the tide high in 2025?", None),  # asks for a date
        ("the 2025 tide", None),
        ("the tide in 2025 of Vigo", None),
        ("tide of 2025", None),
    ],
)
def test_a_bare_year_is_a_period_if_some_note_is_of_it(query: str, since: str | None) -> None:
    reply = ask(dated(("a.md", "date: 2025-03-14", 0.0), ("b.md", "", 0.0)), query)
    assert (reply.period.since if reply.period else None) == since
    assert reply.empty_filter is None


@for_each_row(
    ("query", "is_period"),
    [
        ("tide in October", True),
        ("tide in September", False),  # no note is of that month
        ("when was the tide high in October?", False),  # asks for a date
        ("the tide in October of Vigo", False),
        ("tide of October", False),
    ],
)
def test_a_month_at_the_end_is_a_period_if_some_note_is_of_it(query: str, is_period: bool) -> None:
    notes = dated(("a.md", "date: 2026-10-14", 0.0), ("b.md", "", 0.0))
    reply = ask(notes, query, given=PLAIN)
    assert (reply.period is not None) == is_period
    assert reply.empty_filter is None


@for_each_row(
    ("query", "found"),
    [
        ("from 2024-01-01 to 2024-12-31", True),  # 366 days
        ("from 2024-01-01 to 2025-01-01", False),
        ("since 2024-01-01", False),
    ],
)
def test_days_that_notes_say_are_looked_up_in_a_period_of_at_most_a_leap_year(
    query: str, *, found: bool
) -> None:
    snapshot = dated(("due.md", "created: 2020-01-01\ndue: 2024-12-31", 3_000))
    assert ("due.md" in of_period(snapshot, query)) is found
