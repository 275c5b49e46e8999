"""Notes parsed one at a time."""

from clew.text.markdown.parse import Source, parse_notes
from clew.values.note import Note, Problem


def parse_note(path: str, content_hash: str, text: str, problems: tuple[Problem, ...] = ()) -> Note:
    """Return the note parsed from ``text``; ``problems`` come from reading the file."""
    return parse_notes([Source(path, content_hash, text, problems)])[0].note
