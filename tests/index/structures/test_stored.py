"""Stored tables, maps and records are compared with plain lists and dicts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from clew.index.structures import columns as columns_module
from clew.index.structures.columns import array_column, file_pieces, split_file
from clew.index.structures.layered_map import LayeredMap
from clew.index.structures.records import NEW, Records, record_columns
from clew.index.structures.stored_map import (
    Rows,
    StoredMap,
    joined_lists,
    list_columns,
    map_columns,
    read_lists,
    read_map,
    value_columns,
    values_of,
)
from clew.index.structures.string_table import (
    GrowingStrings,
    StringIds,
    StringTable,
    grown,
    string_columns,
)
from tests.examples import examples
from tests.stored import written

# "plumless" and "buckeroo" have the same CRC-32.
KEYS = ["", "a", "b", "plumless", "buckeroo", "\udc80", "😀", "é", "a b", "\n"]
keys = st.sampled_from(KEYS)


def decoded(data: memoryview) -> str:
    return str(data, "utf-8")


class MapMachine(RuleBasedStateMachine):
    """A map that is stored now and then, beside a dict; copies that must not change."""

    def __init__(self) -> None:
        super().__init__()
        self.map: LayeredMap[str, str] = LayeredMap()
        self.expected: dict[str, str] = {}
        self.held: list[tuple[LayeredMap[str, str], dict[str, str]]] = []

    @rule(key=keys, value=st.text("xyz", min_size=1))
    def put(self, key: str, value: str) -> None:
        self.map[key] = self.expected[key] = value

    @rule(key=keys)
    def drop(self, key: str) -> None:
        self.map.pop(key, None)
        self.expected.pop(key, None)

    @rule()
    def store(self) -> None:
        self.map = read_map(written(map_columns(self.map, str.encode)), decoded)

    @rule()
    def store_without_keys(self) -> None:
        """Store the values by row of a table of keys, of which some rows are not live."""
        texts = GrowingStrings()
        for key in KEYS[::2] + KEYS:
            texts.append(key)
        live = {key: len(KEYS[::2]) + n for n, key in enumerate(KEYS) if key in self.expected}
        is_live = np.zeros(len(texts), np.bool_)
        is_live[list(live.values())] = True
        rows = Rows(texts, len(texts), live.get)
        table = StringTable(written(texts.columns(len(texts), is_live)))
        for _ in range(2):  # the second time, records of the first are copied
            values = Records(written(value_columns(self.map, str.encode, rows)))
            self.map = LayeredMap(StoredMap(table, values, decoded, cache_bytes=3))
            rows = Rows(GrowingStrings(table), len(texts), live.get)

    @rule()
    def hold(self) -> None:
        self.held = [*self.held[-2:], (self.map.copy(), dict(self.expected))]

    @invariant()
    def values_of_several_keys_are_those_of_each(self) -> None:
        for asked in (set(KEYS), set(KEYS[:4]), set[str]()):
            expected = [self.expected[key] for key in asked & self.expected.keys()]
            assert sorted(values_of(self.map, asked)) == sorted(expected)

    @invariant()
    def equals_the_dict(self) -> None:
        assert dict(self.map) == self.expected
        assert len(self.map) == len(self.expected)
        for key in [*KEYS, "other"]:
            assert self.map.get(key) == self.expected.get(key)
            assert (key in self.map) == (key in self.expected)
        for held, expected in self.held:
            assert dict(held) == expected


MapMachine.TestCase.settings = examples(80, stateful_step_count=20)
TestMap = MapMachine.TestCase


class IdsMachine(RuleBasedStateMachine):
    """Numbers of strings, beside a list."""

    def __init__(self) -> None:
        super().__init__()
        self.ids = StringIds()
        self.expected: list[str] = []

    @rule(text=keys)
    def add(self, text: str) -> None:
        if text not in self.expected:
            self.expected.append(text)
        assert self.ids.add(text) == self.expected.index(text)

    @rule(texts=st.lists(keys))
    def add_all(self, texts: list[str]) -> None:
        self.expected += [text for text in dict.fromkeys(texts) if text not in self.expected]
        assert self.ids.add_all(texts) == list(map(self.expected.index, texts))

    @rule(count=st.integers(0, len(KEYS)))
    def store(self, count: int) -> None:
        """Store the first strings only, as an earlier copy does."""
        count = max(min(count, len(self.expected)), self.ids.texts.first_later)
        self.expected = self.expected[:count]
        self.ids = StringIds(StringTable(written(self.ids.texts.columns(count))))

    @invariant()
    def equals_the_list(self) -> None:
        assert list(self.ids.texts) == self.expected
        assert self.ids.texts.first(3) == self.expected[:3]
        if self.ids.texts.base is not None:
            assert self.ids.texts.base.texts() == self.expected[: self.ids.texts.first_later]
        for place, text in enumerate(self.expected):
            assert self.ids.texts[place] == text
        for text in [*KEYS, "other"]:
            number = self.expected.index(text) if text in self.expected else None
            assert self.ids.get(text) == number


IdsMachine.TestCase.settings = examples(50, stateful_step_count=20)
TestIds = IdsMachine.TestCase


@given(data=st.data(), base=st.lists(st.binary(max_size=3), max_size=8))
@examples(100)
def test_records_are_copied_or_new(data: st.DataObject, base: list[bytes]) -> None:
    first = np.full(len(base), NEW)
    stored = Records(written(record_columns(None, first, base)))
    source = st.integers(NEW, len(base) - 1)
    sources = data.draw(st.lists(source, max_size=10) | st.just(list(range(len(base)))))
    new = [bytes([n]) * data.draw(st.integers(0, 2)) for n in range(sources.count(NEW))]
    waiting = iter(new)
    expected = [next(waiting) if number == NEW else base[number] for number in sources]
    again = Records(written(record_columns(stored, np.array(sources, np.int64), new)))
    assert [bytes(again.raw(number)) for number in range(len(again))] == expected


@given(
    before=st.dictionaries(st.integers(0, 5), st.lists(st.integers(0, 9), min_size=1)),
    changes=st.dictionaries(st.integers(0, 7), st.lists(st.integers(0, 9))),
)
@examples(60)
def test_lists_are_stored_by_number(
    before: dict[int, list[int]], changes: dict[int, list[int]]
) -> None:
    lists: LayeredMap[int, object] = LayeredMap(
        {key: np.array(numbers, np.intc).data for key, numbers in before.items()}
    )
    lists = read_lists(written(list_columns(lists, 6)))
    for key, numbers in changes.items():
        if numbers:
            lists[key] = np.array(numbers, np.intc).data
        else:
            lists.pop(key, None)
    expected = {key: numbers for key, numbers in {**before, **changes}.items() if numbers}
    for _ in range(2):
        assert {key: list(lists[key]) for key in lists} == expected  # type: ignore[call-overload]
        assert len(lists) == len(expected)
        assert lists.get(8) is None
        asked = [expected.get(key, []) for key in (7, 0, 8, 3, 3)]
        lengths, joined = joined_lists(lists, np.array([7, 0, 8, 3, 3]))
        assert lengths.tolist() == list(map(len, asked))
        assert joined.tolist() == [number for numbers in asked for number in numbers]
        lists = read_lists(written(list_columns(lists, 8)))


def test_rows_that_are_not_live_are_not_found() -> None:
    columns = string_columns(None, grown(None, 3), ["a", "b", "a"], np.array([False, True, True]))
    table = StringTable(written(columns))
    assert (table["a"], table["b"], table.text(0)) == (2, 1, "a")
    assert (len(table), table.row_count, list(table)) == (2, 3, ["b", "a"])


def test_likely_strings_have_the_checksum_of_a_live_row() -> None:
    texts = GrowingStrings()
    for text in ("plumless", "a", "gone"):
        texts.append(text)
    table = StringTable(written(texts.columns(3, np.array([True, True, False]))))
    assert table.likely(["gone", "buckeroo", "x", "a", "plumless"]) == ["buckeroo", "a", "plumless"]


def test_strings_found_lately_are_forgotten_and_found_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("clew.index.structures.string_table.RECENT_MAX", 2)
    ids = StringIds(StringTable(written(string_columns(None, grown(None, 10), KEYS))))
    assert ids.add_all(KEYS * 2) == [*range(10)] * 2


# -- files of columns ---------------------------------------------------------------------------


@given(parts=st.dictionaries(st.text("abc."), st.lists(st.binary(max_size=50))))
@examples(60)
def test_columns_are_read_as_they_were_written(parts: dict[str, list[bytes]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns_module, "PIECE_BYTES", 20)
        pieces = list(file_pieces(parts.items()))
    columns = split_file(memoryview(b"".join(pieces)))
    assert {name: bytes(data) for name, data in columns.parts.items()} == {
        name: b"".join(each) for name, each in parts.items()
    }
    assert max(map(len, pieces[:-1]), default=0) < 20 + 50 + 64


def test_arrays_are_used_where_they_are() -> None:
    data = memoryview(b"".join(file_pieces([("odd", [b"x"]), array_column("a.n", np.arange(3))])))
    found = split_file(data).of("a").array("n", "<i8")
    assert found.tolist() == [0, 1, 2]
    assert np.shares_memory(found, np.frombuffer(data, np.uint8))
    assert found.ctypes.data % 8 == np.frombuffer(data, np.uint8).ctypes.data % 8
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 1


def test_two_columns_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two columns"):
        list(file_pieces([("a", []), ("a", [])]))


def test_decoded_values_are_kept_up_to_a_bound() -> None:
    decodes = []

    def decode(data: memoryview) -> str:
        decodes.append(decoded(data))
        return decodes[-1]

    plain: LayeredMap[str, str] = LayeredMap({key: key * 2 for key in "abcd"})
    columns = written(map_columns(plain, str.encode))
    table, values = StringTable(columns.of("keys")), Records(columns.of("values"))
    stored = StoredMap(table, values, decode, cache_bytes=6)
    for key in "abcabcd":
        assert stored[key] == key * 2
    assert decodes == ["aa", "bb", "cc", "dd"]
    assert stored["a"] == "aa"
    assert decodes == ["aa", "bb", "cc", "dd", "aa"]
