"""Join the blocks of a Markdown text to one line: headings, list items and rows stay apart.

The marks of headings, lists, quotes and tables are left out. Where a block does not end like a
sentence, a dot separates it from the next, since both would read as one sentence.
"""

import re

from clew.text.regions.sentences import STOPS, WIDE_STOPS

SEPARATOR = "·"

_QUOTE_MARKS = "> \t"
_BLOCK_MARKS = re.compile(r"(?:#{1,6}[ \t]+|[-*+][ \t]+|\d{1,9}[.)][ \t]+)+")
_RULE_CHARACTERS = "-=*_|:# \t"  # of rules, underlines and the second row of a table
_ENDS = (*STOPS, *WIDE_STOPS, *":;,…：；，、")
_CLOSING = "*_\"')]}»”’`"  # after the end of a sentence


def joined_blocks(text: str) -> str:
    """Return the lines of ``text`` as one line, with a dot after each block that is no sentence."""
    parts: list[str] = []
    begins_block = True  # the next line is not of the same paragraph as the last one
    for row in text.split("\n"):
        words = " ".join(row.lstrip(_QUOTE_MARKS).split())
        if not words.strip(_RULE_CHARACTERS):
            begins_block = True
            continue
        marks = _BLOCK_MARKS.match(words)
        is_row = words.startswith("|")
        begins_block |= marks is not None or is_row
        words = words[marks.end() :] if marks else words.strip("| ") if is_row else words
        if parts and begins_block and not parts[-1].rstrip(_CLOSING).endswith(_ENDS):
            parts.append(SEPARATOR)
        parts.append(words)
        begins_block = is_row or (marks is not None and "#" in marks[0])
    return " ".join(parts)
