"""Count the tokens of texts that share parts, such as drafts of one text: each part once.

Counts of the parts add up exactly. The pattern that splits text before bytes are merged ends a
piece at each line end that is followed by neither white space nor a slash: no alternative of it
goes on over such a place, and none looks back. So a text may be cut there, and for the same reason
between a letter and a blank with a letter after it.

Texts whose count is known, such as passages of an index, need not be counted: where a text has most
lines of one, the count is that of the known text, less its other lines, and more what is new.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

_CUT = re.compile(r"\n(?=[^\s/])")
_ENDING = re.compile(r" [A-Za-z][^ ]*\Z")  # of a line: its last word
_LINES_AT_ONCE = 16  # each count takes as long as 30 more characters, yet drafts share lines
BETWEEN, END = "\n\n", "\n"  # between the blocks of a text, and at its end


class _Known(NamedTuple):
    """A text whose count is known."""

    lines: Sequence[str]  # the parts that it may be cut into
    length: int  # in characters
    tokens: int


class TokenParts:
    """Counts of the parts that were seen; as large as the texts that were counted."""

    def __init__(self, count_tokens: Callable[[str], int]) -> None:
        """``count_tokens``: the count of ``o200k_base`` tokens of a text."""
        self._count_tokens = count_tokens
        self._counts: dict[str, int] = {}  # of each part with its line end
        self._block_counts: dict[str, int] = {}  # of each block with what is between two
        self._known: list[_Known] = []
        self._known_by_line: dict[str, int] = {}  # by each line without its end

    def know(self, text: str, tokens: int) -> None:
        """Tell the count of a text of which others may have most lines."""
        lines = _lines(text)
        for line in lines:
            self._known_by_line.setdefault(line.rstrip("\n"), len(self._known))
        self._known.append(_Known(lines, len(text), tokens))

    def count(self, text: str) -> int:
        """Return the count of a whole text."""
        lines = _lines(text)
        count, is_counted = self._count_known(lines) if self._known else (0, bytearray(len(lines)))
        run: list[str] = []  # lines in a row that are to be counted
        for line, is_known in zip(lines, is_counted, strict=True):
            if not is_known:
                run.append(line)
            if run and (is_known or line.endswith(BETWEEN) or len(run) == _LINES_AT_ONCE):
                count += self._count("".join(run))
                run.clear()
        return count + self._count("".join(run)) if run else count

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

    def _count_known(self, lines: Sequence[str]) -> tuple[int, bytearray]:
        """Return the count of those lines that known texts have, and which lines these are."""
        count, is_counted = 0, bytearray(len(lines))
        shared: Counter[int] = Counter()  # characters, by index of the known text
        places: defaultdict[str, list[int]] = defaultdict(list)
        for place, line in enumerate(lines):
            bare = line.rstrip("\n")
            index = self._known_by_line.get(bare)
            if index is not None:
                shared[index] += len(bare)
                places[bare].append(place)
        for index, characters in shared.items():
            known = self._known[index]
            if 2 * characters <= known.length:
                continue
            count += known.tokens
            for line in known.lines:
                bare = line.rstrip("\n")
                if places[bare]:
                    place = places[bare].pop()
                    is_counted[place] = 1
                    count += self._more_tokens(line, lines[place], len(bare))
                else:
                    count -= self._count(line)
        return count, is_counted

    def _more_tokens(self, line: str, other: str, length: int) -> int:
        """Return how many tokens more ``other`` has, which differs after ``length`` characters."""
        if line == other:
            return 0
        ending = _ENDING.search(line, max(0, length - 60), length)
        at = ending.start() if ending else 0
        if at == 0 or not (line[at - 1].isascii() and line[at - 1].isalpha()):
            at = 0
        return self._count(other[at:]) - self._count(line[at:])

    def _count(self, part: str) -> int:
        count = self._counts.get(part)
        if count is None:
            count = self._counts[part] = self._count_tokens(part)
        return count


def _lines(text: str) -> list[str]:
    """Return the parts that a text may be cut into at line ends."""
    *lines, last = _CUT.split(text)
    return [*(f"{line}\n" for line in lines), last]
