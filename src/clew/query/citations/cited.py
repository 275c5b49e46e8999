"""The reply about one reference: whether what it names still says the same."""

from clew.query.citations.passage_hash import line_reference
from clew.query.references.forms import LineFragment
from clew.query.references.fragments import Lines
from clew.values.replies import Citation


def stands(ref: str) -> Citation:
    """Return that a reference stands."""
    return Citation(ref=ref, state="stands", now=None)


def moved(ref: str, now: str) -> Citation:
    """Return that what a reference names is at another place now."""
    return Citation(ref=ref, state="moved", now=now)


def changed(ref: str) -> Citation:
    """Return that other text stands at the lines that a reference names."""
    return Citation(ref=ref, state="changed", now=None)


def gone(ref: str) -> Citation:
    """Return that a reference names nothing any more."""
    return Citation(ref=ref, state="gone", now=None)


def citation(
    ref: str, uri: str, wanted: LineFragment, lines: Lines | None, line_count: int
) -> Citation:
    """Return the state of lines that were given with their hash.

    ``lines`` of the note at ``uri``, which has ``line_count``, have this hash now; ``None`` if none
    have.
    """
    if lines is None:
        return changed(ref) if wanted.is_within(line_count) else gone(ref)
    if lines == (wanted.first, wanted.last):
        return stands(ref)
    return moved(ref, line_reference(uri, lines, wanted.hash or ""))
