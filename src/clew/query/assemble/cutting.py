"""Cutting a text at the end of a paragraph or section, with a mark where the rest was."""

import re

from clew.text.counting import CountTokens
from clew.text.regions.fenced_code import fence_at

MARK = "[…]"
_BOUNDARY = re.compile(r"\n[ \t]*\n")


def cut_at_boundary(text: str, tokens_max: int, count_tokens: CountTokens) -> str | None:
    """Return as many whole paragraphs of ``text`` as fit, with a mark; ``None`` if none does.

    The cut is never inside of a fenced block of code.
    """
    ends = [match.start() for match in _BOUNDARY.finditer(text) if match.start() > 0]
    low, high = 0, len(ends)  # a binary search: the text up to any of the first ``low`` ends fits
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(_cut(text, ends[middle - 1])) <= tokens_max:
            low = middle
        else:
            high = middle - 1
    fitting = (end for end in reversed(ends[:low]) if not fence_at(text, end))
    end = next(fitting, None)
    return None if end is None else _cut(text, end)


def cut_at_words(text: str, tokens_max: int, count_tokens: CountTokens) -> str:
    """Return the beginning of ``text`` that fits, cut between words if it has any, with a mark.

    An empty text is returned if not even the mark fits.
    """
    if count_tokens(text) <= tokens_max:
        return text
    length = min(len(text) - 1, 8 * tokens_max)
    while length > 0:
        part = text[:length]
        shown = f"{part.rsplit(None, 1)[0] if ' ' in part.strip() else part} {MARK}"
        if count_tokens(shown) <= tokens_max:
            return shown
        length = length * 7 // 8
    return ""


def _cut(text: str, end: int) -> str:
    return f"{text[:end].rstrip()}\n\n{MARK}"
