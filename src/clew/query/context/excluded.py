"""References that the caller holds already: their lines are left out of a pack."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from clew.query.context.references import Reference, lines_hash
from clew.query.context.selection import Candidate


class Excluded:
    """The lines to leave out, by note."""

    def __init__(self, held: Sequence[Reference]) -> None:
        """``held``: references by the paths of notes."""
        self._by_path: defaultdict[str, list[Reference]] = defaultdict(list)
        for each in held:
            self._by_path[each.uri].append(each)

    def left(self, candidate: Candidate) -> Candidate:
        """Return the candidate without its excluded pieces."""
        passage = candidate.passage
        if passage is None:
            return candidate
        references = self._by_path.get(passage.note.path, ())
        spans = [each.lines for each in references if self._stands(each, passage.note.text)]
        if not spans:
            return candidate
        kept = [
            piece
            for piece in candidate.pieces
            if not any(span is None or span[0] <= piece.line <= span[1] for span in spans)
        ]
        return replace(candidate, pieces=kept, tokens=sum(piece.tokens for piece in kept))

    def _stands(self, reference: Reference, text: str) -> bool:
        """Return whether a reference is of the present text: what has changed is new."""
        if reference.lines is None or reference.hash is None:
            return True
        return lines_hash(text, *reference.lines) == reference.hash
