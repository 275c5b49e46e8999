"""Files with a checksum are read as they were written, and no others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.disk.checked import Damaged, checked, checked_text, text_with_checksum, with_checksum
from tests.examples import examples
from tests.tables import for_each_row

# Of "abc", as FIPS 180-2 has it.
ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@given(st.binary(max_size=40), st.integers(0, 71), st.integers(1, 255))
@examples(100)
def test_bytes_with_any_byte_changed_are_damaged(content: bytes, at: int, by: int) -> None:
    data = bytearray(b"".join(with_checksum(content)))
    assert checked(bytes(data)) == content
    data[at % len(data)] ^= by
    with pytest.raises(Damaged):
        checked(bytes(data))


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), st.data())
@examples(100)
def test_text_with_any_byte_changed_is_damaged_or_reads_the_same(
    content: str, data: st.DataObject
) -> None:
    written = bytearray(text_with_checksum("body", content))
    assert checked_text("body", bytes(written)) == content
    written[data.draw(st.integers(0, len(written) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        assert checked_text("body", bytes(written)) == content
    except Damaged:
        return


@for_each_row(
    "text",
    [
        "",
        "[]",
        "{}",
        "[" * 100_000,
        f'{{"sha256": "{ABC}", "other": "abc"}}',
        f'{{"sha256": "{ABC}", "body": "abc", "other": ""}}',
        f'{{"sha256": "{ABC}", "body": ["abc"]}}',
        f'{{"sha256": "{ABC}", "body": "\\ud800"}}',
        '{"sha256": "", "body": "abc"}',
    ],
)
def test_text_of_another_form_is_damaged(text: str) -> None:
    with pytest.raises(Damaged):
        checked_text("body", text.encode())


@for_each_row(
    "text", [f'{{"sha256": "{ABC}", "body": "abc"}}', f'{{"sha256":"{ABC}","body":"abc"}}']
)
def test_files_of_earlier_versions_are_read(text: str) -> None:
    assert checked_text("body", text.encode()) == "abc"
    assert text_with_checksum("body", "abc") == f'{{"sha256": "{ABC}", "body": "abc"}}'.encode()
