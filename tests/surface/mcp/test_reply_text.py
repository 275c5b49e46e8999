"""The text of a reply: its tokens are few whatever a note holds, and nothing in it is hidden."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.surface.mcp.text import REPLY_TOKENS_MAX, clean, estimated_tokens
from clew.text.tokens import count_tokens
from tests.examples import examples
from tests.surface.mcp.talk import made_up, note_of

HOSTILE = {
    "prose": "The tide in the harbour of Muros rises four metres at springs, they say. ",
    "Chinese": "海洋学家测量潮汐的高度并且每天记录下来。",
    "Russian": "Прилив поднимается на четыре метра каждый день. ",
    "hashes": "".join(random.Random(1).choices("0123456789abcdef", k=5000)),
    "base64": "".join(random.Random(2).choices("ABCdefghijKLMnopQRSt0123456789+/", k=5000)),
    "punctuation": "".join(random.Random(3).choices("!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~", k=5000)),
    "emoji": "".join(map(chr, range(0x1F300, 0x1F5FF))),
    "rare letters": "".join(map(chr, range(0x10000, 0x10FFF))),
    "short lines": "a\n",
    "numbers": "1 22 333 4444 ",
}


SLOW = {"hashes", "rare letters"}  # whose tokens take long to count


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[pytest.mark.slow] if kind in SLOW else []) for kind in HOSTILE],
)
def test_a_page_of_any_text_has_few_tokens(kind: str) -> None:
    content = (HOSTILE[kind] * 200_000)[:200_000]
    text = made_up(**note_of(content, [1, 1], None)).text("read", ref="x")
    assert 1000 < count_tokens(text) <= REPLY_TOKENS_MAX


@given(st.text(max_size=200))
@examples()
def test_an_estimate_of_natural_text_is_never_far_below(text: str) -> None:
    assert estimated_tokens(text) >= 0.7 * count_tokens(text) - 3


@given(st.text(st.characters(codec="utf-8"), max_size=50))
@examples()
def test_cleaning_keeps_the_length_and_hides_nothing(text: str) -> None:
    assert len(clean(text)) == len(text)
    assert clean("a\u202eb\U000e0041c") == "a\ufffdb\ufffdc"
