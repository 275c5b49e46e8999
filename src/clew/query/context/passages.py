"""Passages that may enter a pack, best first.

A passage is a chunk of a note, or its properties: the lines of front matter, if only they have a
word of the query, or the note has no text.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, groupby, islice

from msgspec import Struct

from clew.engine.snapshot import Snapshot
from clew.index.formulas.note_dates import DateSource
from clew.query.context.formulas.relevance import RankedSlots
from clew.query.context.linking.continuing import NEIGHBOUR, Place, with_continuing
from clew.query.context.shown.related import named_files
from clew.query.dates import iso
from clew.query.quoting.note_text import one_line
from clew.query.slices import PAUSE, Slices
from clew.query.successors import replaced_by
from clew.text.filename import extension_of
from clew.text.markdown.property_lines import PropertyLines, property_lines
from clew.text.masking.secrets import is_masking, masked
from clew.text.passages import heading_path
from clew.text.regions.sections import empty_sections
from clew.text.similarity.folded_terms import Forms, TermForms, forms_within, terms_in
from clew.text.uri import to_uri
from clew.values.note import Heading, Note
from clew.values.search_replies import LiveNote

PASSAGES_MIN, PASSAGES_MAX = 32, 600  # that are looked at
TOKENS_ENOUGH = 6_000  # passages with so many together need not be ``PASSAGES_MIN``
RELATED_MAX = 20  # related files of one note
WHOLE_SHARE = 6  # a note is short if it has at most this part of the tokens that are looked at
CODE_EXTENSIONS = frozenset(
    (
        "py",
        "js",
        "ts",
        "tsx",
        "go",
        "rs",
        "java",
        "c",
        "h",
        "cpp",
        "cs",
        "rb",
        "php",
        "kt",
        "sh",
        "sql",
    )
)
PROPERTIES_PART = 0  # chunks are the parts from 1 on
_CHARACTERS_A_TOKEN = 3  # of front matter
_NOTES_A_STEP = 8  # notes decoded without a pause
_ROWS_A_STEP = 64  # ranked slots that are read at once


class NoteCard(Struct, frozen=True, eq=False, gc=False):
    """What a pack shows of a note; refers to no snapshot."""

    path: str
    uri: str
    title: str
    text: str
    body_start: int  # in characters of the text
    headings: tuple[Heading, ...]  # by line
    type: str
    tags: tuple[str, ...]
    importance: float  # 0..1
    created: str  # the day, as ISO 8601, and where it comes from; "" without details
    changed: str  # the same
    related_files: tuple[str, ...]  # none without details
    superseded_by: tuple[LiveNote, ...] = ()  # the live notes that replace it
    empty_sections: frozenset[int] = frozenset()  # where headings begin that are left out
    day: str = ""  # for a query with a period: the note's day in it, else of its last change
    is_of_period: bool = True
    masks_secrets: bool = True
    has_secrets: bool = True  # there may be some in the text, which are masked

    def masked(self, text: str) -> str:
        """Return a name or a heading of the note without secrets."""
        if not self.masks_secrets:
            return text
        return masked(text)[0]


class Passage(Struct, frozen=True, eq=False, gc=False):
    """A chunk of a note, or its properties, that may enter a pack."""

    note: NoteCard
    part: int  # of its note: 1 for the first chunk, ``PROPERTIES_PART``
    headings: tuple[str, ...]  # above the passage, outermost first
    start: int  # in characters of the note's text
    end: int
    first_line: int  # 1-based
    last_line: int
    tokens: int  # of its text
    is_whole: bool  # it is all the text of its note
    relevance: float  # comparable within one query
    part_tokens: tuple[int, ...] = ()  # of its chunk; none of properties

    @property
    def is_beside_text(self) -> bool:
        """Whether it is the properties of a note that has text besides them."""
        return self.part == PROPERTIES_PART and self.note.body_start > 0


def passages_of(
    snapshot: Snapshot,
    ranked: RankedSlots,
    terms: Sequence[TermForms],
    tokens_min: int,
    count_max: int = PASSAGES_MAX,
    *,
    has_details: bool = True,
) -> Slices[list[Passage]]:
    """Return the passages with the highest relevance, best first; ties by place.

    There are as many as have ``tokens_min`` tokens together, and at least ``PASSAGES_MIN``, or
    fewer that have ``TOKENS_ENOUGH``, but no more than ``count_max``. ``terms``: those of the
    query. ``has_details``: with dates and related files of their notes.
    """
    found: dict[tuple[str, int], Passage] = {}
    cards: dict[str, NoteCard] = {}
    note_at = cache(snapshot.note)
    tokens = 0
    in_order = _in_order(snapshot, ranked)
    whole_max = tokens_min // WHOLE_SHARE
    places = with_continuing(snapshot, note_at, in_order, ranked, terms, whole_max)
    forms = [spelled for spelled, _ in terms]
    for score, path, part in islice(places, count_max):
        is_enough = len(found) >= PASSAGES_MIN or tokens >= TOKENS_ENOUGH
        if is_enough and tokens >= tokens_min:
            break
        note = note_at(path)
        if path not in cards:
            card = cards[path] = _card(snapshot, note, has_details=has_details)
            properties = _properties(note, card, forms, score)
            if properties is not None:
                found[path, PROPERTIES_PART] = properties
                tokens += properties.tokens
            if len(cards) % _NOTES_A_STEP == 0:
                yield PAUSE
        if part <= len(note.chunks) and (path, part) not in found:
            found[path, part] = _passage(note, cards[path], part, score)
            tokens += note.chunks[part - 1].tokens
    return list(found.values())[:count_max]


def _in_order(snapshot: Snapshot, ranked: RankedSlots) -> Iterator[Place]:
    """Yield the score, the path and the part of each passage: the best first, ties by place.

    Only the paths of those that are taken are looked up.
    """
    slots = snapshot.passages.slots
    columns = (
        ranked.relevance, slots.note_ids[ranked.slots], ranked.slots, slots.parts[ranked.slots]
    )  # fmt: skip
    rows = chain.from_iterable(  # a step at a time, since few are taken
        zip(*(each[first : first + _ROWS_A_STEP].tolist() for each in columns), strict=True)
        for first in range(0, len(ranked.slots), _ROWS_A_STEP)
    )
    for score, tied in groupby(rows, key=lambda row: round(row[0], 9)):
        places = sorted((snapshot.graph.path(note_id), *place) for _, note_id, *place in tied)
        for path, _, part in places:
            yield score, path, max(1, part)  # a head stands for the first chunk


def newest_passages(
    snapshot: Snapshot, note_ids: Iterable[int], tokens_min: int, *, has_details: bool
) -> Slices[list[Passage]]:
    """Return the first passage of each of these notes, in their order, then the others.

    There are as many as have ``tokens_min`` tokens together, if the notes have so many.
    """
    found: list[Passage] = []
    waiting: list[tuple[Note, NoteCard, int]] = []  # and the part
    tokens = 0
    for note_id in note_ids:
        if tokens >= tokens_min:
            return found
        note = snapshot.note(snapshot.graph.path(note_id))
        card = _card(snapshot, note, has_details=has_details)
        passage = _passage(note, card, 1, 1.0) if note.chunks else _properties(note, card, (), 1.0)
        if passage is not None:
            found.append(passage)
            tokens += passage.tokens
        room = PASSAGES_MAX - len(waiting)
        waiting += [(note, card, part) for part in range(2, len(note.chunks) + 1)[:room]]
        yield PAUSE
    for note, card, part in waiting[: max(0, PASSAGES_MAX - len(found))]:
        if tokens >= tokens_min:
            break
        found.append(_passage(note, card, part, NEIGHBOUR))
        tokens += found[-1].tokens
    return found


def _properties(note: Note, card: NoteCard, forms: Forms, relevance: float) -> Passage | None:
    """Return the properties of a note as a passage, if they tell what its text does not.

    They do if the note has no text, or only they have some word of the query.
    """
    if note.chunks and not _has_a_form(note.text[: note.chunks[0].start], forms):
        return None  # as mostly
    lines = property_lines(note.text)
    if lines is None or (note.chunks and not _has_other_words(note, lines, forms)):
        return None
    first_line = note.text.count("\n", 0, lines.start) + 1
    return Passage(
        note=card,
        part=PROPERTIES_PART,
        headings=(),
        start=lines.start,
        end=lines.end,
        first_line=first_line,
        last_line=first_line + note.text.count("\n", lines.start, lines.end),
        tokens=1 + (lines.end - lines.start) // _CHARACTERS_A_TOKEN,
        is_whole=False,
        relevance=relevance,
    )


def _has_a_form(text: str, forms: Forms) -> bool:
    """Return whether a text has a spelling of any term, even inside of a word."""
    return any(forms_within(text.casefold(), forms))


def _has_other_words(note: Note, lines: PropertyLines, forms: Forms) -> bool:
    """Return whether a term of the query is in the properties, and not in the note's text."""
    in_properties = terms_in(lines.text.casefold(), forms)
    if not in_properties:
        return False
    text = f"{note.title}\n{note.text[note.chunks[0].start : note.chunks[-1].end]}"
    return not in_properties <= terms_in(text.casefold(), forms)


