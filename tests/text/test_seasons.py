"""Seasons in queries: times of which no days are known."""

import pytest

from clew.text.dates.seasons import CHARACTERS_MAX, seasons_in
from tests.tables import for_each_row
from tests.text.test_linear import assert_linear


@for_each_row(
    ("query", "season"),
    [
        ("docker last summer", "last summer"),
        ("docker notes from summer 2026", "summer 2026"),
        ("what I read in the spring of 2024 about tides", "spring of 2024"),
        ("storms last winter at Vigo", "last winter"),
        ("sales, autumn last year", "autumn last year"),
        ("Docker im Sommer 2026", "Sommer 2026"),
        ("Notizen vom letzten Herbst", "letzten Herbst"),
        ("notes de l'été dernier", "été dernier"),
        ("notas del verano pasado", "verano pasado"),
        ("appunti dell'inverno 2025", "inverno 2025"),
        ("notas do verão de 2025", "verão de 2025"),
        ("notities van zomer 2025", "zomer 2025"),
    ],
)
def test_a_season_is_found(query: str, season: str) -> None:
    assert [query[start:end] for start, end in seasons_in(query)] == [season]


@for_each_row(
    "query",
    [
        *("summer tyres", "the last winter games", "next winter", "Spring framework 6"),
        *("the fall of Rome", "was été", ""),
    ],
)
def test_the_name_of_a_season_alone_is_a_word(query: str) -> None:
    assert seasons_in(query) == []


def test_no_season_is_looked_for_in_a_very_long_query() -> None:
    assert seasons_in("a" * (CHARACTERS_MAX - 12) + " last summer")
    assert not seasons_in("a" * (CHARACTERS_MAX - 11) + " last summer")


@pytest.mark.slow
def test_a_query_is_read_in_linear_time() -> None:
    assert_linear(seasons_in, "last summer of 2026 ", 40, "")
