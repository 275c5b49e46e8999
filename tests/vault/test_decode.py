"""Decoding notes: encodings, invalid bytes, binary files."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.vault.read import Decoded, decode
from tests.examples import examples
from tests.tables import for_each_row
from tests.vaults import note_from_bytes

BOMS = {
    "utf-8": b"\xef\xbb\xbf",
    "utf-16-le": b"\xff\xfe",
    "utf-16-be": b"\xfe\xff",
    "utf-32-le": b"\xff\xfe\0\0",
    "utf-32-be": b"\0\0\xfe\xff",
}
plain_text = st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"]))


@given(st.sampled_from(sorted(BOMS)), plain_text.filter(lambda text: not text.startswith("\ufeff")))
@examples(300)
def test_the_byte_order_mark_gives_the_encoding(encoding: str, text: str) -> None:
    data = BOMS[encoding] + text.encode(encoding)
    assert decode(data) == Decoded(text, "", None, is_binary=False)


@given(plain_text.filter(lambda text: not text.startswith("\ufeff")))
@examples()
def test_text_without_a_byte_order_mark_is_utf_8(text: str) -> None:
    assert decode(text.encode()) == Decoded(text, "", None, is_binary=False)


def test_line_ends_of_every_system_become_line_feeds() -> None:
    assert decode(b"a\r\nb\rc\n\rd\v\fe").text == "a\nb\nc\n\nd\v\fe"


@pytest.mark.parametrize(
    ("data", "text", "line"),
    [
        (b"caf\xe9 [[x]]", "caf\ufffd [[x]]", 1),
        (b"a\nb\n\xff\nc\n\xff", "a\nb\n\ufffd\nc\n\ufffd", 3),
        (b"a\r\n\xc3", "a\n\ufffd", 2),
        ("a damaged note".encode("utf-16") + b"b", "a damaged note\ufffd", 1),
        (b"\xef\xbb\xbf\xff", "\ufffd", 1),
    ],
)
def test_invalid_bytes_are_replaced_and_their_first_line_reported(
    data: bytes, text: str, line: int
) -> None:
    decoded = decode(data)
    assert (decoded.text, decoded.line, decoded.is_binary) == (text, line, False)
    assert decoded.damage


def test_a_few_nul_bytes_are_replaced() -> None:
    assert decode(b"a\0b" + b" text" * 10).text == "a\ufffdb" + " text" * 10


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40,
        "no mark".encode("utf-16-le"),
        b"\0" * 100,
        b"%PDF\0" + bytes(range(9)) * 50,
    ],
)
def test_binary_files_are_recognized(data: bytes) -> None:
    assert decode(data).is_binary
    note = note_from_bytes("a/b.md", data)
    assert (note.name_only, note.title, note.text) == (True, "b", "")
    assert [p.code for p in note.problems] == ["binary"]


def test_invalid_bytes_are_a_problem_of_the_note() -> None:
    note = note_from_bytes("a.md", b"x\ncaf\xe9 [[y]]")
    assert [(p.code, p.line) for p in note.problems] == [("encoding", 2)]
    assert [link.target for link in note.links] == ["y"]


@for_each_row("mark", [b"", *BOMS.values()])
def test_front_matter_is_found_after_a_byte_order_mark_with_any_line_ends(mark: bytes) -> None:
    encoding = next((name for name, bom in BOMS.items() if bom == mark), "utf-8")
    note = note_from_bytes("a.md", mark + "---\r\ntitle: t\r\n---\r\n[[x]]".encode(encoding))
    assert note.fields.title == "t"
    assert [(link.target, link.line) for link in note.links] == [("x", 4)]


@given(st.sampled_from([b"", *BOMS.values()]), st.binary())
@examples(500)
def test_any_bytes_give_a_note_and_always_the_same(mark: bytes, tail: bytes) -> None:
    data = mark + tail
    note = note_from_bytes("a.md", data)
    assert note == note_from_bytes("a.md", data)
    assert note.content_hash == hashlib.sha256(data).hexdigest()
    assert not set("\0\r") & set(note.text)
