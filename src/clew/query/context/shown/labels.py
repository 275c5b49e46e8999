"""The labels with which the lines begin that a pack adds to the text of notes.

Templates write them from here, and ``quoting`` escapes lines of notes that begin with one: so a
note can forge none, and no label can be forgotten.
"""

import re
from enum import StrEnum


class Remark(StrEnum):
    """A label in a line of its own, in emphasis."""

    TAGS = "Tags:"
    IMPORTANCE = "Importance:"
    CREATED = "Created:"
    SCORE = "Score:"
    RELATED_FILES = "Related files:"
    SUPERSEDED = "Superseded by"
    WEAK = "A weak answer:"
    PERIOD = "Period:"
    UNDATED = "No days are known of"


class Row(StrEnum):
    """A label of a list item, before a colon."""

    RELATED = "Related"
    COMMUNITY = "Community"
    NOTES = "Notes"
    DEFINED_IN = "Defined in"
    SYMBOL = "Symbol"
    ABOUT = "About"
    FILE_ABOUT = "Its file"
    CALLED_BY = "Called by"
    MEMBERS_CALLED = "Calls to its methods"
    CALLS = "Calls"
    IMPLEMENTS = "Implements"
    IMPLEMENTED_BY = "Implemented by"
    FILE_NOTES = "Notes that name its file"


NO_ANSWER = "Nothing in the notes answers"
METADATA = "**Metadata**:"
GAP = "[…]"  # in place of text of a note that is left out
DID_NOT_FIT = "more did not fit"  # after their number, in emphasis
NOT_OF_PERIOD = ", not of the period"  # after the day of a note, in emphasis


def _any_of(texts: type[StrEnum]) -> str:
    return f"(?:{'|'.join(map(re.escape, texts))})"


# Of the beginning of a line, in quotes and lists of the note.
LABEL_PATTERN = (
    rf"{re.escape(METADATA)}|{NO_ANSWER}|{re.escape(GAP)}|\*{_any_of(Remark)}"
    rf"|\*\d+ {DID_NOT_FIT}|\*\d{{4}}-\d\d-\d\d(?:{NOT_OF_PERIOD})?\*$"
)
ROW_PATTERN = rf"-[ \t]+{_any_of(Row)}:"
