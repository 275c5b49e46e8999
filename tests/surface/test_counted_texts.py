"""Long texts that ``rank`` shows again are not counted again."""

import tracemalloc

import pytest

from clew.surface.server.answers import ranking
from clew.text import tokens
from tests.tables import for_each_row

LONG = "the tide turns twice a day, \udce9 and again. " * 20


@for_each_row("text", [LONG, LONG[:-1], LONG[: ranking.COUNT_KEPT_FROM], LONG[:40], ""])
def test_a_text_has_as_many_tokens_as_when_it_was_counted(text: str) -> None:
    expected = tokens.count_tokens(text)
    assert [ranking.cached_count(text), ranking.cached_count(text)] == [expected] * 2


def test_a_long_text_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    count = ranking.cached_count(LONG)
    monkeypatch.setattr(tokens, "count_tokens", len)
    assert ranking.cached_count(LONG) == count
    assert ranking.cached_count(LONG[:40]) == 40


def test_the_counts_of_many_texts_take_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "count_tokens", len)
    tracemalloc.start()
    for number in range(10_000):
        ranking.cached_count(f"{number} {LONG}")
    kept_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept_bytes < 1_000_000
