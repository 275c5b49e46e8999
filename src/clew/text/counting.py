"""Count the tokens of texts that share parts, such as drafts of one text: each part once.

Counts of the parts add up exactly. The pattern that splits text before bytes are merged ends a
piece at each line end that is followed by neither white space nor a slash: none of its
alternatives matches across such a place, and none looks back. So a text may be cut there, and for
the same reasons after a letter or digit that only signs, blanks and line ends follow.

Notes are stored with the counts of the parts of their chunks, of which packs have most.

Loading ``tokens``, which defines a function that counts, takes memory, so modules that count get it
as an argument.
"""

import re
from collections.abc import Callable, Sequence
from string import punctuation

CountTokens = Callable[[str], int]  # the ``o200k_base`` tokens of a text

BETWEEN, END = "\n\n", "\n"  # between the blocks of a text, and at its end
# Counts of parts are stored: raise the index file's ``LAYOUT`` when the following changes.
_CUT = re.compile(r"\n(?=[^\s/])")
# What may follow the last letter or digit of a part: signs that end sentences, or stand after them.
_ENDS = punctuation + "…。！？”’» \n"


class TokenParts:
    """Counts of the parts that were seen; as large as the texts that were counted."""

    def __init__(self, count_tokens: CountTokens) -> None:
        """``count_tokens``: the count of ``o200k_base`` tokens of a text."""
        self._count_tokens = count_tokens
        self._counts: dict[str, int] = {"": 0}  # of parts without their ends, and of these
        self._text_counts: dict[str, int] = {}
        self._block_counts: dict[str, int] = {}  # of each block with what is between two

    def add_counted(self, text: str, part_tokens: Sequence[int]) -> None:
        """Use the known counts of the parts of a text, which ``part_tokens`` returned."""
        self._counts.update(zip(_without_ends(text), part_tokens, strict=True))

    def part_tokens(self, text: str) -> tuple[int, ...]:
        """Return the count of each part of a text, without what ends it."""
        return tuple(map(self._count_apart, _without_ends(text)))

    def count(self, text: str) -> int:
        """Return the count of a whole text."""
        count = self._text_counts.get(text)
        if count is None:
            count = self._text_counts[text] = self._sum(text)
        return count

    def count_joined(self, blocks: Sequence[str]) -> int:
        """Return the count of blocks joined by a blank line, with a line end after the last.

        No block begins with white space or a slash.
        """
        *others, last = blocks
        return sum(map(self._count_block, others)) + self._sum(last + END)

    def _count_block(self, block: str) -> int:
        count = self._block_counts.get(block)
        if count is None:
            count = self._block_counts[block] = self._sum(block + BETWEEN)
        return count

    def _sum(self, text: str) -> int:
        """Return the sum of the counts of all parts; what ends them differs between drafts."""
        count = 0
        for part in _parts(text):
            apart = _without_end(part)
            count += self._count_apart(apart) + self._count_apart(part[len(apart) :])
        return count

    def _count_apart(self, text: str) -> int:
        count = self._counts.get(text)
        if count is None:
            count = self._counts[text] = self._count_tokens(text)
        return count


def _without_ends(text: str) -> list[str]:
    return [_without_end(part) for part in _parts(text)]


def _without_end(part: str) -> str:
    """Return a part without what follows its last letter or digit, unless that may not be cut."""
    words = part.rstrip(_ENDS)
    return words if words[-1:].isalnum() else part


def _parts(text: str) -> list[str]:
    *lines, last = _CUT.split(text)
    return [*[f"{line}\n" for line in lines], last]
