"""Lines that tell a reader nothing, and where the text goes on below them."""

from clew.text.regions.noise import LINE_CHARACTERS_MAX, has_text, is_noise
from clew.text.regions.sections import has_more_after, has_more_before
from tests.tables import for_each_row

BLOCK_ID = "id:: 65e6f1a2-1111-4222-8333-abcdefabcdef"
KEPT = (
    BLOCK_ID,
    "collapsed:: true",
    "heading:: 2",
    "created-at:: 1621908710666",
    "card-repeats:: 3",
    "ls-type:: annotation",
    "CLOCK: [2024-03-01 Fri 10:00:00]",
)


BASES = ("![[Books.base]]", "![[Books.base#Genre]]", "![[a/Books.base|shown]]")


@for_each_row(
    "line", [*KEPT, *BASES, "---", "[a]: https://example.org", "<br>", "%% later %%", "-"]
)
def test_noise_is_no_text_wherever_it_stands(line: str) -> None:
    for each in (line, f"  {line}", f"{line}\n\n{line}", f"#seed\n{line}"):
        assert not has_text(each), each
    assert is_noise(line)


@for_each_row(
    "line",
    [
        "![[a.png]]",
        "[[a.base]]",
        "![[a.base]] b",
        "![[a.bases]]",
        "id:: later",
        "collapsed:: maybe",
        "created-at:: noon",
        "CLOCK: late",
        "identity",
        "3 feet",
    ],
)
def test_a_line_that_only_begins_like_noise_is_text(line: str) -> None:
    assert not is_noise(line)
    for each in (line, f"  {line}", f"{BLOCK_ID}\n{line}"):
        assert has_text(each), each


def test_a_very_long_line_is_text() -> None:
    line = f"ls-type:: {'a' * LINE_CHARACTERS_MAX}"
    assert has_text(line)


@for_each_row("line", KEPT)
def test_a_section_ends_above_what_a_program_keeps(line: str) -> None:
    for indent in ("", "  "):
        assert not has_more_after(f"- one\n{indent}{line}\n\n# Next\n\nText.\n", 5)
        assert has_more_after(f"- one\n{indent}{line}\n- two\n", 5)


def test_a_comment_elsewhere_does_not_change_where_a_section_ends() -> None:
    """A label without a value tells nothing at the end of a section."""
    section = "One.\n\nSee also:\n\n# Next\n\nText.\n"
    assert not has_more_after(section, 4)
    assert not has_more_after(f"{section}\n%% to be told %%\n", 4)
    assert has_more_after("One.\n%% a %%\n\nSee also:\n\nTwo.\n", 4)


def test_labels_above_another_are_no_text_of_their_section() -> None:
    text = "# One\n\nTide:\n\nSee also:\n\nText.\n"
    assert not has_more_before(text, 0, text.index("See also:"))
    assert has_more_before(text, 0, text.index("Text."))
