"""Chunks cover the body of any note in order, in whole lines, and none is too long."""

import random
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.text.chunks import TOKENS_AIMED, TOKENS_MAX, TOKENS_MIN, chunks
from clew.text.counting import TokenParts
from clew.text.markdown.frontmatter.read import read_frontmatter
from clew.text.markdown.frontmatter_split import split
from clew.text.tokens import count_tokens
from clew.values.note import Chunk, Note
from tests.examples import examples
from tests.parsing import parse_note
from tests.tables import for_each_row
from tests.text.test_linear import assert_linear

WORD_SOURCE = "clock drifts although several notes of a vault say so and nobody has looked at them"


def prose(token_count: int, seed: int = 0, end: str = ". ") -> str:
    """Return sentences of about ``tokens`` tokens, in one line."""
    chance = random.Random(seed)
    words = [chance.choice(WORD_SOURCE.split()) for _ in range(token_count)]
    return " ".join(word + (end.strip() if at % 12 == 11 else "") for at, word in enumerate(words))


def lines(count: int, seed: int = 0) -> str:
    return "\n".join(prose(12, seed + at) for at in range(count))


def note(text: str) -> Note:
    return parse_note("a.md", "", text)


def texts_of(read: Note) -> list[str]:
    return [read.text[chunk.start : chunk.end] for chunk in read.chunks]


