r"""Mark the boundaries of blocks in Markdown, so that no name is found across them; pure.

When a text is folded, all white space is alike, and ``-`` and ``_`` are white space too. So the end
of a paragraph or a heading, an item with a dash and a rule of dashes would be lost. All other
blocks begin with a character that stays: ``*``, ``1.``, ``>``, ``|``, ``#``.

Only looks at lines: parsing the blocks would cost more than the search.
"""

import re

GAP = "\x00"  # part of no name

# A blank line, an item of a list, a rule, or the line below a title.
_BLOCK_START = re.compile(r"\n(?=[ \t]*(?:\n|-[ \t]|-+[ \t]*\n|_[ \t]*_[ \t]*_[_ \t]*\n))")
_HEADING = re.compile(r"\n {0,3}#{1,6}[ \t].*(?=\n[^\n])")  # with text right below it
_QUOTE = re.compile(r"(\n>.*)((?:\n>.*)+)")
_QUOTED_TITLE = re.compile(r"\n> ?(?:#|\[!)")  # a heading, or the title of a callout


def with_gaps(text: str) -> str:
    """Return ``text`` with a ``GAP`` at each boundary of two blocks that folding would hide.

    A block quote keeps only the ``>`` of its first line, so that a name may be wrapped in it. The
    number of lines stays the same.
    """
    text = f"\n{text}"
    if ">" in text:
        text = _QUOTE.sub(_with_one_mark, text)
    text = _HEADING.sub(rf"\g<0> {GAP}", text)
    return _BLOCK_START.sub(f"\n{GAP} ", text)[1:]


def _with_one_mark(quote: re.Match[str]) -> str:
    first, others = quote.groups()
    gap = f" {GAP}" if _QUOTED_TITLE.match(first) else ""
    return first + gap + others.replace("\n>", "\n")
