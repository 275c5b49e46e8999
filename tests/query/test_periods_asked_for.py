"""Queries that name a period: which notes are found, and what the reply says of the period."""

from dataclasses import replace as replace_setting
from datetime import datetime
from zoneinfo import ZoneInfo

from msgspec import UNSET
from msgspec.structs import replace

from tests.dated import NEW_YORK, NOW_S, PLAIN, TOKYO, dated
from tests.searches import SEARCH, ask, paths, setting
from tests.tables import for_each_row
from tests.vaults import snapshot_of

TOPICS = dated(
    ("Meetings/2026-11-11.md", "modified: 2026-11-11\ntype: meeting", 0),
    *((f"old{n}.md", f"title: Kelp {n}\nmodified: 2025-01-0{n}", 0) for n in range(1, 6)),
    ("kelp.md", "title: Notes that we wrote of kelp\nmodified: 2026-11-12", 0),
    ("due.md", "title: Kelp\nmodified: 2025-02-01\ndue: 2026-11-13", 0),
    ("sand.md", "title: Sand\nmodified: 2025-02-01", 0),
    ("oak.md", "title: Kelp or oak\ntype: decision\nmodified: 2025-05-01", 0),
)


@for_each_row(
    ("query", "found"),
    [
        ("kelp notes from last week", {"kelp.md", "due.md"}),
        ("what did I write last week about kelp", {"kelp.md", "due.md"}),
        ("meetings of last week", {"Meetings/2026-11-11.md"}),
        ("decisions of May 2025", {"oak.md"}),  # a type of the vault
        ("decisions on kelp from May 2025", {"oak.md"}),
        ("last year's decisions", {"oak.md"}),
        ("decisions of 2025", {"oak.md"}),
    ],
)
def test_only_notes_of_the_period_are_found_if_the_query_asks_for_these(
    query: str, found: set[str]
) -> None:
    reply = ask(TOPICS, query, given=PLAIN)
    assert set(paths(reply)) == found
    assert all(row.of_period for row in reply.results)
    assert reply.period is not None
    assert (reply.period.only, reply.period.matching) == (True, len(found))


@for_each_row("query", ["last week", "notes from last week", "what did I write last week"])
def test_notes_of_other_times_are_left_out_too_where_nothing_else_is_asked_for(query: str) -> None:
    reply = ask(TOPICS, query, given=PLAIN)
    assert reply.period is not None
    assert (reply.period.only, reply.period.matching) == (True, reply.total)
    assert reply.total > 0


@for_each_row(
    ("meant", "query"),
    [
        ("what did I write last week about kelp", "what did I write last weke about kelp"),
        ("kelp notes from november 2026", "kelp notes from novmber 2026"),
        ("latest decisions", "latset decisions"),
        ("what happened last week", "what hapened last week"),
        ("Notizen von letzter Woche", "Notizen von letzter Wohce"),
        ('kelp notes from last week -"a reef"', 'kelp notes from lsat week -"a reef"'),
    ],
)
def test_slips_in_words_for_a_time_are_corrected_before_it_is_read(meant: str, query: str) -> None:
    typed, right = ask(TOPICS, query, given=PLAIN), ask(TOPICS, meant, given=PLAIN)
    assert typed.fuzzy_correction
    assert typed.fuzzy_correction.to.casefold() == meant.casefold()
    assert right.period or right.total
    assert (typed.period, typed.results) == (right.period, right.results)
    as_typed = ask(TOPICS, query, replace(SEARCH, fuzzy=False), given=PLAIN)
    assert as_typed.fuzzy_correction is None
    assert as_typed.results != typed.results


def test_a_corrected_time_is_no_word_that_an_answer_lacks() -> None:
    for query in ("gauge yesterday", "gauge in november 2025"):
        snapshot = dated(("a.md", "The gauge was late.", 0), ("b.md", "Boats.", 0))
        typed = query.replace("terd", "tred").replace("vem", "vm")
        right, found = ask(snapshot, query, given=PLAIN), ask(snapshot, typed, given=PLAIN)
        assert found.fuzzy_correction is not None
        assert (found.answered, right.answered) == ("yes", "yes")


def test_a_word_that_only_looks_like_a_slip_in_a_time_stays() -> None:
    """Where a note has it, where it is a word of the language, and where it says no time."""
    for query, given in (
        ("kelp notes from Marchi", PLAIN),
        ("kelp notes from novmber 2026", replace_setting(PLAIN, is_word="novmber".__eq__)),
        ("kelp novmber", PLAIN),
    ):
        snapshot = dated(("a.md", "title: Kelp of Marchi", 0), ("b.md", "title: Kelp", 0))
        reply = ask(snapshot, query, given=given)
        assert (reply.fuzzy_correction, reply.period) == (None, None), query


def test_a_time_beside_a_type_counts_only_if_some_note_is_of_it() -> None:
    """Without one it may be what the notes are about: "books of 1984"."""
    reply = ask(TOPICS, "decisions of 1999 on kelp")
    assert reply.period is None
    assert reply.empty_filter is None


def test_each_note_says_by_which_day_it_is_of_the_period() -> None:
    reply = ask(TOPICS, "kelp last week", given=PLAIN)
    days = dict(zip(paths(reply), ((row.day, row.of_period) for row in reply.results), strict=True))
    assert days["kelp.md"] == ("2026-11-12", True)
    assert days["due.md"] == ("2026-11-13", True)
    assert days["old1.md"] == ("2025-01-01", False)
    assert reply.period is not None
    assert (reply.period.only, reply.period.matching) == (False, 2)
    assert ask(TOPICS, "kelp", given=PLAIN).results[0].day is UNSET


