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
        self._references: defaultdict[str, set[Reference]] = defaultdict(set)
        for each in held:
            self._references[each.uri].add(each)
        self._lines_by_path: dict[str, bytearray] = {}  # by line: whether it is held

    def left(self, candidate: Candidate) -> Candidate:
        """Return the candidate without its excluded pieces."""
        passage = candidate.passage
        if passage is None or passage.note.path not in self._references:
            return candidate
        is_held = self._lines(passage.note.path, passage.note.text)
        kept = [piece for piece in candidate.pieces if not is_held[piece.line]]
        return replace(candidate, pieces=kept, tokens=sum(piece.tokens for piece in kept))

    def _lines(self, path: str, text: str) -> bytearray:
        """Return for each line of a note, from 1 on, whether the caller holds it."""
        if path not in self._lines_by_path:
            count = text.count("\n") + 1
            is_held = bytearray(count + 1)
            for each in self._references[path]:
                first, last = each.lines or (1, count)
                first, last = max(1, first), min(last, count)
                # What has changed since it was delivered is new.
                if first <= last and each.hash in (None, lines_hash(text, first, last)):
                    is_held[first : last + 1] = b"\1" * (last + 1 - first)
            self._lines_by_path[path] = is_held
        return self._lines_by_path[path]
