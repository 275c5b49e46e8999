"""Count the tokens of texts that share parts, such as drafts of one text: each part once.

Counts of the parts add up exactly. The pattern that splits text before bytes are merged ends a
piece at each line end that is followed by neither white space nor a slash: none of its
alternatives matches across such a place, and none looks back. So a text may be cut there.
"""

import re
from collections.abc import Sequence

from clew.text.counting import CountTokens

_CUT = re.compile(r"\n(?=[^\s/])")
BETWEEN, END = "\n\n", "\n"  # between the blocks of a text, and at its end


class TokenParts:
    """Counts of the parts that were seen; as large as the texts that were counted."""

    def __init__(self, count_tokens: CountTokens) -> None:
        """``count_tokens``: the count of ``o200k_base`` tokens of a text."""
        self._count_tokens = count_tokens
        self._counts: dict[str, int] = {}  # of each part with its line end
        self._block_counts: dict[str, int] = {}  # of each block with what is between two

    def count(self, text: str) -> int:
        """Return the count of a whole text."""
        *lines, last = _CUT.split(text)
        return sum(self._count(f"{line}\n") for line in lines) + self._count(last)

    def count_joined(self, blocks: Sequence[str]) -> int:
        """Return the count of blocks joined by a blank line, with a line end after the last.

        No block begins with white space or a slash.
        """
        *others, last = blocks
        return sum(map(self._count_block, others)) + self.count(last + END)

    def _count_block(self, block: str) -> int:
        count = self._block_counts.get(block)
        if count is None:
            count = self._block_counts[block] = self.count(block + BETWEEN)
        return count

    def _count(self, part: str) -> int:
        count = self._counts.get(part)
        if count is None:
            count = self._counts[part] = self._count_tokens(part)
        return count
