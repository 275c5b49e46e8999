"""Which links a note has, and where: the link grammar case by case."""

from hypothesis import given
from hypothesis import strategies as st

from clew.text.filename import ATTACHMENT_EXTENSIONS, is_attachment
from clew.text.regions.wikilinks import split_wikilink
from clew.values.note import Wikilink
from tests.data import Case, cases
from tests.examples import examples
from tests.parsing import parse_note
from tests.tables import for_each_row


@for_each_row("case", cases("links.md"))
def test_a_note_has_the_links(case: Case) -> None:
    note = parse_note("a.md", "", case.text)
    assert [_shown(link) for link in note.links] == case.expected


def _shown(link: Wikilink) -> str:
    parts = [str(link.line), link.kind.value]
    parts += [link.target] if link.target else []
    parts += [f"# {link.fragment}"] if link.fragment is not None else []
    parts += [f"| {link.alias}"] if link.alias is not None else []
    return " ".join(parts)


def test_only_a_line_feed_ends_a_line() -> None:
    note = parse_note("a.md", "", "a\vb\fc\x1cd\x85e\u2028f [[x]]\n[[y]]")
    assert [link.line for link in note.links] == [1, 2]


@examples(300)
@given(st.text(st.one_of(st.sampled_from("#|\\ ^[]"), st.characters())))
def test_text_between_brackets_is_split_or_is_no_link(inner: str) -> None:
    parts = split_wikilink(inner)
    if parts is not None:
        target, fragment, alias = parts
        assert target or fragment
        assert all(part == part.strip() for part in (target, fragment or "", alias or ""))
        assert fragment is None or fragment
        assert alias is None or alias
        assert not {"#", "|"} & set(target)


names = st.text("abc é.日/-", min_size=1).map(str.strip).filter(bool)


@given(names, st.none() | names, st.none() | names, st.sampled_from(["|", "\\|"]))
@examples()
def test_a_link_has_the_parts_it_was_written_with(
    target: str, fragment: str | None, alias: str | None, bar: str
) -> None:
    hashed = f"#{fragment}" if fragment else ""
    barred = f"{bar}{alias}" if alias else ""
    assert split_wikilink(target + hashed + barred) == (target, fragment, alias)


@for_each_row("extension", sorted(ATTACHMENT_EXTENSIONS))
def test_a_target_with_an_attachment_extension_is_an_attachment(extension: str) -> None:
    assert is_attachment(f"folder/file.{extension}")
    assert is_attachment(f"file.{extension.upper()}")
    assert not is_attachment(extension)


@for_each_row("target", ["note", "note.md", "Node.js", "v1.2", "png.note", "a.png b", ""])
def test_any_other_target_is_no_attachment(target: str) -> None:
    assert not is_attachment(target)


EXTENSIONS = (
    "avif bmp gif jpeg jpg png svg webp flac m4a mp3 ogg wav 3gp mkv mov mp4 ogv webm pdf canvas"
    " base"
)


def test_the_attachment_extensions_are_those_of_obsidian() -> None:
    assert frozenset(EXTENSIONS.split()) == ATTACHMENT_EXTENSIONS
