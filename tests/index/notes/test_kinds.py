"""The kinds of a note: by its folders, tags, type and source."""

from clew.index.notes.facts import facts_of
from clew.index.notes.note_lists import Kind, kinds_of
from tests.vaults import read_note


def test_a_note_has_the_kinds_of_its_folders_tags_type_and_source() -> None:
    text = "---\ntype: Idea\ntags: [a/b]\nsource: my web\n---\n"
    common = {("idea", 0), ("a", 2), ("b", 2), ("my web", 3)}
    assert kinds_at("One/two_x/n.md", text) == common | {("one", 1), ("two x", 1)}
    assert kinds_at("caf\udce9/m.md", text) == common | {("caf\udce9", 1)}


def kinds_at(path: str, text: str) -> frozenset[Kind]:
    return kinds_of(path, facts_of(read_note(path, text)))
