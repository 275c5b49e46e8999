"""Links between passages: one leads to another by a link or an unlinked mention in its text.

A link to a section or a block leads to the best passage that has a line of it, any other one to the
best passage of its note. The more links a passage has, the less each counts, and one with more
than ``LINKS_MAX`` leads nowhere: it is a list.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from math import sqrt
from typing import NamedTuple

from clew.engine.snapshot import Snapshot
from clew.index.mentions.name_forms import folded_prose, names_of, place_of_name
from clew.index.same_named import as_written
from clew.query.context.linking.fragment_lines import FragmentLines
from clew.query.context.passages import PROPERTIES_PART, Passage
from clew.query.slices import PAUSE, Slices
from clew.values.note import Note, Wikilink

LINKS_MAX = 64  # of a passage that is no list
FRAGMENTS_MAX = 200  # further links to a section or block count as links to the note
_PASSAGES_A_STEP = 4


class PassageLink(NamedTuple):
    """One passage leads to another."""

    source: int  # indexes of the passages
    target: int
    share: float  # 1 / sqrt(how many links and mentions the source has)


def passage_links(snapshot: Snapshot, passages: Sequence[Passage]) -> Slices[list[PassageLink]]:
    """Return the links between these passages, which are given best first."""
    within = _LinkEnds(snapshot, passages)
    found: list[PassageLink] = []
    for source, passage in enumerate(passages):
        if source % _PASSAGES_A_STEP == 0:
            yield PAUSE
        if passage.part == PROPERTIES_PART or not within.has_leads(passage.note.path):
            continue  # as mostly
        links = within.links_in(passage)
        if len(links) > LINKS_MAX:
            continue
        mentioned = set(within.mentioned_in(passage))
        share = 1.0 / sqrt(len({link.canonical_target for link in links}) + len(mentioned) or 1)
        targets = mentioned.union(within.target_of(link, passage) for link in links)
        found += (
            PassageLink(source, target, share) for target in sorted(targets - {source, _NOWHERE})
        )
    return found


_NOWHERE = -1


class _Source(NamedTuple):
    """A note with passages: its links, by line, and which of the other notes it mentions."""

    note: Note
    lines: list[int]  # of the links
    links: list[Wikilink]
    mentioned: AbstractSet[int]  # ids of notes with passages


class _LinkEnds:
    """The passages that may enter a pack, as ends of links."""

    def __init__(self, snapshot: Snapshot, passages: Sequence[Passage]) -> None:
        self._snapshot = snapshot
        self._passages = passages
        self._places: dict[str, list[int]] = {}  # indexes of the passages by path, the best first
        for place, passage in enumerate(passages):
            self._places.setdefault(passage.note.path, []).append(place)
        for places in self._places.values():  # properties last
            places.sort(key=lambda place: (passages[place].part == PROPERTIES_PART, place))
        self._path_by_target = {
            text: path
            for path in self._places
            for text in snapshot.targets.texts_resolving_to(path)
        }
        # A target is one of these whatever the folder of the link to it.
        self._targets = set(map(as_written, self._path_by_target))
        self._ids = {snapshot.graph.note_ids[path]: path for path in self._places}
        self._sources: dict[str, _Source] = {}  # by path
        self._lines = FragmentLines(snapshot.note, FRAGMENTS_MAX)

    def has_leads(self, path: str) -> bool:
        """Return whether a note may link to another one of the passages, or mentions one."""
        source = self._source_at(path)
        return bool(source.mentioned) or any(
            link.canonical_target in self._targets for link in source.links
        )

    def _source_at(self, path: str) -> "_Source":
        source = self._sources.get(path)
        if source is None:
            note, note_id = self._snapshot.note(path), self._snapshot.graph.note_ids[path]
            links = sorted(note.links, key=lambda link: link.line)
            mentioned = self._ids.keys() & set(self._snapshot.mentions.mentioned_by(note_id))
            source = _Source(note, [link.line for link in links], links, mentioned)
            self._sources[path] = source
        return source

    def links_in(self, passage: Passage) -> list[Wikilink]:
        """Return the links in a passage, of long ones ``LINKS_MAX`` and one more."""
        note, lines, links, _ = self._source_at(passage.note.path)
        first, last = bisect_left(lines, passage.first_line), bisect_right(lines, passage.last_line)
        found = links[first : min(last, first + LINKS_MAX + 1)]
        text = note.text[passage.start : passage.end]
        is_whole = note.text[passage.start - 1 : passage.start] in ("", "\n") and (
            note.text[passage.end : passage.end + 1] in ("", "\n") or text.endswith("\n")
        )
        # Part of a first or last line, with its links, may be in another passage.
        return found if is_whole else [link for link in found if link.target in text]

    def target_of(self, link: Wikilink, passage: Passage) -> int:
        """Return the index of the passage that a link in ``passage`` leads to, or ``_NOWHERE``."""
        source = passage.note.path
        if not link.target or link.canonical_target not in self._targets:
            return _NOWHERE
        path = self._path_by_target.get(self._snapshot.target_of(link, source))
        if path is None or path == source:
            return _NOWHERE
        places = self._places[path]
        lines = self._lines.of(path, link.fragment) if link.fragment else None
        if lines is not None:
            for place in places:
                each = self._passages[place]
                if each.first_line <= lines[1] and lines[0] <= each.last_line:
                    return place
        return places[0]

    def mentioned_in(self, passage: Passage) -> Iterator[int]:
        """Yield the best passage of each note that ``passage`` mentions without a link."""
        snapshot, path = self._snapshot, passage.note.path
        note, _, _, mentioned = self._source_at(path)
        if not mentioned:
            return
        text, own = folded_prose(note.text[passage.start : passage.end]), names_of(note)
        for other in (self._ids[note_id] for note_id in mentioned):
            names = snapshot.mentions.names_in(path, other)
            if any(place_of_name(text, name, own) >= 0 for name in names):
                yield self._places[other][0]
