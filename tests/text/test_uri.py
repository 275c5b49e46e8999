"""URIs of notes."""

import os
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.uri import SCHEME, from_uri, to_concept_uri, to_uri
from tests.examples import examples
from tests.tables import for_each_row

SAFE = "abcXYZ019/!$&'()*+,;=:@-._~"


@for_each_row(
    ("path", "uri"),
    [
        ("note.md", "memory://note.md"),
        ("a b/c%d.md", "memory://a%20b/c%25d.md"),
        ("q?r#s.md", "memory://q%3Fr%23s.md"),
        ("é.md", "memory://é.md"),
        ("潮 汐/\u202ea\u200b.md", "memory://潮%20汐/%E2%80%AEa%E2%80%8B.md"),
        ("[x].md", "memory://%5Bx%5D.md"),
        ("caf\udce9.md", "memory://caf%E9.md"),
        (SAFE, f"memory://{SAFE}"),
    ],
)
def test_a_path_has_the_uri(path: str, uri: str) -> None:
    assert to_uri(path) == uri


def test_characters_of_ascii_are_quoted_as_they_are_elsewhere() -> None:
    ascii_text = "".join(map(chr, range(128)))
    assert to_uri(ascii_text) == SCHEME + quote(ascii_text, safe="/!$&'()*+,;=:@-._~")


@given(st.binary().map(os.fsdecode))
@examples(300)
def test_a_uri_leads_back_to_its_path_whatever_its_bytes(path: str) -> None:
    uri = to_uri(path)
    assert uri.isprintable()
    assert " " not in uri
    assert from_uri(uri) == from_uri(quoted_whole(path)) == path


def quoted_whole(path: str) -> str:
    """Return the URI with all that is not ASCII percent-encoded."""
    return SCHEME + quote(os.fsencode(path))


@pytest.mark.parametrize(
    ("name", "uri"),
    [("c#", "concept://c%23"), ("潮汐", "concept://潮汐"), ("50%", "concept://50%25")],
)
def test_a_concept_has_the_uri(name: str, uri: str) -> None:
    assert to_concept_uri(name) == uri


def test_text_without_the_scheme_is_a_path() -> None:
    assert from_uri("a%20b.md") == "a%20b.md"