def _passage(note: Note, card: NoteCard, part: int, relevance: float) -> Passage:
    chunk = note.chunks[part - 1]
    return Passage(
        note=card,
        part=part,
        headings=heading_path(note, chunk.heading),
        start=chunk.start,
        end=chunk.end,
        first_line=chunk.first_line,
        last_line=chunk.last_line,
        tokens=chunk.tokens,
        part_tokens=chunk.part_tokens,
        is_whole=len(note.chunks) == 1,
        relevance=relevance,
    )


def _card(snapshot: Snapshot, note: Note, *, has_details: bool) -> NoteCard:
    dates = snapshot.dates(note.path) if has_details else None
    facts = snapshot.facts[note.path]
    shared = snapshot.symbols.are_shared(snapshot.graph.note_ids[note.path])
    return NoteCard(
        path=note.path,
        uri=to_uri(note.path),
        title=one_line(masked(snapshot.title_of(note))[0]),
        text=note.text,
        body_start=note.chunks[0].start if note.chunks else 0,
        headings=note.headings,
        type=one_line(masked(facts.type)[0]),
        tags=note.tags,
        importance=facts.importance,
        created=_date(dates.created_s, dates.created_from) if dates else "",
        changed=_date(dates.changed_s, dates.changed_from) if dates else "",
        related_files=_related_files(note) if has_details else (),
        superseded_by=replaced_by(snapshot, note.path),
        empty_sections=empty_sections(note.text, note.headings, shared),
        masks_secrets=is_masking.get(),
        has_secrets=is_masking.get() and note.may_have_secrets,
    )


def _date(at_s: float, source: DateSource) -> str:
    return f"{iso(at_s).partition('T')[0]} ({source})"


def _related_files(note: Note) -> tuple[str, ...]:
    """Return the files that the front matter names, then those of code that the text links to."""
    targets = (link.target for link in note.links)
    linked = (target for target in targets if extension_of(target) in CODE_EXTENSIONS)
    files = dict.fromkeys((*named_files(note.text), *linked))
    return tuple(one_line(masked(file)[0]) for file in islice(files, RELATED_MAX))
