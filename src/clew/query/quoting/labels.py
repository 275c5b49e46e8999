"""The labels that begin the lines which a pack adds to the text of notes.

Templates write them from here, and ``note_text`` escapes lines of notes that begin with one: so a
note can forge none, and no label can be forgotten. Rows of lists have no label: they stand below a
heading of the pack, and headings of notes are pushed below those.
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
    HELD = "Nothing new:"


NO_ANSWER = "Nothing in the notes answers"
METADATA = "**Metadata**:"
GAP = "[…]"  # in place of text of a note that is left out
DID_NOT_FIT = "more candidates did not fit"  # after their number, in emphasis
NOT_OF_PERIOD = ", not of the period"  # after the day of a note, in emphasis


# Matched at the beginning of a line, also in quotes and lists of the note.
LABEL_PATTERN = (
    rf"{re.escape(METADATA)}|{NO_ANSWER}|{re.escape(GAP)}|\*(?:{'|'.join(map(re.escape, Remark))})"
    rf"|\*\d+ {DID_NOT_FIT}|\*\d{{4}}-\d\d-\d\d(?:{NOT_OF_PERIOD})?\*$"
)
