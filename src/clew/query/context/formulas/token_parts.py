"""Count the tokens of texts that share parts, such as drafts of one text: each part once.

Counts of the parts add up exactly. The pattern that splits text before bytes are merged ends a
piece at each line end that is followed by neither white space nor a slash: none of its
alternatives matches across such a place, and none looks back. So a text may be cut there, and for
the same reasons after a letter or digit that only signs, blanks and line ends follow.

Counts of passages are stored with their notes. An entry of a pack has most parts of its passages,
so only the parts in which it differs from them are counted.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from string import punctuation
from typing import NamedTuple

from clew.text.counting import CountTokens

_CUT = re.compile(r"\n(?=[^\s/])")
BETWEEN, END = "\n\n", "\n"  # between the blocks of a text, and at its end
# What may follow the last letter or digit of a part: signs that end sentences, or stand after them.
_ENDS = punctuation + "…。！？”’» \n"


class _Counted(NamedTuple):
    """A text with a known count, both with what is between two blocks."""

    parts: Mapping[str, int]  # how often it has each part
    tokens: int


class TokenParts:
    """Counts of the parts that were seen; as large as the texts that were counted."""

    def __init__(self, count_tokens: CountTokens) -> None:
        """``count_tokens``: the count of ``o200k_base`` tokens of a text."""
        self._count_tokens = count_tokens
        self._counts: dict[str, int] = {}  # of each part with its line end
        self._counts_apart: dict[str, int] = {}  # of parts without their ends, and of these
        self._block_counts: dict[str, int] = {}  # of each block with what is between two
        self._counted_by_part: dict[str, _Counted] = {}

    def add_counted(self, text: str, tokens: int) -> None:
        """Use the known count of a text for blocks that have most of its parts."""
        ends = _ends_of(text)
        if ends is None:
            return  # of the rare texts that end so, the blocks are counted
        counted = _Counted(Counter(_parts(text + BETWEEN)), tokens + self._between_after(ends))
        for part in counted.parts:
            self._counted_by_part.setdefault(part, counted)

    def count(self, text: str) -> int:
        """Return the count of a whole text, from its count as a block if it can."""
        ends = _ends_of(text)
        if ends is None:
            return self._count_difference(text)
        return self._count_block(text) - self._between_after(ends)

    def count_joined(self, blocks: Sequence[str]) -> int:
        """Return the count of blocks joined by a blank line, with a line end after the last.

        No block begins with white space or a slash.
        """
        *others, last = blocks
        return sum(map(self._count_block, others)) + self.count(last + END)

    def _count_block(self, block: str) -> int:
        count = self._block_counts.get(block)
        if count is None:
            count = self._block_counts[block] = self._count_difference(block + BETWEEN)
        return count

    def _count_difference(self, text: str) -> int:
        """Return the count of a text, by its difference to texts with known counts."""
        parts = _parts(text)
        known = {id(each): each for each in map(self._counted_by_part.get, parts) if each}
        if not known:
            return sum(map(self._count, parts))
        left, tokens = Counter(parts), 0
        for counted in known.values():
            if self._saved(left, counted) > 0:
                left.subtract(counted.parts)
                tokens += counted.tokens
        return tokens + sum([n * self._count(part) for part, n in left.items() if n])

    def _saved(self, parts: Mapping[str, int], counted: _Counted) -> int:
        """Return how many characters fewer of ``parts`` are to be counted without ``counted``."""
        return sum(
            len(part) * ((parts.get(part) == n) - (part not in parts))
            for part, n in counted.parts.items()
            if part not in self._counts
        )

    def _count(self, part: str) -> int:
        """Return the count of a part; what ends it is counted apart, as drafts differ in that."""
        count = self._counts.get(part)
        if count is None:
            ends = _ends_of(part)
            if ends is None:
                count = self._count_tokens(part)
            else:
                count = self._count_apart(part[: len(part) - len(ends)]) + self._count_apart(ends)
            self._counts[part] = count
        return count

    def _count_apart(self, text: str) -> int:
        count = self._counts_apart.get(text)
        if count is None:
            count = self._counts_apart[text] = self._count_tokens(text) if text else 0
        return count

    def _between_after(self, ends: str) -> int:
        """Return how many tokens a blank line adds to a text that ends with ``ends``."""
        return self._count_apart(ends + BETWEEN) - self._count_apart(ends)


def _ends_of(text: str) -> str | None:
    """Return what follows the last letter or digit of a text; ``None``: other characters too."""
    words = text.rstrip(_ENDS)
    return text[len(words) :] if words[-1:].isalnum() else None


def _parts(text: str) -> list[str]:
    *lines, last = _CUT.split(text)
    return [*[f"{line}\n" for line in lines], last]
