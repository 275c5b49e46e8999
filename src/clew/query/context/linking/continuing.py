"""Passages that continue those that search found.

The words of a question often stand in a passage that leads to the answer: the line above a long
table, the beginning of a section, the heading of a note, a link that names a section. So a passage
gets a share of the relevance of

- a passage before it that announces it with a colon, or that is the beginning of its section;
- its neighbours in the same section;
- any passage of its note, if the note is short: the steps of a log tell little without each other.
  The share falls with the length of the note;
- the best passage of its note, if its heading has words of the question. Search counts these words
  for all passages of the note, so it may prefer others;
- a passage with a link to its section, if search found its note.
"""

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from heapq import heappop, heappush, nlargest
from operator import itemgetter

from clew.engine.snapshot import Snapshot
from clew.query.context.formulas.relevance import RankedSlots
from clew.query.context.linking.fragment_lines import FragmentLines
from clew.text.markdown.announcing import announces
from clew.text.regions.sections import section_at
from clew.text.similarity.folded_terms import TermForms, forms_within, terms_in, weight_of
from clew.values.note import Note, Wikilink

ANNOUNCED = 0.5  # share of the relevance that a passage gets from one before that ends with a colon
WITHIN = 0.4  # share from the best passage of its note, if the note is short
WITHIN_MIN = 0.2  # a smaller share is none, as most of a long note is about something else
HEADED = 0.8  # share from the best passage of its note, if its heading has half of the query
HEADED_MAX = 8  # passages of a note below such headings that are looked at
NAMED = 0.4  # share from a passage with a link to its section
BELOW = 0.35  # share from the beginning of its section
NEIGHBOUR = 0.15  # share from any other neighbour
BELOW_MAX = 8  # passages of a section after its first one that are looked at
NAMED_MAX = 8  # links to sections that are looked at in one passage
FRAGMENTS_MAX = 64  # sections that are looked for

Place = tuple[float, str, int]  # the score, the path and the part of a passage


def with_continuing(
    snapshot: Snapshot,
    note_at: Callable[[str], Note],
    found: Iterator[Place],
    ranked: RankedSlots,
    terms: Sequence[TermForms],
    whole_max: int,
) -> Iterator[Place]:
    """Yield the passages that were found, best first, and those that continue them.

    ``found``: the places of ``ranked``. ``terms``: those of the query. ``whole_max``: the most
    tokens of a short note.
    """
    sections = _NamedSections(snapshot, note_at, ranked)
    waiting: list[Place] = []  # a heap, of negative scores
    seen: set[str] = set()
    for score, path, part in found:
        while waiting and -waiting[0][0] > score:
            negative, near_path, near_part = heappop(waiting)
            yield -negative, near_path, near_part
        yield score, path, part
        note = note_at(path)
        if path not in seen:
            seen.add(path)
            within = _share_within(note, whole_max)
            for other in range(1, len(note.chunks) + 1) if within else ():
                heappush(waiting, (-within * score, path, other))
            for headed, share in _headed(note, terms):
                heappush(waiting, (-share * score, path, headed))
        for beside, share in _beside(note, part):
            heappush(waiting, (-share * score, path, beside))
        for named_path, named_part in sections.named_in(path, part):
            heappush(waiting, (-NAMED * score, named_path, named_part))
    while waiting:
        negative, path, part = heappop(waiting)
        yield -negative, path, part


def _share_within(note: Note, whole_max: int) -> float:
    """Return the share that any passage of a note gets from its best one; 0.0 for none.

    It is ``WITHIN`` for a note of at most ``whole_max`` tokens, and falls as the note is longer.
    """
    tokens = sum(chunk.tokens for chunk in note.chunks)
    share = WITHIN * min(1.0, whole_max / max(1, tokens))
    return share if len(note.chunks) > 1 and share >= WITHIN_MIN else 0.0


