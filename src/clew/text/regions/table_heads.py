"""The head of a table for the rows that are far below it."""

import re

CHARACTERS_MAX = 32 * 1024  # between a head and its last row that has it
HEAD_CHARACTERS_MAX = 1_000  # of a head; a longer one is data

_ROW = re.compile(r"[ \t]{0,3}\|")
# Both lines in time linear in their length.
_HEAD = re.compile(r"^[ \t]{0,3}\|([^\n]*)\n[ \t]{0,3}\|([ \t:|-]*+)$", re.MULTILINE)


def column_names_above(text: str, at: int) -> str:
    """Return the names of the columns of the row that begins at ``at``, as they are written.

    Return "" if no row of a table begins there, or if the head is itself there or below.
    """
    if not _ROW.match(text, at):
        return ""
    blank = text.rfind("\n\n", max(0, at - CHARACTERS_MAX), at)
    above = text[blank + 2 if blank >= 0 else max(0, at - CHARACTERS_MAX) : at]
    # Lines above a table need no blank line between: its head is the last one that has a rule.
    found = (head for head in _HEAD.finditer(above) if "-" in head[2])
    heads = [head for head in found if len(head[1]) <= HEAD_CHARACTERS_MAX]
    if not heads or not all(_ROW.match(line) for line in above[heads[-1].start() :].splitlines()):
        return ""
    return heads[-1][1]
