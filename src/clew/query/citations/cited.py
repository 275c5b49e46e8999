"""The reply about one reference: whether the text that it names is still the same."""

from clew.query.citations.passage_hash import line_reference
from clew.query.references.forms import LineFragment
from clew.query.references.fragments import Lines
from clew.values.replies import Citation


def stands(ref: str) -> Citation:
    """Return the reply for a reference that still names the same text."""
    return Citation(ref=ref, state="stands", now=None)


def moved(ref: str, now: str) -> Citation:
    """Return the reply for a reference whose text is at the place ``now``."""
    return Citation(ref=ref, state="moved", now=now)


def changed(ref: str) -> Citation:
    """Return the reply for a reference to lines that have another text now."""
    return Citation(ref=ref, state="changed", now=None)


def gone(ref: str) -> Citation:
    """Return the reply for a reference that names nothing any more."""
    return Citation(ref=ref, state="gone", now=None)


def citation(
    ref: str, uri: str, wanted: LineFragment, lines: Lines | None, line_count: int
) -> Citation:
    """Return the reply for lines that a reference names with their hash.

    ``lines``: the lines of the note at ``uri`` that have this hash now, if it has any;
    ``line_count``: of that note.
    """
    if lines is None:
        return changed(ref) if wanted.is_within(line_count) else gone(ref)
    if lines == (wanted.first, wanted.last):
        return stands(ref)
    return moved(ref, line_reference(uri, lines, wanted.hash or ""))
