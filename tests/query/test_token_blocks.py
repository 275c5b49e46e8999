"""Token counts of blocks add up to that of the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.query.rank.token_blocks import BLOCK_CHARACTERS, token_blocks
from clew.text.tokens import count_tokens
from tests.examples import examples

PIECES = st.sampled_from(
    [
        " ",
        "  ",
        "\n",
        "\r\n",
        "\t",
        "\xa0",
        "\u3000",
        "\x1c",
        "\x85",
        "a",
        "Ab",
        "'s",
        "1",
        "234",
        "!",
        "?!",
        "/",
        "//",
        "-",
        "*",
        "é",
        "é",
        "潮",
        "汐は",
        "ก",
        "👍",
        "́",
        "_",
        "²",
        "Ⅷ",
    ]
)
TEXTS = st.one_of(st.lists(PIECES, max_size=30).map("".join), st.text(max_size=30))


@examples(500)
@given(TEXTS, st.integers(1, 8))
def test_blocks_are_the_text_and_have_its_tokens(text: str, least: int) -> None:
    blocks = list(token_blocks(text, least))
    assert "".join(blocks) == text
    assert sum(map(count_tokens, blocks)) == count_tokens(text)


@pytest.mark.parametrize("piece", ["word ", "潮\n", "x1\n\n"])
def test_no_block_is_much_longer_than_asked_for(piece: str) -> None:
    lengths = list(map(len, token_blocks(piece * 20_000)))
    assert len(lengths) > 2
    assert max(lengths) <= BLOCK_CHARACTERS + len(piece)
