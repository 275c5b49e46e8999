"""Split a text where ``o200k_base`` splits it too, so that tokens can be counted block by block."""

import re
from collections.abc import Iterator

BLOCK_CHARACTERS = 16_384  # counting these takes about a millisecond

# No match of the encoding's pattern goes on from a non-space to a space after it, nor from a letter
# or digit to a line feed after it.
_CUT = re.compile(r"(?<=\S) |(?<=[^\W_])\n")


def token_blocks(text: str, least: int = BLOCK_CHARACTERS) -> Iterator[str]:
    """Yield blocks of ``text`` whose tokens add up to its tokens, none for an empty text.

    Each but the last has ``least`` characters, or more where the text may not be cut.
    """
    start = 0
    while start < len(text):
        cut = _CUT.search(text, start + least)
        end = cut.start() if cut else len(text)
        yield text[start:end]
        start = end
