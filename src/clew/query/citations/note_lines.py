"""Find the lines of a note that references name, also if they have moved within the note.

The lines that are read count against a limit, since ten thousand references may each name a long
note, and a long line counts as several. A passage that is too long to be compared with all lines of
its note is only looked for near its old place.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate, islice

from clew.query.citations.passage_hash import hashes_of_runs, passage_hash
from clew.query.references.forms import LineFragment, line_fragment
from clew.query.references.fragments import Lines, lines_of, lines_of_text
from clew.query.slices import PAUSE, Slices
from clew.values.note import Note

LINES_MAX = 4_000_000  # read for one request, in two seconds
_LINES_A_STEP = 4_096
_CHARACTERS_A_LINE = 256  # of a long line, which take as long as to read another line


class OutOfEffort(Exception):
    """A request has read as many lines as it may."""


@dataclass(slots=True)
class Effort:
    """The number of lines that a request may still read."""

    left: int = LINES_MAX
    total: int = field(init=False)

    def __post_init__(self) -> None:
        self.total = self.left

    @property
    def of_search(self) -> int:
        """The most lines to read where a whole note is searched for one passage."""
        return self.total // 2

    @property
    def of_near_search(self) -> int:
        """The most lines to read where a passage is searched near its old place."""
        return self.total // 20

    def spend(self, lines: int) -> None:
        """Count ``lines`` that are about to be read.

        Raises:
            OutOfEffort: more than are left.
        """
        if lines > self.left:
            raise OutOfEffort
        self.left -= lines


class NoteLines:
    """The lines of one note; all methods raise ``OutOfEffort``."""

    def __init__(self, note: Note, effort: Effort) -> None:
        self._note, self._effort = note, effort
        line_breaks = note.text.count("\n")
        effort.spend(line_breaks)  # before the text is split, which takes longer
        self.lines = lines_of_text(note.text)
        costs = [1 + length // _CHARACTERS_A_LINE for length in map(len, self.lines)]
        self._costs_up_to = list(accumulate(costs, initial=0))
        self._cost = self._costs_up_to[-1]
        effort.spend(self._cost - line_breaks)
        self._starts_by_count: dict[int, dict[str, list[int]]] = {}

    def named(self, fragment: str) -> Lines | None:
        """Return the lines that a fragment names; ``None`` if the note has no such part."""
        if line_fragment(fragment) is None:
            self._effort.spend(self._cost)
        return lines_of(self._note, self.lines, fragment)

    def now(self, fragment: str) -> Slices[Lines | None]:
        """Return the lines that a fragment names; with a hash, the lines that have it now."""
        numbered = line_fragment(fragment)
        if numbered is not None and numbered.hash is not None:
            return (yield from self.standing(numbered))
        return self.named(fragment) if fragment else (1, len(self.lines))

    def hash(self, lines: Lines) -> str:
        """Return the hash of lines that exist."""
        first, last = lines
        self._effort.spend(self._costs_up_to[last] - self._costs_up_to[first - 1])
        return passage_hash(self.lines[first - 1 : last])

    def standing(self, wanted: LineFragment) -> Slices[Lines | None]:
        """Return the lines with the hash of ``wanted``: those it names, else the nearest others.

        ``None`` if no lines of the note have it, or ``wanted`` has none.
        """
        if wanted.hash is None or not 1 <= wanted.line_count <= len(self.lines):
            return None
        place = wanted.first, wanted.last
        if wanted.first >= 1 and wanted.last <= len(self.lines) and self.hash(place) == wanted.hash:
            return place
        first = yield from self._nearest_start(wanted, wanted.hash)
        return None if first is None else (first, first + wanted.line_count - 1)

    def _nearest_start(self, wanted: LineFragment, digits: str) -> Slices[int | None]:
        """Return the first of the lines with hash ``digits`` that are nearest to ``wanted``."""

        def distance(start: int) -> int:
            return abs(start - wanted.first)

        count = wanted.line_count
        starts = range(1, len(self.lines) - count + 2)
        if self._cost_of_runs(count) <= self._effort.of_search:
            starts_by_hash = yield from self._starts(count)
            return min(starts_by_hash.get(digits, ()), key=distance, default=None)
        most = self._effort.of_near_search * len(self.lines) // (self._cost * count)
        for start in islice(nearest_first(starts, wanted.first), most):
            if self.hash((start, start + count - 1)) == digits:
                return start
            yield PAUSE
        return None

    def _cost_of_runs(self, count: int) -> int:
        """Return what it costs to read all runs of ``count`` lines, as if all were as long."""
        return count * (len(self.lines) - count + 1) * self._cost // len(self.lines)

    def _starts(self, count: int) -> Slices[dict[str, list[int]]]:
        """Return the first lines of all runs of ``count`` lines, by the hash of the run."""
        if count not in self._starts_by_count:
            self._effort.spend(self._cost_of_runs(count))
            starts = defaultdict[str, list[int]](list)
            step = max(1, _LINES_A_STEP * len(self.lines) // (self._cost * count))
            for begin in range(0, len(self.lines) - count + 1, step):
                part = self.lines[begin : begin + step + count - 1]
                for first, digits in enumerate(hashes_of_runs(part, count), begin + 1):
                    starts[digits].append(first)
                yield PAUSE
            self._starts_by_count[count] = starts
        return self._starts_by_count[count]


def affordable_lines(note: Note, effort: Effort) -> NoteLines | None:
    """Return the lines of ``note``; ``None`` if they are more than may still be read."""
    try:
        return NoteLines(note, effort)
    except OutOfEffort:
        return None


def nearest_first(starts: range, place: int) -> Iterator[int]:
    """Yield ``starts``, those nearest to a place first; of two as near, the lower one."""
    middle = min(max(place, starts[0]), starts[-1])
    yield middle
    for distance in range(1, len(starts)):
        yield from (start for start in (middle - distance, middle + distance) if start in starts)
