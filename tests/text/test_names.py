"""Dates in the names of notes."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.dates.daily_format import (
    FORMAT_CHARACTERS_MAX,
    NUMBERS_MAX,
    DailyFormat,
    daily_format,
)
from clew.text.dates.days import FIRST_YEAR, LAST_YEAR, Days
from clew.text.dates.names import days_in_name
from tests.data import rows
from tests.examples import examples
from tests.tables import for_each_row
from tests.timed import check_within

days = st.dates(date(FIRST_YEAR, 1, 1), date(LAST_YEAR, 12, 31))


def shown(found: Days | None) -> str:
    return f"{found.since} {found.length_days}" if found else "none"


def format_or_none(text: str) -> DailyFormat | None:
    try:
        return daily_format(text)
    except ValueError:
        return None


@for_each_row(("path", "expected"), rows("names.tsv"))
def test_a_name_that_begins_with_a_date_has_its_days(path: str, expected: str) -> None:
    assert shown(days_in_name(path)) == expected


@for_each_row(("text", "path", "expected"), rows("daily_formats.tsv"))
def test_a_name_in_the_format_of_daily_notes_has_its_days(
    text: str, path: str, expected: str
) -> None:
    assert shown(days_in_name(path, format_or_none(text))) == expected


@for_each_row(
    ("text", "message"),
    [
        ("YYYY-MM-DD HH:mm", "'HH'"),
        ("YYYY-DDDD", "'DDDD'"),
        ("L", "'L'"),
        ("YYYYY-MM-DD", "'YYYYY'"),
        ("YYYY", "no day, week, month or quarter"),
        ("MM-DD", "no day, week, month or quarter"),
        ("[daily]", "no day, week, month or quarter"),
        ("YYYY-MM-DD" + " DMDM" * NUMBERS_MAX, f"more than {NUMBERS_MAX} tokens"),
        ("[x]" * FORMAT_CHARACTERS_MAX, "longer"),
        ("YYYY-MM-DD \ud800", "Unicode"),
    ],
)
def test_a_format_that_cannot_be_read_says_why(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        daily_format(text)


# What a format in Python's terms says is what the same format of moment.js reads.
FORMATS = {
    "YYYY-MM-DD": "%Y-%m-%d",
    "DD.MM.YYYY": "%d.%m.%Y",
    "YYYY/MM MMMM/dddd DD": "%Y/%m %B/%A %d",
    "GGGG-[W]WW ddd": "%G-W%V %a",
    "ddd D MMM YYYY": "%a %d %b %Y",
}


@given(days, st.sampled_from(sorted(FORMATS)))
@examples()
def test_a_day_is_read_from_the_name_that_its_format_gives(day: object, text: str) -> None:
    name = f"{day:{FORMATS[text]}}.md"
    found = days_in_name(name, daily_format(text))
    assert found == Days(day, day + timedelta(days=1))  # type: ignore[operator,arg-type]


@given(st.text(), st.text(st.one_of(st.sampled_from("YMDdoGgWwQ[]-/ "), st.characters())))
@examples(300)
def test_no_name_and_no_format_raises(name: str, text: str) -> None:
    days_in_name(f"{name}.md", format_or_none(text))


def test_a_format_of_short_numbers_is_matched_fast() -> None:
    text = "YYYY" + "DM" * (NUMBERS_MAX // 2 - 1)
    check_within(1.0, lambda: days_in_name("1" * 200 + ".md", daily_format(text)))