def test_a_day_is_that_of_the_zone_but_for_days_of_names() -> None:
    snapshot = dated(("2026-11-17.md", "", 0), ("late.md", "modified: 2026-11-17T20:00:00Z", 0))
    for zone, late in ((NEW_YORK, "2026-11-17"), (TOKYO, "2026-11-18")):
        given = setting(now_s=NOW_S, zone=zone, has_model=False)
        reply = ask(snapshot, "this week", given=given)
        days = dict(zip(paths(reply), (row.day for row in reply.results), strict=True))
        assert days == {"2026-11-17.md": "2026-11-17", "late.md": late}


def test_notes_of_other_times_are_found_if_none_of_the_period_speaks_of_it() -> None:
    reply = ask(TOPICS, "sand notes from last week", given=PLAIN)
    assert paths(reply)[0] == "sand.md"
    assert reply.period is not None
    assert (reply.period.only, reply.period.matching) == (False, 0)
    assert reply.empty_filter is None


def test_words_that_only_ask_for_notes_are_no_words_even_if_no_note_is_of_the_period() -> None:
    reply = ask(TOPICS, "what notes did I write in March 1987 about sand", given=PLAIN)
    assert paths(reply) == ["sand.md"]
    assert reply.empty_filter is not None


@for_each_row(
    "query", ["what happened last week", "anything happening last week", "summary of last week"]
)
def test_what_happened_is_in_the_notes_of_that_time(query: str) -> None:
    snapshot = dated(("happened.md", "", 40), ("summary.md", "", 50), ("visit.md", "", 5))
    reply = ask(snapshot, query, given=PLAIN)
    assert (paths(reply), reply.answered) == (["visit.md"], "yes")


def test_what_happened_may_be_told_by_other_notes_if_none_is_of_that_time() -> None:
    notes = {"a.md": "It happened in March 2013: the storm.", "b.md": "Bread."}
    assert paths(ask(snapshot_of(notes), "what happened in March 2013", given=PLAIN))[0] == "a.md"


@for_each_row("query", ["open yesterday's note", "open yesterday\u2019s note"])
def test_the_words_for_a_period_may_be_a_topic_if_no_note_is_of_it(query: str) -> None:
    notes = {"a.md": "To open a file, open it.", "b.md": "Press o for the note of yesterday. Open!"}
    assert paths(ask(snapshot_of(notes), query, given=PLAIN))[0] == "b.md"


@for_each_row("query", ["the day before yesterday", "day before yesterday", "for the last 3 days"])
def test_the_words_for_a_period_are_no_topic_where_nothing_else_is_asked_for(query: str) -> None:
    notes = {"a.md": "No day was before the last of these days.", "b.md": "Yesterday, 3 days."}
    reply = ask(snapshot_of(notes), query, given=PLAIN)
    assert paths(reply) == []
    assert reply.empty_filter is not None
    assert reply.empty_filter.filter == "period"


@for_each_row(
    "query", ["sand last summer", "sand from summer 2026", "notes on sand from spring of 2024"]
)
def test_a_season_is_nothing_that_a_note_must_have(query: str) -> None:
    reply = ask(TOPICS, query, given=PLAIN)
    assert (paths(reply)[0], reply.answered) == ("sand.md", "yes")
    assert (reply.period, reply.fuzzy_correction) == (None, None)
    assert reply.undated is not UNSET
    assert query.endswith(reply.undated)


def test_a_season_alone_is_its_words() -> None:
    snapshot = snapshot_of({"a.md": "last summer was warm", "b.md": "tide"})
    reply = ask(snapshot, "last summer", given=PLAIN)
    assert paths(reply) == ["a.md"]
    assert not paths(ask(NOTHING_WARM, "last summer", given=PLAIN))


NOTHING_WARM = snapshot_of({"a.md": "tide"})


@for_each_row("query", ["notes since 2024", "latest notes", "list all notes of this year"])
def test_all_notes_of_a_period_are_listed_page_by_page(query: str) -> None:
    many = dated(*((f"{number:03}.md", "", float(number % 40)) for number in range(450)))
    found: list[str] = []
    cursor = None
    while cursor is not None or not found:
        page = ask(many, query, replace(SEARCH, limit=150, cursor=cursor), given=PLAIN)
        assert page.total == 450
        found += paths(page)
        cursor = page.cursor
    assert len(set(found)) == len(found) == 450


@for_each_row("zone", ["Pacific/Kiritimati", "Pacific/Auckland", "Asia/Tokyo", "Etc/GMT+12"])
@for_each_row(
    "query", ["notes from yesterday", "notes of the last 2 days", "notes since yesterday"]
)
def test_a_daily_note_is_of_its_day_alone_in_every_zone(query: str, zone: str) -> None:
    days = dated(*((f"2026-11-{day}.md", "", 0.0) for day in range(14, 23)))
    given = setting(now_s=NOW_S, zone=ZoneInfo(zone), has_model=False)
    today = datetime.fromtimestamp(NOW_S, ZoneInfo(zone)).day
    back, on = {"notes from yesterday": (1, 1), "notes of the last 2 days": (2, 0)}.get(
        query, (1, -9)
    )
    reply = ask(days, query, given=given)
    wanted = [f"2026-11-{day}.md" for day in range(14, 23) if today - back <= day <= today - on]
    assert sorted(paths(reply)) == wanted
    assert [row.day for row in reply.results] == [path[:10] for path in paths(reply)]
