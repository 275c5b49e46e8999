"""The LRU cache compared with a list of (key, value) in order of use."""

from hypothesis import example, given
from hypothesis import strategies as st

from clew.index.structures.lru import CacheCounts, LruCache

SIZE_MAX = 6
KEYS = st.sampled_from("abcde")
CALLS = st.lists(st.one_of(st.tuples(KEYS, st.none()), st.tuples(KEYS, st.integers(1, 8))))


def cache_of_sizes() -> LruCache[str, int]:
    """Return a cache whose values are their own sizes."""
    return LruCache(SIZE_MAX, lambda value: value)


@example([("a", 1), ("b", 1), ("a", None), ("c", 5)])
@example([("a", 3), ("b", 3), ("a", 1), ("c", 2)])
@given(CALLS)
def test_the_cache_behaves_as_a_list_in_order_of_use(calls: list[tuple[str, int | None]]) -> None:
    """A call without a value is a ``get``."""
    cache, expected = cache_of_sizes(), list[tuple[str, int]]()
    for key, value in calls:
        cached = dict(expected).get(key)
        if value is None:
            assert cache.get(key) == cached
        else:
            cache.put(key, value)
        latest = cached if value is None else value
        if latest is not None:
            expected = [entry for entry in expected if entry[0] != key] + [(key, latest)]
        while len(expected) > 1 and sum(size for _, size in expected) > SIZE_MAX:
            del expected[0]
        assert list(cache) == [key for key, _ in expected]


def test_hits_and_misses_are_counted_and_outlast_a_clear() -> None:
    cache = cache_of_sizes()
    cache.get("a")
    cache.put("a", 1)
    cache.get("a")
    cache.clear()
    cache.get("a")
    assert (cache.counts, len(cache)) == (CacheCounts(1, 2), 0)


def test_sizes_start_from_zero_after_a_clear() -> None:
    cache = cache_of_sizes()
    cache.put("a", SIZE_MAX)
    cache.clear()
    cache.put("b", 1)
    cache.put("c", SIZE_MAX - 1)
    assert list(cache) == ["b", "c"]


def test_the_latest_value_is_kept_even_if_it_is_too_large() -> None:
    cache = cache_of_sizes()
    cache.put("a", 1)
    cache.put("b", SIZE_MAX + 1)
    assert list(cache) == ["b"]


def test_a_copy_and_its_original_change_apart() -> None:
    cache = cache_of_sizes()
    cache.put("a", 2)
    cache.put("b", 3)
    copy = cache.copy()
    copy.remove("a")
    copy.remove("c")
    copy.put("d", 3)
    cache.put("e", 1)
    assert (list(copy), list(cache)) == (["b", "d"], ["a", "b", "e"])
