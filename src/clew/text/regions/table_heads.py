"""The heads of tables: recognize them, and find the head of a row far below it."""

import re

CHARACTERS_MAX = 32 * 1024  # between a head and a row for which it is found
HEAD_CHARACTERS_MAX = 1_000  # of a head; a longer one is data

ROW = re.compile(r"[ \t]{0,3}\|")  # how a row of a table begins
_RULE = rf"{ROW.pattern}([ \t:|-]*+)"  # the line below a head, if it has a dash
_RULE_LINE = re.compile(_RULE)
# Both lines in time linear in their length.
_HEAD = re.compile(rf"^{ROW.pattern}([^\n]*)\n{_RULE}$", re.MULTILINE)


def is_row(text: str) -> bool:
    """Return whether a text begins as a row of a table."""
    return ROW.match(text) is not None


def is_rule(line: str) -> bool:
    """Return whether a line is the one between the head and the rows of a table."""
    return "-" in line and _RULE_LINE.fullmatch(line) is not None


def column_names_above(text: str, at: int) -> str:
    """Return the names of the columns of the row that begins at ``at``, as they are written.

    Return "" if no row of a table begins there, or if the head is itself there or below.
    """
    if not ROW.match(text, at):
        return ""
    blank = text.rfind("\n\n", max(0, at - CHARACTERS_MAX), at)
    above = text[blank + 2 if blank >= 0 else max(0, at - CHARACTERS_MAX) : at]
    # Lines above a table need no blank line between: its head is the last one that has a rule.
    found = (head for head in _HEAD.finditer(above) if "-" in head[2])
    heads = [head for head in found if len(head[1]) <= HEAD_CHARACTERS_MAX]
    if not heads or not all(ROW.match(line) for line in above[heads[-1].start() :].splitlines()):
        return ""
    return heads[-1][1]
