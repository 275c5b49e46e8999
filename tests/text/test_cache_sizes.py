"""Caches that a long-lived process fills over hours are small when they are full."""

import tracemalloc
from collections.abc import Callable

import pytest

from clew.text.terms import count_words
from clew.text.uri import to_uri


@pytest.mark.parametrize(
    ("use", "bytes_max"),
    [
        pytest.param(lambda n: to_uri(f"folder of notes/note {n}.md"), 2_000_000, id="URIs"),
        pytest.param(lambda n: count_words(f"word{n}"), 4_000_000, id="tokens"),
    ],
)
def test_a_full_cache_is_small(use: Callable[[int], object], bytes_max: int) -> None:
    tracemalloc.start()
    for number in range(30_000):
        use(number)
    kept_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept_bytes < bytes_max
