"""Reading a note by any of its names, either all of it or some lines."""

import pytest

from clew.query.notes import read
from clew.query.slices import finished
from clew.query.suggest import with_similar_names
from clew.values import requests
from clew.values.errors import InvalidParams, NotFound
from tests.query.notes.vault import VAULT
from tests.vaults import snapshot_of


@pytest.mark.parametrize("question", ["memory://sub/Topic.md", "sub/Topic.md", "topic", "Thing"])
def test_a_note_is_found_by_uri_path_name_and_alias(question: str) -> None:
    reply = read.read(snapshot_of(VAULT), requests.Read(uri=question))
    assert reply.uri == "memory://sub/Topic.md"
    assert reply.metadata.tags == ("a/b", "c")


def test_lines_are_counted_from_one_and_cut_at_the_end() -> None:
    reply = read.read(
        snapshot_of({"a.md": "one\ntwo\nthree\n"}), requests.Read(uri="a.md", lines=(2, 9))
    )
    assert (reply.content, reply.lines, reply.total_lines) == ("two\nthree", (2, 3), 3)


@pytest.mark.parametrize("lines", [(3, 2), (9, 9)])
def test_lines_after_the_end_are_an_error(lines: tuple[int, int]) -> None:
    with pytest.raises(InvalidParams):
        read.read(snapshot_of({"a.md": "one\n"}), requests.Read(uri="a.md", lines=lines))


def test_a_missing_note_gives_similar_names() -> None:
    snapshot = snapshot_of(VAULT)
    with pytest.raises(NotFound) as caught:
        read.read(snapshot, requests.Read(uri="memory://Indx.md"))
    assert finished(with_similar_names(snapshot, caught.value)).hint == "close to it: Index"
