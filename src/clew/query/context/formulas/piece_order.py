"""The order in which single pieces are tried for a pack."""

from collections.abc import Sequence
from math import inf, nextafter

from clew.query.context.selection import Candidate
from clew.query.context.shown.together import is_only_lead


def piece_order(candidates: Sequence[Candidate]) -> list[tuple[int, int]]:
    """Return all pieces by falling relevance of their passage times their own worth.

    Those of a superseded note come after the best piece of each live note that replaces it. Heads
    of tables, titles of callouts and lines in bold above lists come with what is below them.
    """
    bounds = _bounds(candidates)
    worth = [
        (-min(candidate.relevance * piece.worth, bounds.get(index, inf)), index, place)
        for index, candidate in enumerate(candidates)
        for place, piece in enumerate(candidate.pieces)
        if piece.text[:1].isalpha() or not is_only_lead(candidate.pieces, place)
    ]
    return [(index, place) for _, index, place in sorted(worth)]


def _bounds(candidates: Sequence[Candidate]) -> dict[int, float]:
    """Return the most that pieces of superseded notes may be worth, by index of the candidate."""
    notes = {i: each.passage.note for i, each in enumerate(candidates) if each.passage is not None}
    superseded = {index: note for index, note in notes.items() if note.superseded_by}
    if not superseded:
        return {}
    best: dict[str, float] = {}
    for index, note in notes.items():
        worths = [candidates[index].relevance * piece.worth for piece in candidates[index].pieces]
        best[note.uri] = max(best.get(note.uri, 0.0), *worths)
    return {
        index: nextafter(
            min(best[each.uri] for each in note.superseded_by if each.uri in best), 0.0
        )
        for index, note in superseded.items()
        if any(each.uri in best for each in note.superseded_by)
    }