PIECES = [
    *[
        "# A\n",
        "## B\n",
        "### C\n",
        "Setext\n===\n",
        "> # Q\n",
        "\n",
        "\n\n",
        " \n\t\n",
        "x\n",
        "\r\n",
    ],
    *[
        "```py\ncode\n\nmore\n```\n",
        "~~~\n\n",
        "```\n",
        "````\n```\n````\n",
        "- item\n",
        "1. ```\n   x\n   ```\n",
    ],
    *[
        "| a | b |\n|---|---|\n",
        "***\n",
        "<div>\n",
        "    indented\n",
        "[[link]] #tag\n",
        "\x1c",
        "\u2028",
        "\x85",
    ],
    *[
        prose(30),
        prose(300) + "\n",
        prose(900, end="") + "\n",
        lines(9) + "\n",
        lines(60),
        lines(40) + "\n\n",
    ],
    *[
        "漢字かな" * 60,
        "ก" * 500,
        "🎉" * 300,
        "\U0001f469\u200d" * 200,
        "x" * 3000,
        "[](){};" * 200,
        " " * 3000,
    ],
    *["\u0301" * 900, "a\u0301" * 900, "\ufdfa" * 50, "\x00" * 900, "\t" * 900 + "y", "\ud83d"],
    "```\n" + lines(20) + "\n\n" + lines(10) + "\n```\n",
]
FRONT = st.sampled_from(
    ["", "---\ntitle: t\n---\n", "---\na: b\n\nc: [d]\n---", "---\nbroken: [\n---\n", "---\n"]
)
texts = st.builds("{}{}".format, FRONT, st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
hostile = st.text(max_size=3_000) | st.builds(
    "".join, st.lists(st.text(max_size=8).map(lambda text: text * 200), max_size=6)
)


@given(texts | hostile)
@examples(300)
@example("# T\n\n## S\n" + lines(60))
@example(prose(40) + "\n" + prose(380))
def test_chunks_cover_the_body_except_white_space(text: str) -> None:
    read = note(text)
    at = body_start(read)
    for chunk in read.chunks:
        assert at <= chunk.start < chunk.end
        assert not read.text[at : chunk.start].strip()
        assert read.text[chunk.start : chunk.end].strip() == read.text[chunk.start : chunk.end]
        at = chunk.end
    assert not read.text[at:].strip()


@given(texts | hostile)
@examples(300)
def test_chunks_have_exact_lines_headings_and_tokens(text: str) -> None:
    read = note(text)
    for chunk in read.chunks:
        part = read.text[chunk.start : chunk.end]
        assert chunk.first_line == 1 + read.text.count("\n", 0, chunk.start)
        assert chunk.last_line == 1 + read.text.count("\n", 0, chunk.end)
        above = [n for n, each in enumerate(read.headings) if each.line <= chunk.first_line]
        assert chunk.heading == (above[-1] if above else -1)
        assert chunk.tokens == count_tokens(part)
        assert 0 < chunk.tokens <= TOKENS_MAX or len(part) == 1


@given(texts)
@examples(200)
@example(prose(40) + "\n" + prose(380))
@example("\n".join(prose(20 + at % 7 * 40, at) for at in range(40)))
def test_a_line_is_cut_only_if_it_is_too_long(text: str) -> None:
    read = note(text)
    for before, after in pairwise(read.chunks):
        between = read.text[before.end : after.start]
        if "\n" not in between:
            line = read.text.split("\n")[before.last_line - 1]
            assert count_tokens(line) > TOKENS_MAX or estimate(line) > TOKENS_MAX


def estimate(line: str) -> int:
    """Return the estimated number of tokens of a line."""
    wide = (len(line.encode("utf-8", "replace")) - len(line)) // 2
    return -(-(len(line) - wide) // 4) + wide


@given(texts | hostile)
@examples(50)
def test_the_same_text_has_the_same_chunks(text: str) -> None:
    assert note(text).chunks == note(text).chunks


def body_start(read: Note) -> int:
    """Return where the body begins: after valid front matter."""
    halves = split(read.text)
    if halves.frontmatter is None or not read_frontmatter("", halves.frontmatter).is_mapping:
        return 0
    return len(read.text) - len(halves.body)


@given(st.lists(st.sampled_from(WORD_SOURCE.split()), min_size=500, max_size=2_500))
@examples(20)
def test_a_long_line_is_cut_between_words(words: list[str]) -> None:
    read = note(" ".join(words))
    assert len(read.chunks) > 1
    assert " ".join(texts_of(read)) == read.text


def test_a_long_line_is_cut_after_sentences() -> None:
    read = note(prose(2_000))
    assert len(read.chunks) > 4
    assert all(text.endswith(".") for text in texts_of(read)[:-1])


# -- sections -----------------------------------------------------------------------------------


def test_a_long_list_is_cut_between_its_items() -> None:
    items = [f"- {prose(60, seed)}\n  {prose(60, seed + 1)}" for seed in range(12)]
    assert "\n".join(texts_of(note("\n".join(items)))) == "\n".join(items)
    assert all(text.startswith("- ") for text in texts_of(note("\n".join(items))))


def test_a_long_paragraph_of_lines_is_cut_after_a_sentence() -> None:
    # A sentence takes five lines.
    sentences = ["\n".join(prose(11, seed + at) for at in range(5)) + "." for seed in range(30)]
    texts = texts_of(note("\n".join(sentences)))
    assert len(texts) > 3
    assert all(text.endswith(".") for text in texts)


def test_a_line_that_announces_stays_with_what_follows() -> None:
    lead = "These are the names:"
    parts = [prose(150), lead, "\n".join(f"- {prose(20, seed)}" for seed in range(10))]
    first, second = texts_of(note("\n\n".join(parts)))
    assert first == parts[0]
    assert second.startswith(lead)


@for_each_row(("long", "count"), [(190, 1), (390, 2)])
def test_a_heading_stays_with_a_line_that_announces(long: int, count: int) -> None:
    lead = f"{prose(50)} These are the names:"
    code = "\n".join(["```", *(prose(10, seed) for seed in range(long // 10)), "```"])
    texts = texts_of(note(f"# Names\n\n{lead}\n\n{code}\n\n{prose(190)}\n"))
    assert texts[0].startswith(f"# Names\n\n{lead}")
    assert (count == 1) == (code in texts[0])


def test_a_heading_is_no_chunk_above_a_line_that_announces() -> None:
    above = f"# {prose(60, end='')}\n\nThese are the names:"
    code = "\n".join(["```", *(prose(10, seed) for seed in range(34)), "```"])
    assert texts_of(note(f"{above}\n\n{code}\n"))[0].startswith(above)


def test_long_sections_are_separate_chunks() -> None:
    read = note(f"intro {lines(6)}\n# A\n{lines(6)}\n## B\n{lines(6)}\n# C\n{lines(6)}\n")
    assert [chunk.heading for chunk in read.chunks] == [-1, 0, 1, 2]
    assert [text.split("\n")[0][:3] for text in texts_of(read)] == ["int", "# A", "## ", "# C"]


def test_a_short_section_is_joined_with_its_subsection() -> None:
    read = note(f"short\n# A\n\nshort\n\n## B\n{lines(6)}\n## C\n{lines(6)}\n")
    assert [chunk.heading for chunk in read.chunks] == [-1, 2]
    assert texts_of(read)[0].startswith("short\n# A")
    assert texts_of(read)[1].startswith("## C")


def test_a_short_section_is_not_joined_with_a_sibling_or_parent() -> None:
    read = note("## A\na\n## B\nb\n### C\nc\n# D\nd\n")
    assert texts_of(read) == ["## A\na", "## B\nb\n### C\nc", "# D\nd"]


def test_short_sections_are_joined_only_up_to_the_minimum() -> None:
    read = note("# T\n" + "".join(f"## {n}\n{lines(2, n)}\n" for n in range(6)))
    assert all(chunk.tokens >= TOKENS_MIN // 2 for chunk in read.chunks)
    assert len(read.chunks) > 1


def test_later_chunks_of_a_joined_section_have_its_own_heading() -> None:
    read = note(f"# Title\n\n## Section\n\n{lines(30)}\n\n{lines(30, 99)}\n")
    assert next(chunk.heading for chunk in read.chunks) == 0
    assert {chunk.heading for chunk in read.chunks[1:]} == {1}


@for_each_row("token_count", range(200, 400, 20))
def test_a_heading_is_no_chunk_by_itself(token_count: int) -> None:
    read = note(f"# A\n\n{prose(token_count)}\n\n{prose(200)}\n")
    assert read.chunks[0].tokens > TOKENS_MIN


def test_paragraphs_are_joined_up_to_the_aimed_size() -> None:
    read = note("\n\n".join(prose(40, n) for n in range(60)))
    sizes = [chunk.tokens for chunk in read.chunks[:-1]]
    assert all(TOKENS_AIMED / 2 < size <= TOKENS_AIMED * 1.2 for size in sizes), sizes
    assert all("\n\n" not in read.text[a.end : b.start].strip() for a, b in pairwise(read.chunks))


# -- fenced code --------------------------------------------------------------------------------


def fence(line_count: int, mark: str = "```", gap: str = "\n\n") -> str:
    return f"{mark}py\n{gap.join(f'step({n})  # goes on' for n in range(line_count))}\n{mark}"


@for_each_row("mark", ["```", "~~~", "`````"])
@for_each_row("glue", ["\n", "\n\n"])
@for_each_row("size", [10, 20, 30, 35])
@for_each_row(
    "before",
    ["", "text", "Inline ```x``` is none", "```x``` is none\n\n", "- ```\n  a\n  ```", prose(200)],
)
def test_fenced_code_that_fits_stays_whole(before: str, mark: str, glue: str, size: int) -> None:
    code = fence(size, mark)
    assert count_tokens(code) <= TOKENS_MAX
    for after in ("", prose(150), lines(20)):
        read = note(f"{before}{glue}{code}{glue}{after}\n")
        assert sum(code in text for text in texts_of(read)) == 1


def test_fenced_code_that_holds_a_fence_stays_whole() -> None:
    code = "````\n" + fence(8) + "\n\n```sh\n" + lines(5) + "\n````"
    read = note(f"{lines(15)}\n\n{code}\n\n{lines(15)}")
    assert sum(code in text for text in texts_of(read)) == 1


def test_fenced_code_that_is_too_long_is_cut_between_lines() -> None:
    read = note(fence(300, gap="\n"))
    assert len(read.chunks) > 3
    assert all(
        line in read.text.split("\n") for text in texts_of(read) for line in text.split("\n")
    )


def test_a_fence_without_an_end_is_split_like_text() -> None:
    read = note("```\n" + "\n\n".join(prose(60, n) for n in range(30)))
    assert max(chunk.tokens for chunk in read.chunks) <= 1.2 * TOKENS_AIMED


def test_the_counts_of_the_parts_of_a_chunk_are_stored() -> None:
    read = note(f"# A\n\n{lines(3)}\n\n- {prose(9)}\n  - b\n\n## B\n\n{prose(90)}")
    for chunk, text in zip(read.chunks, texts_of(read), strict=True):
        parts = TokenParts(count_tokens)
        assert chunk.part_tokens == parts.part_tokens(text)
        assert chunk.tokens == count_tokens(text) >= sum(chunk.part_tokens)


# -- edges --------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "\n", " \n\t\n", "---\na: b\n---", "---\na: b\n---\n\n"])
def test_a_note_without_a_body_has_no_chunks(text: str) -> None:
    assert note(text).chunks == ()


def test_a_character_of_too_many_tokens_is_a_chunk_alone() -> None:
    found = chunks("ab", 0, (), TokenParts(lambda text: 1000 * len(text)))
    assert found == (Chunk(0, 1, 1, 1, -1, 1000, (1000,)), Chunk(1, 2, 1, 1, -1, 1000, (1000,)))


def test_front_matter_is_in_no_chunk() -> None:
    read = note("---\ntitle: secret\n---\nbody\n")
    assert (texts_of(read), read.chunks[0].first_line) == (["body"], 4)


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        *(
            "a",
            "a ",
            "a. ",
            "é",
            "漢",
            "a\n",
            "a\n\n",
            "\n",
            " ",
            "```\n",
            "```\n```\n\n",
            "```\n\n",
        ),
        *("``` ", "- ```\n", "~~~\n", "# a\n", "## a\n\n", ">", "\u0301", "[](){};"),
    ],
)
def test_notes_are_chunked_in_linear_time(piece: str) -> None:
    assert_linear(lambda text: chunks(text, 0, (), TokenParts(len)), piece, 200_000, "")


@pytest.mark.parametrize("line", [100, 1_000, 10_000])
def test_lines_of_growing_length_are_split_in_linear_time(line: int) -> None:
    piece = "".join("a" * (line * n) + "\n" for n in range(1, 5))
    assert_linear(lambda text: chunks(text, 0, (), TokenParts(len)), piece, 200_000, "")
