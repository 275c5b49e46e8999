"""Vector search compared with plain sums over all vectors."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from usearch.compiled import MetricKind
from usearch.index import search

from clew.index import vectors
from clew.index.cosines import Cosines
from clew.index.structures.columns import Columns
from clew.index.structures.growable import GrowableArray
from clew.index.vectors import VectorIndex
from clew.values.arrays import Float64Array, Int8Array
from tests.clustered import index_of
from tests.examples import examples
from tests.stored import written
from tests.tables import for_each_row

DIMENSIONS = 4


def codes(rows: list[list[int]]) -> Int8Array:
    return np.array(rows, np.int8).reshape(-1, DIMENSIONS)


def similarities(rows: Int8Array, query: Int8Array) -> Float64Array:
    """Return the cosines with ``query``, 0 for slots without a vector."""
    wide, asked = rows.astype(np.int64), query.astype(np.int64)
    lengths = np.sqrt((wide**2).sum(axis=1) * (asked**2).sum())
    cosines = np.zeros(len(rows))
    np.divide(wide @ asked, lengths, out=cosines, where=lengths > 0)
    return cosines


# Few values, which make equal, opposite and parallel rows; and many values.
part = st.sampled_from([0, 0, 1, 2, -1, 127, -127]) | st.integers(-127, 127)
row = st.lists(part, min_size=DIMENSIONS, max_size=DIMENSIONS)
some_rows = st.lists(row, max_size=40).map(codes)
queries = row.map(lambda parts: codes([parts])[0])


@given(some_rows, st.integers(0, 40))
@examples(200)
def test_zero_and_dropped_vectors_do_not_count(rows: Int8Array, dropped: int) -> None:
    index = index_of(rows)
    index.drop(slice(0, min(dropped, len(rows))))
    assert index.count == int(rows[dropped:].any(axis=1).sum())


@given(some_rows, queries, st.integers(1, 12))
@examples(300)
def test_the_nearest_are_found_with_all_ties(rows: Int8Array, query: Int8Array, count: int) -> None:
    index = index_of(rows)
    slots, found = index.nearest(query, count)
    exact = similarities(rows, query)
    assert index.similarities(query) == pytest.approx(np.maximum(exact, 0), abs=1e-14)
    positive = np.flatnonzero(exact > 0)
    assert len(slots) == len(set(slots.tolist()))
    assert (np.diff(found) <= 0).all()
    assert found == pytest.approx(exact[slots], abs=1e-14)
    assert len(slots) >= min(count, len(positive))
    if len(positive) > count:
        bound = np.sort(exact[positive])[-count]
        assert set(positive[exact[positive] > bound + 1e-14]) <= set(slots.tolist())
        assert (exact[slots] > bound - 1e-14).all()
    alike = {rows[slot].tobytes() for slot in slots.tolist()}
    assert {n for n in range(len(rows)) if rows[n].tobytes() in alike} == set(slots.tolist())


@given(some_rows, queries, st.integers(1, 12), st.randoms(use_true_random=False))
@examples(150)
def test_results_do_not_depend_on_the_order_of_slots(
    rows: Int8Array, query: Int8Array, count: int, chance: object
) -> None:
    order = list(range(len(rows)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    slots, found = index_of(rows).nearest(query, count)
    others, again = index_of(rows[order]).nearest(query, count)
    told = sorted(zip(slots.tolist(), found.tolist(), strict=True))
    assert (
        sorted((order[n], each) for n, each in zip(others.tolist(), again.tolist(), strict=True))
        == told
    )


@for_each_row("dimensions", [1, 3, 31, 64, 256, 300])
def test_similarity_is_accurate_at_any_width(dimensions: int) -> None:
    chance = np.random.default_rng(dimensions)
    rows = chance.integers(-127, 128, (400, dimensions)).astype(np.int8)
    query = chance.integers(1, 128, dimensions).astype(np.int8)
    slots, found = index_of(rows).nearest(query, 400)
    exact = similarities(rows, query)
    assert set(slots.tolist()) == set(np.flatnonzero(exact > 0).tolist())
    assert found == pytest.approx(exact[slots], abs=1e-14)


def test_usearch_finds_the_same() -> None:
    chance = np.random.default_rng(5)
    rows = chance.integers(-127, 128, (3_000, 256)).astype(np.int8)
    queries = chance.integers(-127, 128, (20, 256)).astype(np.int8)
    index = index_of(rows)
    others: Any = search(rows, queries, 50, MetricKind.Cos, exact=True)
    for query, other in zip(queries, others, strict=True):
        slots, found = index.nearest(query, 50)
        assert found == pytest.approx(1.0 - other.distances, abs=1e-6)
        assert set(slots[:40].tolist()) <= set(other.keys.tolist())


@for_each_row("alike", [1, 3, 9, 200])
@for_each_row("count", [1, 2, 3, 8])
def test_ties_are_returned_whole_or_not_at_all(alike: int, count: int) -> None:
    rows = codes([[9, 1, 0, 0], *[[1, 1, 0, 0]] * alike, *[[0, 1, 5, 0]] * 300, [0, 0, 1, 0]])
    slots, _ = index_of(rows).nearest(codes([[1, 0, 0, 0]])[0], count)
    assert len(slots) == (1 if count == 1 else 1 + alike)


def test_slots_without_a_vector_do_not_displace_results() -> None:
    rows = np.zeros((5_000, DIMENSIONS), np.int8)
    rows[4_321] = rows[17] = (1, 2, 3, 4)
    rows[99] = (-1, -2, -3, -4)
    slots, found = index_of(rows).nearest(codes([[1, 2, 3, 4]])[0], 10)
    assert sorted(slots.tolist()) == [17, 4_321]
    assert found.tolist() == pytest.approx([1.0, 1.0])


def test_a_query_without_a_vector_finds_nothing() -> None:
    slots, found = index_of(codes([[1, 2, 3, 4]])).nearest(codes([[0, 0, 0, 0]])[0], 5)
    assert (len(slots), len(found)) == (0, 0)


def test_dead_slots_are_not_found() -> None:
    index = index_of(codes([[1, 0, 0, 0]] * 3))
    index.drop(slice(0, 2))
    assert index.nearest(codes([[1, 0, 0, 0]])[0], 5)[0].tolist() == [2]
    assert index.is_embedded.tolist() == [False, False, True]
    assert index.count == 1


def test_another_model_clears_all_vectors() -> None:
    index = index_of(codes([[1, 0, 0, 0]] * 3))
    index.set_model("m", DIMENSIONS)
    assert index.is_embedded.all()
    index.set_model("other", DIMENSIONS)
    assert not index.is_embedded.any()
    assert not index.rows(slice(0, 3)).any()
    index.set_model("other", 2)
    assert index.rows(slice(0, 3)).shape == (3, 2)
    index.extend(1)
    index.put(slice(3, 4), np.array([[5, 6]], np.int8))
    assert index.is_embedded.tolist() == [False, False, False, True]


def test_compact_keeps_vectors_in_their_new_order() -> None:
    rows = codes([[n, 1, 0, 0] for n in range(4)])
    index = index_of(rows)
    index.compact(np.array([3, 1]))
    assert np.array_equal(index.rows(slice(0, 2)), rows[[3, 1]])
    assert index.is_embedded.tolist() == [True, True]
    assert rough_ratios(index) == pytest.approx([3 / 10**0.5, 1 / 2**0.5])


def test_a_copy_has_the_ratios_of_its_own_slots() -> None:
    index = index_of(codes([[3, 1, 0, 0]]))
    earlier = index.copy()
    index.extend(1)
    index.put(slice(1, 2), codes([[1, 1, 0, 0]]))
    assert rough_ratios(earlier) == pytest.approx([3 / 10**0.5])
    assert rough_ratios(index) == pytest.approx([3 / 10**0.5, 1 / 2**0.5])


def rough_ratios(index: VectorIndex) -> list[float]:
    """Return the ratios of the first dimension with each slot."""
    ratios: list[float] = index.cosines(codes([[1, 0, 0, 0]])[0]).rough_ratios().tolist()
    return ratios


@for_each_row("shape", [(1, 4), (2, 4), (4, 4), (3, 1), (3, 3), (0, 4)])
def test_vectors_of_another_shape_are_rejected(shape: tuple[int, int]) -> None:
    """One vector is not used for all parts of a note."""
    index = index_of(codes([[1, 2, 3, 4]] * 5))
    with pytest.raises(ValueError, match="shape"):
        index.put(slice(1, 4), np.ones(shape, np.int8))


@given(
    rows=st.lists(st.tuples(*[st.integers(-127, 127)] * DIMENSIONS), max_size=8),
    stored_at=st.sets(st.integers(0, 8)),
    late=st.sets(st.integers(0, 7)),
    is_last_first=st.booleans(),
    query=st.tuples(*[st.integers(-127, 127)] * DIMENSIONS),
)
@examples(100)
def test_stored_vectors_are_found_like_others(
    rows: list[tuple[int, ...]],
    stored_at: set[int],
    late: set[int],
    is_last_first: bool,
    query: tuple[int, ...],
) -> None:
    """The index is stored after some of the slots; ``late`` slots get their vectors at the end."""
    plain, index = VectorIndex(), VectorIndex()
    plain.set_model("m", DIMENSIONS)
    index.set_model("m", DIMENSIONS)
    for slot, row in enumerate(rows):
        if slot in stored_at:
            index = VectorIndex.read(written(index.columns()))
        for each in (plain, index):
            each.extend(1)
            if slot not in late:
                each.put(slice(slot, slot + 1), codes([list(row)]))
    for slot in sorted(late & set(range(len(rows))), reverse=is_last_first):
        for each in (plain, index):
            each.put(slice(slot, slot + 1), codes([list(rows[slot])]))
    if len(rows) in stored_at:
        index = VectorIndex.read(written(index.columns()))
    whole = slice(0, len(rows))
    assert np.array_equal(index.rows(whole), plain.rows(whole))
    backwards = np.arange(len(rows))[::-1]
    assert np.array_equal(index.rows_at(backwards), plain.rows(whole)[::-1])
    assert index.count == plain.count
    asked = codes([list(query)])[0]
    assert np.array_equal(index.similarities(asked), plain.similarities(asked))
    for start in range(len(rows)):
        assert np.array_equal(index.rows(slice(start, start + 1)), codes([list(rows[start])]))


@pytest.mark.parametrize("dimensions", [255, 1_024, 1_041, 1_101])
def test_products_are_exact_for_models_of_any_size(dimensions: int) -> None:
    """Those of 1,041 dimensions may be odd numbers above 2**24, which float32 cannot hold."""
    rows = np.full((3, dimensions), 127, np.int8)
    rows[1], rows[2, 0] = -128, 126
    index = VectorIndex()
    index.set_model("m", dimensions)
    index.extend(len(rows))
    index.put(slice(0, len(rows)), rows)
    wide = rows.astype(np.int64)
    for query, exact in zip(rows, wide, strict=True):
        products, pieces = index.comparing(query)
        for fill in pieces:
            fill()
        assert products.astype(np.int64).tolist() == (wide @ exact).tolist()


def test_ratios_that_float32_takes_for_equal_are_told_apart() -> None:
    lengths = 10.0 * np.array([1.0, 1.0 + 1e-9, 1.0 - 1e-9, 2.0])
    inverses = (1.0 / lengths).astype(np.float32)
    cosines = Cosines(np.full(4, 1_000, np.float32), lengths, inverses, 1.0, np.ones(4, np.bool_))
    rough = cosines.rough_ratios()
    assert rough[:3].tolist() == [100.0] * 3
    assert cosines.at_least(100.0, rough).tolist() == [0, 2]
    assert cosines.at_least(float(1_000 / lengths[1]), rough).tolist() == [0, 1, 2]


@given(some_rows, queries, st.integers(0, 40), st.integers(0, 40), st.booleans())
@examples(200)
def test_slots_with_a_high_ratio_are_found_exactly(
    rows: Int8Array, query: Int8Array, stored: int, place: int, are_shared: bool
) -> None:
    index = VectorIndex.read(written(index_of(rows[:stored]).columns()))
    late = rows[stored:]
    index.extend(len(late))
    index.put(slice(len(rows) - len(late), len(rows)), late)
    wide = rows.astype(np.int64)
    lengths = np.sqrt((wide**2).sum(axis=1))
    exact = np.zeros(len(rows))
    np.divide(wide @ query.astype(np.int64), lengths, out=exact, where=lengths > 0)
    positive = exact[exact > 0]
    least = float(positive[place % len(positive)]) if len(positive) else 1.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vectors, "SHARED_SLOTS_MIN", 1 if are_shared else 1_000)
        cosines = index.cosines(query)
    found = cosines.at_least(least, cosines.rough_ratios())
    assert found.tolist() == (exact >= least).nonzero()[0].tolist()


def stored_without_vectors(slots: int, without: int) -> VectorIndex:
    """Return a stored index of so many slots, of which the last have no vectors yet."""
    index = VectorIndex()
    index.set_model("m", 256)
    index.extend(slots)
    index.put(slice(0, slots - without), np.ones((slots - without, 256), np.int8))
    return VectorIndex.read(written(index.columns()))


def test_the_vectors_of_a_new_note_do_not_bring_all_others_into_memory() -> None:
    index = stored_without_vectors(20_000, 10)
    tracemalloc.start()
    index.put(slice(19_990, 20_000), np.ones((10, 256), np.int8))
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 1_000_000  # 180 KB are lengths and marks


def test_late_vectors_are_set_where_more_are_in_memory_than_stored() -> None:
    index = stored_without_vectors(3, 3)
    index.extend(5)
    rows = np.arange(8 * 256).reshape(8, 256).astype(np.int8)
    for at in range(8):
        index.put(slice(at, at + 1), rows[at : at + 1])
    assert np.array_equal(index.rows(slice(0, 8)), rows)


def test_compacting_stored_vectors_takes_memory_for_them_twice() -> None:
    index = stored_without_vectors(20_000, 0)
    index.extend(2_000)
    index.put(slice(20_000, 22_000), np.full((2_000, 256), 2, np.int8))
    before = index.copy()
    kept = np.delete(np.arange(22_000), np.arange(0, 22_000, 10))
    tracemalloc.start()
    index.compact(kept)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert np.array_equal(index.rows(slice(0, len(kept))), before.rows_at(kept))
    assert peak_bytes < 2.3 * 256 * len(kept)


def test_late_vectors_are_copied_a_few_times_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[int] = []
    extend = GrowableArray.extend

    def count(array: GrowableArray, rows: Int8Array) -> int:
        copied.append(len(rows))
        return extend(array, rows)

    index = stored_without_vectors(1_000, 1_000)
    monkeypatch.setattr(GrowableArray, "extend", count)
    for slot in reversed(range(1_000)):
        index.put(slice(slot, slot + 1), np.ones((1, 256), np.int8))
    assert sum(copied) < 4_000
    assert index.is_embedded.all()


def test_inconsistent_stored_vectors_are_rejected() -> None:
    columns = written(index_of(codes([[1, 2, 3, 4]] * 2)).columns())
    for name in ("rows", "lengths", "isEmbedded", "model"):
        cut = {**columns.parts, name: columns.parts[name][:-1]}
        with pytest.raises(ValueError):  # noqa: PT011 - each has a message of its own
            VectorIndex.read(Columns(cut))
