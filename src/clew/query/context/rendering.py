"""The Markdown of a pack, by template; pure text from what was selected.

default: each passage under its title, the headings above it and its reference, with its tags.
compact: one short label a note, without a title that its reference has, and the lines with the
evidence. detailed: default with both dates and where they come from, scores, and related files.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec import Struct, json

from clew.query.context.insights import Insight
from clew.query.context.passages import NoteCard
from clew.query.context.pieces import Piece
from clew.query.context.shown.concepts import (
    SaidByPassage,
    insight_block,
    without_what_is_shown,
)
from clew.query.context.shown.references import span_reference
from clew.query.context.shown.runs import (
    HEADING_CHARACTERS_MAX,
    entry_text,
    label_path,
    last_line,
)
from clew.query.quoting.labels import (
    DID_NOT_FIT,
    METADATA,
    NO_ANSWER,
    NOT_OF_PERIOD,
    Remark,
)
from clew.query.quoting.note_text import in_label, one_line, without_tags
from clew.query.successors import superseded_line
from clew.text.dates.shown import shown_period
from clew.text.filename import stem_of
from clew.values.search_replies import AskedPeriod

if TYPE_CHECKING:
    from clew.query.code.related import CodeInsight

DELIVERED_HEADING = "## Already Delivered"
QUERY_CHARACTERS_MAX = 200
WEAK = f"*{Remark.WEAK} the notes say little about this.*"
HELD = f"*{Remark.HELD} what the notes say of this is held already.*"
NAMES_MAX = 3  # near names that are shown
NAME_CHARACTERS_MAX = 40  # of each
TAGS_MAX = 8
TAG_CHARACTERS_MAX = 60  # of each
HEADINGS_MAX = 4  # in a label, innermost
FILE_CHARACTERS_MAX = 80  # of a related file


class Entry(Struct, frozen=True, gc=False):
    """Pieces of one note, in the order of its text."""

    note: NoteCard
    pieces: tuple[Piece, ...]
    relevance: float  # of its best passage, 0..1
    score: float = 0.0  # of its best passage, by the reranker

    @property
    def reference(self) -> str:
        """The reference of its lines, without the heads of the code that they are in."""
        note = self.note
        cited = [piece for piece in self.pieces if not piece.is_head] or self.pieces
        lines = cited[0].line, last_line(note.text, cited[-1])
        return span_reference(note.uri, note.text, cited[0].start, cited[-1].end, lines)


def live_first(entries: Sequence[Entry]) -> list[Entry]:
    """Return entries in their order, but those of live notes above those that they replace."""
    entries_by_uri: dict[str, list[Entry]] = {}
    for entry in entries:
        entries_by_uri.setdefault(entry.note.uri, []).append(entry)
    shown: dict[int, Entry] = {}  # by identity
    for entry in entries:
        above = (
            live for each in entry.note.superseded_by for live in entries_by_uri.get(each.uri, ())
        )
        for each in (*above, entry):
            shown.setdefault(id(each), each)
    return list(shown.values())


@dataclass(frozen=True, slots=True)
class Pack:
    """All that a pack shows."""

    query: str
    template: str
    entries: Sequence[Entry]
    insights: Sequence[Insight]
    code: "Sequence[CodeInsight]"
    dropped: int  # candidates that did not fit
    has_candidates: bool
    numbers: str  # the embedded metadata as JSON; "" for none
    query_characters: int = QUERY_CHARACTERS_MAX
    suggestions: Sequence[str] = ()  # names near to the query
    is_weak: bool = False  # whether search found only a weak answer
    period: AskedPeriod | None = None  # what the query says of time
    undated: Sequence[str] = ()  # seasons in it, which are no period
    delivered: Sequence[str] = ()  # lines that point to what the session has already


class EntryBlocks:
    """What the drafts of a pack share: blocks of entries, and what these say of insights."""

    def __init__(self) -> None:
        # By the note, the starts of the pieces, and whether no other entry of the note follows.
        self._blocks: dict[tuple[NoteCard, tuple[int, ...], bool], str] = {}
        self._references: dict[tuple[NoteCard, tuple[int, ...]], str] = {}
        self.said: SaidByPassage = {}

    def block(self, entry: Entry, template: str, *, is_last: bool = True) -> str:
        """Return the ``entry_block`` of an entry."""
        key = *_key(entry), is_last
        block = self._blocks.get(key)
        if block is None:
            block = self._blocks[key] = entry_block(entry, template, is_last=is_last)
        return block

    def reference(self, entry: Entry) -> str:
        """Return the reference of an entry."""
        key = _key(entry)
        reference = self._references.get(key)
        if reference is None:
            reference = self._references[key] = entry.reference
        return reference


def _key(entry: Entry) -> tuple[NoteCard, tuple[int, ...]]:
    return entry.note, tuple([piece.start for piece in entry.pieces])


def blocks_of(pack: Pack, kept: EntryBlocks) -> list[str]:
    """Return the blocks of a pack's text; each begins with a sign or a letter.

    ``kept``: what its drafts share.
    """
    blocks = [f"# Context for: {one_line(pack.query, pack.query_characters)}"]
    notes = [entry.note for entry in pack.entries]
    passages = [
        kept.block(entry, pack.template, is_last=entry.note not in notes[index : index + 1])
        for index, entry in enumerate(pack.entries, 1)
    ]
    if passages:
        blocks += [*_remarks_on(pack, notes), "## Relevant Memories", *passages]
    if pack.delivered:
        blocks.append("\n".join((DELIVERED_HEADING, *pack.delivered)))
    if pack.insights:
        new = without_what_is_shown(pack.insights, passages, kept.said)
        blocks.append("## Knowledge Graph Insights")
        blocks += [insight_block(each, pack.template) for each in new]
    if pack.code:
        from clew.query.context.shown.relations import code_block  # noqa: PLC0415 - see ``gather``

        blocks.append("## Code Relationships")
        blocks += [code_block(each, pack.template) for each in pack.code]
    if not pack.has_candidates:
        near = ", ".join(
            one_line(name, NAME_CHARACTERS_MAX) for name in pack.suggestions[:NAMES_MAX]
        )
        blocks.append(f"{NO_ANSWER} this." + (f" Near: {near}." if near else ""))
    if pack.dropped:
        blocks.append(f"*{pack.dropped} {DID_NOT_FIT}.*")
    if pack.has_candidates and len(blocks) == 1:
        blocks.append(HELD)
    if pack.numbers:
        blocks.append(f"{METADATA} {pack.numbers}")
    return blocks


def _remarks_on(pack: Pack, notes: Sequence[NoteCard]) -> Iterator[str]:
    """Yield the remarks that stand above the passages."""
    if pack.is_weak:
        yield WEAK
    if pack.undated:
        named = ", ".join(one_line(each, NAME_CHARACTERS_MAX) for each in pack.undated)
        yield f"*{Remark.UNDATED} {named}: these notes may be of any time.*"
    if pack.period is not None:
        yield _period_line(pack.period, notes)


def _period_line(period: AskedPeriod, notes: Sequence[NoteCard]) -> str:
    """Return the line that tells which notes of a pack are of the period that the query asks for.

    The labels of notes that are not say so too.
    """
    asked = shown_period(period.since, period.until)
    of_it = len({note.path for note in notes if note.is_of_period})
    count = len({note.path for note in notes})
    if of_it == count:
        return f"*{Remark.PERIOD} {asked}.*"
    if not of_it:
        return f"*{Remark.PERIOD} {asked}. These notes are of other times.*"
    return f"*{Remark.PERIOD} {asked}. {of_it} of these {count} notes are of it.*"


def entry_block(entry: Entry, template: str, *, is_last: bool = True) -> str:
    """Return the label, with the reference, and the content of an entry.

    Tags and importance of the note stand below the last of its entries.
    """
    note, path = entry.note, label_path(entry.note, entry.pieces)
    label = _label(note, path, template)
    content = entry_text(note, entry.pieces, path, is_short=template == "compact")
    superseded = superseded_line(note.superseded_by)
    day = note.day + ("" if note.is_of_period else NOT_OF_PERIOD) if note.day else ""
    if template == "compact":
        head = f"{label} {entry.reference}" + (f" ({day})" if day else "")
        return "\n".join(filter(None, (head, superseded, content)))
    lines = [f"{label} ({in_label(note.type)})", f"`{entry.reference}`"]
    lines += [f"*{day}*"] if day else []
    lines += [superseded] if superseded else []
    if template == "detailed":
        lines += _details(entry)
    tags = ", ".join(one_line(note.masked(tag), TAG_CHARACTERS_MAX) for tag in note.tags[:TAGS_MAX])
    foot = [f"{Remark.TAGS} {tags}"] if tags else []
    if note.importance != 0.5 or template == "detailed":
        foot.append(f"{Remark.IMPORTANCE} {round(100 * note.importance)}%")
    footer = f"\n\n*{' | '.join(foot)}*" if foot and is_last else ""
    return "\n".join(lines) + f"\n\n{content}{footer}"


def _label(note: NoteCard, path: Sequence[int], template: str) -> str:
    """Return the title of a note, and the innermost headings that an entry is under."""
    is_short = template == "compact"
    under = [
        in_label(without_tags(note.masked(note.headings[index].text)), HEADING_CHARACTERS_MAX)
        for index in path[-1 if is_short else -HEADINGS_MAX :]
    ]
    if is_short and not under and note.title == stem_of(note.path):
        return "###"  # the reference has the title
    return f"### {' > '.join((in_label(note.title), *under))}"


def _details(entry: Entry) -> list[str]:
    note = entry.note
    lines = [
        f"*{Remark.CREATED} {note.created} | Changed: {note.changed}*",
        f"*{Remark.SCORE} {entry.score:.2f} | Relevance: {entry.relevance:.2f}*",
    ]
    if note.related_files:
        files = ", ".join(one_line(each, FILE_CHARACTERS_MAX) for each in note.related_files)
        lines.append(f"*{Remark.RELATED_FILES} {files}*")
    return lines


def numbers_of(pack: Pack, budget: int) -> str:
    """Return the embedded metadata: numbers that are the same for the same request."""
    counts: Mapping[str, int] = {
        "tokenBudget": budget,
        "ragSections": len(pack.entries),
        "graphragSections": len(pack.insights),
        "droppedCount": pack.dropped,
        **({"kagSections": len(pack.code)} if pack.code else {}),
    }
    return json.encode(counts).decode()
