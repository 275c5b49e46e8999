"""Which queries say when notes were written: tables, a language a file."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from clew.text.dates.intent import period_of
from clew.text.dates.languages.reading import SPACELESS_CHARACTERS_MAX
from clew.text.dates.languages.table import language
from tests.tables import for_each_row
from tests.text.test_intent import NOW, days_of
from tests.text.test_linear import assert_linear

TABLES = sorted((Path(__file__).parents[1] / "data/periods").glob("*.tsv"))


def rows() -> list[object]:
    """Return the rows of all tables."""
    lines = [
        (table.stem, line) for table in TABLES for line in table.read_text("utf-8").split("\n")
    ]
    return [
        pytest.param(*line.split("\t", 1), id=f"{name}: {line}")
        for name, line in lines
        if line and not line.startswith("//")
    ]


@for_each_row(("query", "expected"), rows())
def test_a_query_asks_for_a_period(query: str, expected: str) -> None:
    period = period_of(query, NOW.timestamp(), UTC)
    days = days_of(query)
    read = "none" if period is None else "\t".join(day or "-" for day in days) if days else "newest"
    assert read == expected


def test_each_language_has_questions_with_and_without_a_period() -> None:
    for table in TABLES:
        text = table.read_text("utf-8")
        assert text.count("\tnone") >= 3, table
        assert text.count("\t2025-03-01\t2025-04-01") >= 1, table


@for_each_row(
    "query",
    [
        *("mission to Mars 2020", "Mars 2020", "Tour de France 2023", "Rio de Janeiro 2016"),
        *("who sang La Isla Bonita in 1987", "the Cinco de Mayo 2014 parade", "El Niño of 1997"),
        *("was ist das", "die hard", "an am ende", "Don Juan de Marco", "DO NOT use this"),
    ],
)
def test_no_word_of_another_language_gives_an_ordinary_query_a_period(query: str) -> None:
    assert period_of(query, NOW.timestamp(), UTC) is None


def test_a_phrase_that_is_in_a_table_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="'gestern' is in the table twice"):
        language("yesterday = gestern\ntoday = gestern")


def test_the_words_of_a_period_are_those_of_the_query() -> None:
    query = "notes de la semaine dernière sur le stockage"
    period = period_of(query, NOW.timestamp(), UTC)
    assert period is not None
    assert [query[a:b] for a, b in period.spans] == ["de la semaine dernière"]


def test_a_period_is_not_looked_for_in_a_very_long_text_without_spaces() -> None:
    text = "的" * (SPACELESS_CHARACTERS_MAX - 5) + "昨天的笔记"
    assert days_of(text) == ("2026-11-24", "2026-11-25")
    assert days_of("的" + text) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        *("letzte Notizen vor ", "d'il y a 3 ", "semana pasada ", "hace 3 d'", "über "),
        *("3月", "去年", "2025年", "2025年3月以降", "以降", "三", "的", "日前", "ヶ月"),
    ],
)
def test_a_query_asks_for_a_period_in_linear_time(piece: str) -> None:
    now_s = datetime(2026, 11, 25, tzinfo=UTC).timestamp()
    assert_linear(lambda text: period_of(text, now_s, UTC), piece, 30_000, "")
