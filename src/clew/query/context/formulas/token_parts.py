"""Count the tokens of texts that share parts, such as drafts of one text: each part once.

Counts of the parts add up exactly. The pattern that splits text before bytes are merged ends a
piece at each line end that is followed by neither white space nor a slash: no alternative of it
goes on over such a place, and none looks back. So a text may be cut there.
"""

import re
from collections.abc import Callable

_CUT = re.compile(r"(?<=\n\n)(?=[^\s/])")


class TokenParts:
    """Counts of the parts that were seen; as large as the texts that were counted."""

    def __init__(self, count_tokens: Callable[[str], int]) -> None:
        """``count_tokens``: the count of ``o200k_base`` tokens of a text."""
        self._count_tokens = count_tokens
        self._counts: dict[str, int] = {}

    def count(self, text: str) -> int:
        """Return the count of a whole text."""
        return sum(map(self._count, _CUT.split(text)))

    def _count(self, part: str) -> int:
        if part not in self._counts:
            self._counts[part] = self._count_tokens(part)
        return self._counts[part]
