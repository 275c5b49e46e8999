"""Golden numbers of the additive ranking, and when a query names a source."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.query.search.additive.additive_parts import (
    SOURCE_DEFAULT,
    Parts,
    additive_parts,
    entity_part,
    folded_words,
    is_named,
    keyword_part,
    recency_part,
)
from clew.text.markdown.frontmatter.read import read_frontmatter
from tests.tables import for_each_row

NOW_S = 1_795_305_600.0  # 2026-11-22 in UTC
SECONDS_A_DAY = 86_400.0
WORDS = st.sampled_from(["file", "profile", "daily", "notes", "Журнал", "日記", "नोट"])


def parts_of(
    similarity: float, age_days: float, entity: float, source: float, keyword: float, named: bool
) -> Parts:
    return additive_parts(
        similarity=similarity,
        age_days=age_days,
        entity=entity,
        source=source,
        keyword=keyword,
        is_source_named=named,
    )


@pytest.mark.parametrize(
    ("parts", "total"),
    [
        ((0.95, 0, 0.2, 0.1, 0.05, True), 1.425),
        ((0.8, 365, 0.1, 0.1, 0.02, False), 0.62),
        ((0.4, 91.25, 0.0, 0.05, 0.0, False), 0.40),
        ((0.0, 1e9, 0.0, SOURCE_DEFAULT, 0.0, False), 0.05),
        ((1.0, 0, 0.3, 0.1, 0.1, True), 1.6),
    ],
)
def test_totals_are_the_golden_ones(
    parts: tuple[float, float, float, float, float, bool], total: float
) -> None:
    assert parts_of(*parts).total == pytest.approx(total)


@given(st.tuples(*[st.floats(-1e12, 1e12)] * 5), st.booleans())
def test_no_part_leaves_its_bounds(
    parts: tuple[float, float, float, float, float], explicit: bool
) -> None:
    found = parts_of(*parts, explicit)
    most = (0.5, 0.2, 0.3, 0.1, 0.1, 0.4)
    values = dataclasses.astuple(found)
    assert all(0 <= value <= bound for value, bound in zip(values, most, strict=True))
    assert found.total == pytest.approx(sum(values))


@for_each_row(
    ("days", "part"),
    [(0, 0.2), (73, 0.16), (182.5, 0.1), (365, 0), (366, 0), (-400, 0.2), (float("inf"), 0)],
)
def test_recency_falls_over_a_year(days: float, part: float) -> None:
    assert recency_part(days) == pytest.approx(part)


@for_each_row(
    ("written", "part"),
    [
        ("2026-11-22", 0.2),
        ("2026-11-21T19:00:00-05:00", 0.2),
        ("2026-09-10", 0.16),
        ("2026-09-10T02:00:00+02:00", 0.16),
        ("2024-01-01T00:00:00Z", 0.0),
        ("2030-01-01 12:00", 0.2),
    ],
)
def test_dates_with_and_without_a_zone_are_both_of_some_age(written: str, part: float) -> None:
    head = f"---\nmodified: {written}\n---\n"
    modified_at_s = read_frontmatter("a.md", head).fields.modified_at_s
    assert modified_at_s is not None
    assert recency_part((NOW_S - modified_at_s) / SECONDS_A_DAY) == pytest.approx(part)


@for_each_row(
    ("matches", "exact", "part"),
    [
        (0, False, 0),
        (1, False, 0.1),
        (3, False, 0.3),
        (9, False, 0.3),
        (1, True, 0.2),
        (3, True, 0.3),
    ],
)
def test_shared_concepts_add_a_tenth_each(matches: int, exact: bool, part: float) -> None:
    assert entity_part(matches, exact) == pytest.approx(part)


@for_each_row(
    ("bm25", "best", "part"),
    [(8, 8, 0.1), (4, 8, 0.05), (2, 8, 0.025), (0, 8, 0), (0, 0, 0), (9, 8, 0.1), (-1, 8, 0)],
)
def test_keywords_add_by_their_share_of_the_best(bm25: float, best: float, part: float) -> None:
    assert keyword_part(bm25, best) == pytest.approx(part)


@for_each_row(
    ("query", "source"),
    [
        ("what does the file say", "file"),
        ("FILE: blast radius", "file"),
        ("my daily notes on storage", "Daily Notes"),
        ("my daily notes on storage", "daily-notes"),
        ("see daily-notes", "Daily_Notes/"),
        ("daily notes", "Journal/Daily Notes"),
        ("in journal/daily notes", "Journal/Daily Notes"),
        ("profile and file", "file"),
        ("журнал за март", "Журнал"),
        ("STRASSE 12", "straße"),
        ("我的日记里写了什么", "日记"),
        ("このファイルの中", "ファイル"),
        ("读file的内容", "file"),
        ("daily notes", "Journal/Daily Notes/"),
        ("daily notes", "daily\uff0dnotes"),
        ("café notes", "cafe\u0301"),
    ],
)
def test_a_query_names_a_source_by_whole_words(query: str, source: str) -> None:
    assert is_named(source, folded_words(query))


@for_each_row(
    ("query", "source"),
    [
        ("my profile", "file"),
        ("files", "file"),
        ("file2", "file"),
        ("notes daily", "Daily Notes"),
        ("daily meeting notes", "Daily Notes"),
        ("журналы", "Журнал"),
        ("プロファイル", "ファイル"),
        ("नोट्स", "नोट"),
        ("ดี", "ด"),
        ("journal", "Journal/Daily Notes"),
        ("anything", ""),
        ("a - b", "-"),
        ("", "file"),
    ],
)
def test_part_of_a_word_names_no_source(query: str, source: str) -> None:
    assert not is_named(source, folded_words(query))


@given(st.lists(WORDS, max_size=4), st.lists(WORDS, min_size=1, max_size=2), st.lists(WORDS))
def test_a_source_can_be_named_anywhere_in_the_query(
    before: list[str], source: list[str], after: list[str]
) -> None:
    query = " ".join([*before, *source, *after])
    assert is_named("-".join(source), folded_words(query.upper()))


@given(st.text(), st.text())
def test_any_texts_can_be_compared(query: str, source: str) -> None:
    assert is_named(source, folded_words(query)) in (True, False)
