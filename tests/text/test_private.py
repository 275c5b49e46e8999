"""Whether a note is private, by its front matter: what is unclear counts as private."""

from clew.text.markdown.private import HEAD_CHARACTERS_MAX, seems_private
from tests.tables import for_each_row
from tests.vaults import note_from_bytes

READ = {  # the line of front matter -> whether the note is private
    "private: true": True,
    "Private: Yes": True,
    "private: on": True,
    "private: false": False,
    "private: no": False,
    "private:": False,
    "privately: true": False,
    "nested: {private: true}": False,
    "private: maybe": True,  # a problem
    "private: [true]": True,  # a problem
}
UNREADABLE = {  # with a line that is no YAML
    "private: true": True,
    '"private": yes': True,
    "PRIVATE :  'true'": True,
    "private: false": False,
    "private: no # yes": False,
    "private:": False,
    "private: # true": False,
    "not private: true": False,
}


@for_each_row(("line", "is_private"), READ.items())
def test_the_key_decides(line: str, is_private: bool) -> None:
    note = note_from_bytes("a.md", f"---\n{line}\n---\nprivate: true\n".encode())
    assert note.fields.private is is_private
    is_wrong = line.endswith(("maybe", "]"))
    assert [problem.code for problem in note.problems] == ["fieldInvalid"] * is_wrong


@for_each_row(("line", "is_private"), UNREADABLE.items())
@for_each_row("form", ["---\ntags: [x\n{}\n---\n", "---\na: b: c\n{}\n---", "---\na: b\n{}"])
def test_a_line_decides_where_front_matter_cannot_be_read(
    line: str, is_private: bool, form: str
) -> None:
    note = note_from_bytes("a.md", form.format(line).encode())
    assert note.problems
    assert note.fields.private is is_private


def test_only_front_matter_is_searched() -> None:
    assert not seems_private("private: true\n")
    assert not seems_private("---\na: b\n---\nprivate: true\n")
    assert not seems_private("---\na: b\n\nprivate: true\n")
    assert not seems_private("---\n" + "a: b\n" * HEAD_CHARACTERS_MAX + "private: true\n---\n")
    assert seems_private("---\n" + "a: b\n" * 13_000 + "private: true\n---\n")