def _headed(note: Note, terms: Sequence[TermForms]) -> list[tuple[int, float]]:
    """Return the parts of a note below headings with most of the query, and their shares.

    The words of the title tell none of its parts from the others.
    """
    headings = [heading.text.casefold() for heading in note.headings]
    within = forms_within("\n".join(headings), [forms for forms, _ in terms])
    if not any(within):  # as mostly
        return []
    titled = terms_in(note.title.casefold(), within)
    half = sum(weight for _, weight in terms) / 2.0 or 1.0
    shares = [
        min(1.0, weight_of(terms_in(each, within) - titled, terms) / half) for each in headings
    ]
    parts: list[tuple[int, float]] = []
    for part, chunk in enumerate(note.chunks, 1):
        last = section_at(note.headings, chunk.last_line)  # a chunk may hold short sections
        share = max(shares[max(0, chunk.heading) : last + 1], default=0.0)
        if share:
            parts.append((part, HEADED * share))
    return nlargest(HEADED_MAX, parts, key=itemgetter(1))


def _beside(note: Note, part: int) -> Iterator[tuple[int, float]]:
    """Yield the parts that go on with a part of a note, or lead to it, and their shares."""
    if not 1 <= part <= len(note.chunks):
        return
    chunk, before = note.chunks[part - 1], note.chunks[part - 2] if part > 1 else None
    if before is not None and _is_below(note, chunk.heading, before.heading):
        yield part - 1, NEIGHBOUR if before.heading == chunk.heading else BELOW
    opened = section_at(note.headings, chunk.last_line)  # a chunk may hold short sections
    is_first = before is None or before.heading != opened
    is_all = part == 1 and _is_below(note, note.chunks[-1].heading, opened)
    share = BELOW if is_first and not is_all else 0.0
    for place, later in enumerate(note.chunks[part : part + BELOW_MAX], part + 1):
        if place == part + 1 and _is_below(note, later.heading, chunk.heading):
            is_announced = announces(note.text[max(chunk.start, chunk.end - 10) : chunk.end])
            near = NEIGHBOUR if later.heading == opened else BELOW
            yield place, ANNOUNCED if is_announced else max(share, near)
        elif share and _is_below(note, later.heading, opened):
            yield place, share
        else:
            return


def _is_below(note: Note, heading: int, above: int) -> bool:
    """Return whether the section at index ``heading`` is that at ``above``, or a part of it."""
    if above < 0 or heading == above:
        return True
    level, between = note.headings[above].level, range(above + 1, heading + 1)
    return heading > above and all(note.headings[index].level > level for index in between)


class _NamedSections:
    """The sections that links in passages name, of notes that search found."""

    def __init__(
        self, snapshot: Snapshot, note_at: Callable[[str], Note], ranked: RankedSlots
    ) -> None:
        self._snapshot, self._note_at, self._ranked = snapshot, note_at, ranked
        self._links: dict[str, list[tuple[Wikilink, str]]] = {}  # with their fragment, by path
        self._lines = FragmentLines(note_at, FRAGMENTS_MAX)

    def named_in(self, path: str, part: int) -> Iterator[tuple[str, int]]:
        """Yield the path and the part of each section that a link in a passage names."""
        note = self._note_at(path)
        if path not in self._links:
            self._links[path] = [(link, link.fragment) for link in note.links if link.fragment]
        links = self._links[path]
        if not links or not 1 <= part <= len(note.chunks):
            return  # as mostly
        first, last = note.chunks[part - 1].first_line, note.chunks[part - 1].last_line
        within = [each for each in links if first <= each[0].line <= last]
        for link, fragment in within[:NAMED_MAX]:
            other = self._snapshot.resolve(link, path)
            lines = self._lines.of(other, fragment) if other and self._is_found(other) else None
            if other and lines and self._note_at(other).chunks:  # lines may be of properties alone
                yield other, _part_at(self._note_at(other), lines[0])

    def _is_found(self, path: str) -> bool:
        return self._snapshot.graph.note_ids.get(path) in self._found_ids

    @cached_property
    def _found_ids(self) -> AbstractSet[int]:
        """The ids of the notes that search found; most packs need none."""
        return frozenset(self._snapshot.passages.slots.note_ids[self._ranked.slots].tolist())


def _part_at(note: Note, line: int) -> int:
    """Return the part of a note with a line, or the first one after it."""
    before = [chunk for chunk in note.chunks if chunk.last_line < line]
    return min(len(before) + 1, len(note.chunks))
