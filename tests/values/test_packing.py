"""Packing and unpacking values with any characters."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import Struct

from clew.values.packing import Unpacker, pack


class Inner(Struct, frozen=True, array_like=True):
    text: str
    number: float = 0.0


class Tagged(Struct, frozen=True, array_like=True, tag=True):
    inner: tuple[Inner, ...]
    names: frozenset[str]
    table: dict[str, int]
    data: bytes
    maybe: str | None = None
    by_number: dict[int, str] = {}


class Other(Struct, frozen=True, array_like=True, tag=True):
    text: str


REFUSED = ValueError
unpack: Unpacker[Tagged | Other] = Unpacker(Tagged | Other)

# Python has the surrogates U+DC80 to U+DCFF for bytes of a file's name that are not UTF-8.
texts = st.text(st.characters() | st.sampled_from("\udc80\udcff\U0001f600\x00"), max_size=8)
inners = st.builds(Inner, texts, st.floats(allow_nan=False))
tagged = st.builds(
    Tagged,
    st.lists(inners, max_size=3).map(tuple),
    st.frozensets(texts, max_size=3),
    st.dictionaries(texts, st.integers(-(2**63), 2**63 - 1), max_size=3),
    st.binary(max_size=20),
    st.none() | texts,
    st.dictionaries(st.integers(-(2**63), 2**63 - 1), texts, max_size=2),
)
values = tagged | st.builds(Other, texts)


@given(value=values)
@example(Other("\udce9.md"))
@example(Other("\udcf0\udc9f\U0001f600"))
@example(Tagged((), frozenset({"\udc80"}), {"\udc80": 1}, b"\x00\xff"))
def test_a_packed_value_is_unpacked(value: Tagged | Other) -> None:
    for data in (pack(value), memoryview(pack(value))):
        back = unpack(data)
        assert back == value
        assert type(back) is type(value)


@given(text=st.text(), data=st.binary())
def test_a_value_without_lone_surrogates_is_packed_as_messagepack(text: str, data: bytes) -> None:
    value = Tagged((Inner(text),), frozenset(), {}, data)
    assert pack(value)[:1] == b"\x00"
    assert len(pack(value)) < 60 + len(text.encode()) + len(data)


@given(junk=st.binary(max_size=100) | values.map(lambda value: pack(value)[1:]))
@example(b"")
@example(b"\x00")
@example(b"\x01")
@example(b"\x01nul")
@example(b"\x07" + pack(Other("packed otherwise"))[1:])
@example(b"\x01\xff")
@example(b"\x01[NaN]")
@example(b"\x01" + b"[" * 100_000)
@example(b"\x00" + b"\x91" * 100_000)
@example(b"\x00\xdd\xff\xff\xff\xff")
@example(pack({"some": "thing"}))
@example(pack(Inner("untagged")))
@example(pack(["Other", 5]))
@example(pack(["Stranger", ""]))
def test_bytes_that_pack_did_not_make_are_refused(junk: bytes) -> None:
    with pytest.raises(REFUSED):
        unpack(junk)


@given(value=values, data=st.data())
def test_truncated_bytes_are_refused(value: Tagged | Other, data: st.DataObject) -> None:
    packed = pack(value)
    with pytest.raises(REFUSED):
        unpack(packed[: data.draw(st.integers(0, len(packed) - 1))])
