"""Relative link targets, made independent of the note that holds them."""

from clew.text.filename import absolute_target
from tests.parsing import parse_note
from tests.tables import for_each_row


@for_each_row(
    ("target", "source", "absolute"),
    [
        ("./b", "x/a.md", "/x/b"),
        ("../b", "x/y/a.md", "/x/b"),
        ("../../../b", "x/a.md", "/b"),
        ("b", "x/a.md", None),
        ("/b", "x/a.md", None),
        ("", "x/a.md", None),
        ("./b", "a.md", "/b"),
        ("./", "x/a.md", "/x/"),
        (".//b", "x/a.md", "/x/b"),
        ("/x//b", "a.md", "/x/b"),
        ("//b//", "a.md", "/b/"),
        ("x//b", "a.md", None),
    ],
)
def test_relative_targets_and_those_with_empty_folders_have_an_absolute_form(
    target: str, source: str, absolute: str | None
) -> None:
    assert absolute_target(target, source) == absolute


@for_each_row("text", ["[[{}]]", "![[{}|x]]", "[x]({}.md)", '---\nup: "[[{}]]"\n---\n'])
@for_each_row(
    ("target", "canonical"), [("./b", "/x/y/b"), ("../b", "/x/b"), ("x/b", "x/b"), ("b", "b")]
)
def test_every_kind_of_link_knows_its_canonical_target(
    text: str, target: str, canonical: str
) -> None:
    (link,) = parse_note("x/y/a.md", "", text.format(target)).links
    assert link.canonical_target.removesuffix(".md") == canonical
