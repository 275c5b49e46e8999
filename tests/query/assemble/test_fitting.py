"""Fitting sections into a budget takes little time for as many items as a section may have."""

import pytest

from clew.query.assemble.fitting import Losses, fit, reserve, without_repeated
from clew.query.assemble.window import WindowItem
from clew.values.requests import ITEMS_MAX
from clew.values.windows.priorities import PRIORITIES
from tests.timed import check_within


def count_words(text: str) -> int:
    return len(text.split())


ITEMS = [WindowItem(f"turn {at}", "session", None, PRIORITIES[at % 4]) for at in range(ITEMS_MAX)]


def test_dropping_nearly_all_items_takes_little_time() -> None:
    losses = Losses()
    text, shown, _ = check_within(
        0.06, lambda: fit({"history": [*ITEMS]}, (), "task", 60, losses, count_words)
    )
    assert count_words(text) <= 60
    kept = [item.text for item in shown["history"]]
    assert kept == [f"turn {at}" for at in range(0, 4 * len(kept), 4)], "critical, the first ones"


def test_telling_what_a_section_takes_needs_little_time() -> None:
    words = check_within(0.06, lambda: reserve("history", ITEMS, 1_500, count_words).tokens)
    assert 1_490 < words <= 1_500


def test_the_text_of_an_item_is_hashed_once_to_find_what_repeats(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hashed: list[str] = []

    def key_of(item: WindowItem) -> bytes:
        hashed.append(item.text)
        return item.text.strip().encode()

    monkeypatch.setattr(WindowItem, "key", property(key_of))
    items = [WindowItem(text, "note") for text in ("tide", "ebb", " tide ")]
    losses = Losses()
    kept = without_repeated({"knowledge": items}, losses)
    assert (kept, losses.duplicates) == ({"knowledge": items[:2]}, 1)
    assert len(hashed) == len(items)


def test_an_item_stays_if_a_longer_one_that_is_dropped_frees_enough() -> None:
    texts = ["one " * 5, "two " * 30, "three " * 4]
    items = [WindowItem(text.strip(), "session", None, PRIORITIES[1]) for text in texts]
    losses = Losses()
    _, shown, _ = fit({"history": items}, (), "task", 30, losses, count_words)
    assert shown["history"] == [items[0], items[2]]
    assert losses.counts["history", "budget"] == 1
