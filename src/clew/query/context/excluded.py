"""References that the caller holds already: their lines are left out of a pack."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from msgspec.structs import replace

from clew.engine.snapshot import Snapshot
from clew.query.citations.note_lines import Effort, OutOfEffort, affordable_lines
from clew.query.context.passages import Passage
from clew.query.context.pieces import Piece
from clew.query.context.selection import Candidate
from clew.query.references.forms import line_fragment
from clew.query.references.fragments import Lines
from clew.query.references.locate import locate_place
from clew.query.slices import PAUSE, Slices
from clew.values.errors import ECHO_CHARACTERS_MAX, Ambiguous, UnknownNote

UNKNOWN_MAX = 100  # references that are listed because they name nothing
_REFERENCES_A_STEP = 32


@dataclass(frozen=True, slots=True)
class Held:
    """What the caller holds."""

    is_held_by_path: Mapping[str, bytearray]  # by line from 1 on; of notes with candidates only
    unknown: tuple[str, ...]  # references that name no note or no part of one

    def has_all(self, passage: Passage) -> bool:
        """Return whether the caller holds all lines of a passage."""
        is_held = self.is_held_by_path.get(passage.note.path)
        return is_held is not None and all(is_held[passage.first_line : passage.last_line + 1])


@dataclass(frozen=True, slots=True)
class _Asked:
    """A reference as it was written, and what it names within its note."""

    text: str
    fragment: str


def held_lines(
    snapshot: Snapshot, references: Sequence[str], candidates: AbstractSet[str]
) -> Slices[Held]:
    """Return the lines that references name, in the notes at the paths ``candidates``.

    Lines that have changed since their reference was given are not held, and those that have moved
    within their note are.
    """
    unknown: list[str] = []
    asked_by_path: defaultdict[str, list[_Asked]] = defaultdict(list)
    for count, text in enumerate(dict.fromkeys(references)):
        try:
            place = locate_place(snapshot, text)
        except (UnknownNote, Ambiguous):
            unknown.append(text)
        else:
            asked_by_path[place.path].append(_Asked(text, place.fragment))
        if count % _REFERENCES_A_STEP == 0:
            yield PAUSE
    effort = Effort()
    is_held_by_path: dict[str, bytearray] = {}
    for path, asked in asked_by_path.items():
        is_candidate = path in candidates
        if not is_candidate and all(_names_lines(each) for each in asked):
            continue
        lines, nowhere = yield from _lines_held(snapshot, path, asked, effort)
        unknown += nowhere
        if is_candidate:
            is_held_by_path[path] = _marked(lines, snapshot.note(path).text.count("\n") + 1)
        yield PAUSE
    return Held(
        is_held_by_path, tuple(each[:ECHO_CHARACTERS_MAX] for each in unknown[:UNKNOWN_MAX])
    )


def _names_lines(asked: _Asked) -> bool:
    return not asked.fragment or line_fragment(asked.fragment) is not None


def _lines_held(
    snapshot: Snapshot, path: str, asked: Sequence[_Asked], effort: Effort
) -> Slices[tuple[list[Lines], list[str]]]:
    """Return the lines of one note that are held, and the references that name no part of it."""
    held: list[Lines] = []
    nowhere: list[str] = []
    note_lines = affordable_lines(snapshot.note(path), effort)
    for each in asked:
        try:
            lines = (yield from note_lines.now(each.fragment)) if note_lines else None
        except OutOfEffort:
            lines = None
        if lines is not None:
            held.append(lines)
        elif not _names_lines(each):
            nowhere.append(each.text)
        yield PAUSE
    return held, nowhere


def _marked(held: Sequence[Lines], count: int) -> bytearray:
    """Return for each of ``count`` lines, from 1 on, whether it is held."""
    is_held = bytearray(count + 1)
    end = 0
    for first, last in sorted(held):  # so that each line is marked once
        start = max(first, end + 1)
        is_held[start : last + 1] = b"\1" * (last + 1 - start)
        end = max(end, last)
    return is_held


def without_held(candidate: Candidate, held: Held) -> Candidate:
    """Return the candidate without the pieces that the caller holds."""
    passage = candidate.passage
    is_held = held.is_held_by_path.get(passage.note.path) if passage else None
    if is_held is None:
        return candidate
    text = passage.note.text if passage else ""

    def holds(piece: Piece) -> bool:
        return all(is_held[piece.line : piece.line + text.count("\n", piece.start, piece.end) + 1])

    kept = [piece for piece in candidate.pieces if not holds(piece)]
    return replace(candidate, pieces=kept, tokens=sum(piece.tokens for piece in kept))
