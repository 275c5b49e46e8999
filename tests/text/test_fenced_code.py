"""Where fenced code is: in quotations and list items too, told by whoever looks at a part."""

from clew.query.assemble.cutting import cut_at_boundary
from clew.text.markdown.shown import shown_text
from clew.text.regions import comments, fenced_code
from clew.text.regions.comments import comments_in, comments_within, without_comments
from clew.text.regions.fenced_code import code_blocks, code_within
from tests.query.context.packs import pack
from tests.tables import for_each_row
from tests.vaults import snapshot_of

SECRET = "%%the salary of Ann%%"


def code_of(text: str) -> list[str]:
    return [text[block.first : block.last] for block in code_blocks(text)]


@for_each_row("opens", ["```sh", "- ```sh", "1. ```sh", "* ~~~", "> ```", "> - ```", "  ```"])
def test_code_ends_where_its_fence_does(opens: str) -> None:
    fence = "~~~" if "~" in opens else "```"
    indent = "> " if ">" in opens else "  "
    text = f"one\n\n{opens}\n{indent}code\n{indent}{fence}\n\ntwo {SECRET} tide\n"
    assert code_of(text) == [f"{indent}code\n"]
    assert "salary" not in without_comments(text, 0, len(text))
    assert "salary" not in pack(snapshot_of({"n.md": text}), "two tide").context
    assert shown_text(text, 0, len(text)) == f"one\n\n{indent}code\n\ntwo  tide\n"


@for_each_row(
    ("text", "code"),
    [
        ("```\na\n- ```\nb\n```\nc", ["a\n- ```\nb\n"]),
        ("```x```\nb", []),
        ("~~~ a`b\nc\n~~~", ["c\n"]),
        ("```\na", ["a"]),
        ("```\n", [""]),
        ("```\n```\n```\nb\n```", ["", "b\n"]),
        ("````\n```\n````\nx", ["```\n"]),
    ],
)
def test_only_a_fence_that_fits_ends_code(text: str, code: list[str]) -> None:
    assert code_of(text) == code


def test_a_part_that_begins_or_ends_in_code_is_shown_as_code() -> None:
    text = "```\na [x](y.md)\nb [x](y.md)\n```\nc [x](y.md)\n```\nd [x](y.md)\n```\n"
    start, end = text.index("b ["), text.index("d [") + len("d [x](y.md)")
    assert shown_text(text, start, end) == "b [x](y.md)\nc x\nd [x](y.md)"
    assert [block.start for block in code_within(text, start, end)] == [0, text.index("```\nd")]
    assert not code_within(text, text.index("c ["), text.index("c [") + 5)


def test_a_text_is_cut_outside_of_code() -> None:
    text = "one ```x``` two\n\n- ```\n  a\n\n  b\n  ```\n\nthree\n\nfour"
    cuts = {cut_at_boundary(text, most, len) for most in range(20, len(text) + 6)}
    assert {cut and cut.partition("\n\n[…]")[0] for cut in cuts} == {
        "one ```x``` two",
        text[: text.index("\n\nthree")],
        text[: text.index("\n\nfour")],
    }


def test_a_part_above_all_marks_takes_no_place_in_the_caches() -> None:
    caches = fenced_code._code_blocks, comments._comments_in  # noqa: SLF001
    before = [cache.cache_info().misses for cache in caches]
    assert shown_text("tide\n\n```\ncode\n```\n<!-- %% -->\n", 0, len("tide")) == "tide"
    assert [cache.cache_info().misses for cache in caches] == before


def test_a_note_without_marks_takes_no_place_in_the_caches() -> None:
    caches = fenced_code._code_blocks, comments._comments_in  # noqa: SLF001
    before = [cache.cache_info().misses for cache in caches]
    text = "a ` b ~ c % d < e"
    assert (code_blocks(text), comments_in(text)) == ((), ())
    assert [cache.cache_info().misses for cache in caches] == before


@for_each_row("opens", ["```", "> ~~~", "   ```", "- ```"])
def test_code_and_comments_begin_within_each_part_that_has_a_character_of_them(opens: str) -> None:
    text = f"one\n{opens}\ncode\n{opens[-3:]}\n<!-- a --> %% b %%\n"
    (block,) = code_blocks(text)
    for end in range(len(text) + 1):
        assert len(code_within(text, 0, end)) == (end > block.start)
        hidden = [text.index(mark) for mark in ("<!--", "%% b") if text.index(mark) < end]
        assert [start for start, _ in comments_within(text, 0, end)] == hidden
