"""Which queries say when notes were written, and which only mention dates."""

import subprocess
import sys
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.dates.grammar.words import word_set
from clew.text.dates.intent import WORDS_MAX, period_of
from tests.tables import for_each_row
from tests.text.test_linear import assert_linear

NOW = datetime(2026, 11, 25, 15, 30, tzinfo=UTC)  # a Wednesday
ZONES = [
    UTC,
    *map(ZoneInfo, ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland")),
    # In these zones clocks change at midnight, by half an hour, or once by a whole day.
    *map(ZoneInfo, ("America/Sao_Paulo", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Cairo")),
]
moments = st.floats(0, 3_800_000_000)
zones = st.sampled_from(ZONES)
VOCABULARY = word_set("""
    last past this today yesterday week month year days weeks ago 2 three a since before after until
    between and from to in on of the may March 7 12th 31 2023 2026-11-22 2026-W47 2001-02 February
    0001-01-01 9999-12-30 9999-12-31
    29 Monday tuesday latest newest most recent recently notes my I what when ? , . 's [[ ( - / é
    会议
""")


def days_of(query: str) -> tuple[str | None, str | None] | None:
    """Return the first day and the day after the last that ``query`` asks for, at NOW in UTC."""
    period = period_of(query, NOW.timestamp(), UTC)
    if period is None or period.since_s is period.until_s is None:
        return None
    ends = (period.since_s, period.until_s)
    since, until = (s if s is None else str(datetime.fromtimestamp(s, UTC).date()) for s in ends)
    return since, until


@for_each_row(
    "query",
    [
        *(
            "",
            "blast radius",
            "2023",
            "12",
            "second",
            "last",
            "last name of the author",
            "half a year",
            "the week of March",
            "what happened in October in Rome",
            "May",
            "sun",
        ),
        *("the last one", "may I come in", "who may seek changes", "march on Rome", "Monday"),
        *(
            "version 3.11.2",
            "2024.1.1",
            "CVE-2026-11",
            "10/11/2023",
            "notes of 10/11/2023",
            "#2026-11",
        ),
        *("daily/2026-11-22", "2026-11-22.md", "2026-11-22T10:00", "today()", "$2023", "last_week"),
        *("ABC's 2001-02 identity", "31 November 2023", "29 Feb 2023", "2026-13-01", "2026-W60"),
        *("Women's March 2017", "you may 2023", "March 1913 tornado outbreak", "Jan 6 committee"),
        *(
            "August Strindberg",
            "Black Friday",
            "Friday the 13th",
            "Sunday roast",
            "what to sow in March",
        ),
        *("notes on last week", "what I did in March and May", "letters from October"),
        *("notes on April", "notes on 2023", "last week of March", "66 million years ago"),
        *(
            "Who directed the film that was shot in Leland in 1986",
            "Panthers interceptions in 2015",
        ),
        *("What song debuted in the October 27, 1999 episode of South Park?", "in. March"),
        *(
            "When was the singer born who won in March 2015?",
            "In what year did it open in May 2015?",
        ),
        *(
            "Who has served as Deputy Prime Minister since 18 February 2016?",
            "the storm of May 2012",
        ),
        *("What network was proposed in October 1954?", "the week before August 3, 2023"),
        *("Whose wall is visible around Newcastle even today?", "deadline by 3 May 2023"),
        *("What is the name of the latest epoch?", "how to install the latest numpy", "cli@latest"),
        *(
            "Recent studies believe that these are sisters to what?",
            "What did John recently paint?",
        ),
        *("yesterday and today", "notes from 2023-01-01, 2023-02-02", "between a and b"),
        *(
            "between 9 May 2023 and 3 May 2023",
            "between May 2023",
            "last 99999 days",
            "last 0 days",
        ),
        *(
            "9999 years ago",
            "last day of school",
            "Living from 973–1048",
            "since starting boot camps",
        ),
        *(
            "compare May 2023 and July 2023",
            "trips, 3 May 2023 or last week",
        ),
        *("what did I learn about Rome before 1900", "what did Anna write before 2020"),
        *("letters from before 2020", "why did we decide on clocks of 2020"),
        *("2023 notes", "May notes", "journal Monday", "the latest-free"),
        *("who is seen there today", "what did I say in March or later", "what did I think of May"),
        *("what did I earn in 2020", "Who played last year in the World Series?"),
        *("my March 1913 tornado outbreak list", "In May the journal Nature printed it"),
        *("in Rome from 3 May 2025 to March", "after May 2023 until 3 May 2023"),
        *("9999-12-31", "this day", "the last day", "in Jan"),
        *("show me the band of the October 1999 episode", "show me Newcastle in May 2013 or so"),
        *("on the, in", "since 9 May 2023 until 3 May 2023", "3 May 2023 to", "to 3 May 2023"),
        *("a day a week", "this one", "that was a year", "who won in the last three minutes"),
    ],
)
def test_an_ordinary_query_asks_for_no_period(query: str) -> None:
    assert period_of(query, NOW.timestamp(), UTC) is None


@for_each_row(
    ("query", "rest"),
    [
        ("notes from last month", "from"),
        ("what did I write last week", "what I"),
        ("what have we been working on last week", "what have we been"),
        ("react notes from last month", "react"),
        ("notes about react from last month", "about react"),
        ("meetings of October", "meetings"),
        ("meeting yesterday", "meeting"),
        ("yesterday's standup", "standup"),
        ("what did I learn about docker in March", "what did I about docker"),
        ("what changed last week", "what"),
        ("anything added since Monday", ""),
        ("which notes did I write last week about tides", "which did I about tides"),
        ("notes from last week about release notes", "about release notes"),
        ("last week's react notes", "react"),
        ("things I read yesterday", "I"),
        ("what happened yesterday", "what"),
        ("What happened last week?", "What ?"),
        ("what was going on in March 2024", "what was on"),
        ("summary of last week", ""),
        ("give me a recap of last week", "give me a"),
        ("anything happening this week", ""),
        ("Was passierte letzte Woche?", "Was ?"),
        ("notes from before 2020", ""),
        ("clock notes from after March 2024", "clock"),
        ("list all notes created in March 2025", ""),
        ("show yesterday's notes", ""),
        ("get me the October notes", ""),
        ("notes that were edited last week", ""),
        ("find notes I wrote in March about tides", "about tides"),
        ("shelf list notes from March 2025", "shelf list"),
        ("notes on edited volumes from last week", "on edited volumes"),
        ("what did I write before 2020", "what I"),
        ("what have we written since 2024 about clocks", "what have we about clocks"),
        ("what did I write between 2020 and 2022", "what I"),
    ],
)
def test_a_period_may_be_that_of_the_notes_themselves(query: str, rest: str) -> None:
    period = period_of(query, NOW.timestamp(), UTC)
    assert period is not None
    assert period.is_of_notes
    for start, end in (*period.spans, *period.asking):
        query = query[:start] + " " * (end - start) + query[end:]
    assert query.split() == rest.replace("from", "").split()


@for_each_row(
    "query",
    [
        *(
            "what happened at the harbour in March 2025",
            "react last month",
            "read last week",
            "work yesterday",
        ),
        *("what changed in the config last week", "meeting notes for 7 May 2023"),
        *("what did I plant in May?", "What did Anna write last week?", "2026-11-22"),
        *("notes on the storm of March 2025", "my plans this month"),
        *("When did Caroline go to the meeting last week?", "who was at the standup yesterday"),
    ],
)
def test_a_period_may_be_that_of_what_notes_are_about(query: str) -> None:
    period = period_of(query, NOW.timestamp(), UTC)
    assert period is not None
    assert not period.is_of_notes
    assert period.asking == ()


@for_each_row(
    "query",
    [
        *(
            "show me the latest on storage",
            "latest",
            "newest first",
            "most recent decisions about storage",
            "storage, newest first",
        ),
        *(
            "what are my recent meeting notes on storage?",
            "the newest drafts",
            "recently edited notes",
        ),
        *(
            "What did Melanie paint recently?",
            "What did I recently decide?",
            "my most recent notes",
            "last meeting",
            "last meeting with Ingrid",
            "what did we decide in the last meeting?",
            "last daily note",
        ),
    ],
)
def test_a_query_asks_for_the_newest_notes(query: str) -> None:
    period = period_of(query, NOW.timestamp(), UTC)
    assert period is not None
    assert period.newest_first
    assert period.since_s is period.until_s is None


def test_a_query_may_ask_for_the_newest_of_a_period() -> None:
    query = "The most recent meeting notes from March 2024"
    period = period_of(query, NOW.timestamp(), UTC)
    assert period is not None
    assert period.newest_first
    assert days_of(query) == ("2024-03-01", "2024-04-01")
    assert [query[a:b] for a, b in period.spans] == ["most recent", "from March 2024"]


@for_each_row("words", ["week of", "half a", "day before", "2 weeks", "last of"])
def test_words_that_repeat_without_end_are_no_period(words: str) -> None:
    assert period_of(f"{words} " * (WORDS_MAX // 2), NOW.timestamp(), UTC) is None


def test_a_period_that_occurs_twice_counts_once() -> None:
    query = "2026-11-24: yesterday"
    period = period_of(query, NOW.timestamp(), UTC)
    assert period is not None
    assert period.spans == ((0, 10), (12, 21))


@given(
    st.text() | st.lists(st.sampled_from(sorted(VOCABULARY)), max_size=12).map(" ".join),
    moments,
    zones,
)
def test_finding_a_period_never_raises(query: str, now_s: float, zone: tzinfo) -> None:
    period = period_of(query, now_s, zone)
    assert period == period_of(query, now_s, zone)
    if period is None:
        return
    assert period.newest_first or period.since_s is not None or period.until_s is not None
    if period.since_s is not None and period.until_s is not None:
        assert period.since_s <= period.until_s
    places = [0, *(place for span in period.spans for place in span), len(query)]
    assert places == sorted(places)
    assert all(query[a:b].strip() == query[a:b] != "" for a, b in period.spans)


def test_no_period_is_looked_for_in_a_very_long_query() -> None:
    assert days_of("a " * (WORDS_MAX - 1) + "yesterday") == ("2026-11-24", "2026-11-25")
    assert days_of("a " * WORDS_MAX + "yesterday") is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        *(
            "-",
            "a-",
            "2026-11-22",
            "2026-11-22 ",
            "last ",
            "last 3 days ",
            "since ",
            "7 may ",
            " ",
            ",",
        ),
        *(
            "7 of ",
            "may of ",
            "between 3 may and ",
            "most recent ",
            "notes that i wrote ",
            "会",
            "'s",
            "é",
        ),
    ],
)
def test_a_query_is_read_in_linear_time(piece: str) -> None:
    assert_linear(lambda text: period_of(text, NOW.timestamp(), UTC), piece, 100_000, "")


def test_the_date_parser_is_imported_only_by_queries_that_need_it() -> None:
    program = (
        "import sys, datetime as d; from clew.text.dates.intent import period_of as p;"
        "p('blast radius 2026-11-22 latest', 0.0, d.UTC); print('dateutil' in sys.modules);"
        "p('in March 2024', 0.0, d.UTC); print('dateutil' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["False", "True"]


@for_each_row("piece", ["yesterday ", "May, ", "what happened yesterday ", "early March ", "Jan, "])
def test_many_dates_are_read_in_linear_time(piece: str) -> None:
    """The longest query that is read: ``assert_linear`` takes twice the text."""
    size = WORDS_MAX // 2 // len(piece.split()) * len(piece)
    assert_linear(lambda text: period_of(text, NOW.timestamp(), UTC), piece, size, "")
