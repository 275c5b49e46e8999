"""The title and aliases that Logseq keeps in properties at the top of a page."""

from clew.text.markdown.frontmatter.safe_yaml import FRONTMATTER_CHARACTERS_MAX
from tests.parsing import parse_note
from tests.tables import for_each_row


@for_each_row(
    ("text", "title", "aliases"),
    [
        ("alias:: ML, [[statistical learning]]\n\n- x", "stem", ("statistical learning", "ML")),
        ("type:: [[Topic]]\nAliases:: one,  two  words,", "stem", ("one", "two words")),
        ("alias:: [[a, b]]\n", "stem", ("a, b",)),
        ("title:: Energy/Solar\nicon:: x\n- text", "Energy/Solar", ("Energy/Solar",)),
        ("title:: Stem\n", "Stem", ()),
        ("title:: {{title}}\nalias:: <% tp.x %>\n", "stem", ()),
        # Not at the top, in a block, or no property.
        ("\nalias:: x\n", "stem", ()),
        ("- alias:: x\n", "stem", ()),
        ("text\nalias:: x\n", "stem", ()),
        ("alias::x\n", "stem", ()),
        ("alias::\n", "stem", ()),
        ("std:: vector\n", "stem", ()),
        ("---\nalias: y\n---\nalias:: x\n", "stem", ("y",)),
    ],
)
def test_properties_at_the_top_give_title_and_aliases(
    text: str, title: str, aliases: tuple[str, ...]
) -> None:
    note = parse_note("pages/stem.md", "hash", text)
    assert (note.title, note.fields.aliases) == (title, aliases)
    assert not note.problems


def test_properties_that_are_too_long_are_text() -> None:
    aliases = "alias:: one\nalias:: " + "two, " * (FRONTMATTER_CHARACTERS_MAX // 5)
    assert parse_note("pages/stem.md", "hash", aliases).fields.aliases == ("one",)
