"""The Markdown of a pack, by template; pure text from what was selected.

default: each passage under its title and reference, with its tags. compact: one short label a note,
and its pieces. detailed: default with dates, headings, scores and related files.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from clew.query.context.insights import Insight, Relation
from clew.query.context.passages import NoteCard
from clew.query.context.pieces import Piece
from clew.query.context.quoting import one_line, quoted
from clew.query.context.references import span_reference

GAP = "[…]"
DELIVERED_HEADING = "## Already Delivered"
QUERY_CHARACTERS_MAX = 200
NAMES_MAX = 3  # near names that are shown
NAME_CHARACTERS_MAX = 40  # of each
TAGS_MAX = 8


@dataclass(frozen=True, slots=True)
class Entry:
    """Pieces of one note, in the order of its text."""

    note: NoteCard
    headings: tuple[str, ...]
    pieces: tuple[Piece, ...]
    relevance: float  # of its best passage, 0..1

    @property
    def lines(self) -> tuple[int, int]:
        """The first and the last line."""
        last = self.pieces[-1]
        within = self.note.text.count("\n", last.start, last.end)
        return self.pieces[0].line, last.line + within

    @property
    def reference(self) -> str:
        """The reference of its lines."""
        note, pieces = self.note, self.pieces
        return span_reference(note.uri, note.text, pieces[0].start, pieces[-1].end, self.lines)


@dataclass(frozen=True, slots=True)
class Pack:
    """All that a pack shows."""

    query: str
    template: str
    entries: Sequence[Entry]
    insights: Sequence[Insight]
    dropped: int  # candidates that did not fit
    has_candidates: bool
    numbers: str  # the embedded metadata as JSON; "" for none
    query_characters: int = QUERY_CHARACTERS_MAX
    suggestions: Sequence[str] = ()  # names near to the query
    delivered: Sequence[str] = ()  # lines that point to what the session has already


def rendered(pack: Pack) -> str:
    """Return the text of a pack."""
    blocks = [f"# Context for: {one_line(pack.query, pack.query_characters)}"]
    if pack.entries:
        blocks.append("## Relevant Memories")
        blocks += [entry_block(entry, pack.template) for entry in pack.entries]
    if pack.delivered:
        blocks.append("\n".join((DELIVERED_HEADING, *pack.delivered)))
    if pack.insights:
        blocks.append("## Knowledge Graph Insights")
        blocks += [insight_block(each, pack.template) for each in pack.insights]
    if not pack.has_candidates:
        near = ", ".join(
            one_line(name, NAME_CHARACTERS_MAX) for name in pack.suggestions[:NAMES_MAX]
        )
        blocks.append("Nothing in the notes answers this." + (f" Near: {near}." if near else ""))
    if pack.dropped:
        blocks.append(f"*{pack.dropped} more did not fit.*")
    if pack.numbers:
        blocks.append(f"**Metadata**: {pack.numbers}")
    return "\n\n".join(blocks) + "\n"


def entry_block(entry: Entry, template: str) -> str:
    """Return the heading, the reference and the content of an entry."""
    content = quoted(entry_text(entry.pieces, entry.note.text, is_short=template == "compact"))
    if template == "compact":
        return f"### {entry.note.title} {entry.reference}\n{content}"
    lines = [f"### {entry.note.title} ({entry.note.type})", f"`{entry.reference}`"]
    if template == "detailed":
        lines += _details(entry)
    tags = ", ".join(one_line(tag, 60) for tag in entry.note.tags[:TAGS_MAX])
    foot = [f"Tags: {tags}"] if tags else []
    if entry.note.importance != 0.5 or template == "detailed":
        foot.append(f"Importance: {round(100 * entry.note.importance)}%")
    footer = f"\n\n*{' | '.join(foot)}*" if foot else ""
    return "\n".join(lines) + f"\n\n{content}{footer}"


def _details(entry: Entry) -> list[str]:
    note = entry.note
    headings = " > ".join(one_line(each, 60) for each in entry.headings)
    lines = [f"*{headings}*"] if headings and headings != note.title else []
    lines.append(
        f"*Created: {note.created} | Changed: {note.changed} | Relevance: {entry.relevance:.2f}*"
    )
    if note.related_files:
        files = ", ".join(one_line(each, 80) for each in note.related_files)
        lines.append(f"*Related files: {files}*")
    return lines


def entry_text(pieces: Sequence[Piece], text: str, *, is_short: bool) -> str:
    """Return pieces of a note's text, with a mark wherever a sentence is cut.

    Unless ``is_short``, there is also a mark wherever whole blocks are left out.
    """
    parts: list[str] = []
    before: Piece | None = None
    for piece in pieces:
        parts.append(_joint(before, piece, text, is_short=is_short))
        parts.append(piece.text)
        before = piece
    if before is not None and not before.ends:
        parts.append(f" {GAP}")
    return "".join(parts)


def _joint(before: Piece | None, piece: Piece, text: str, *, is_short: bool) -> str:
    """Return what stands between two pieces of one note."""
    if before is None:
        return "" if piece.begins else f"{GAP} "
    between = text[before.end : piece.start]
    if not between.strip():
        if "\n" in between or piece.begins:
            return "\n\n" if between.count("\n") > 1 and not is_short else "\n"
        return " " if text[piece.start - 1].isspace() else ""
    ending = "" if before.ends else f" {GAP}"
    beginning = "" if piece.begins else f"{GAP} "
    if ending or beginning:
        return f"{ending}\n{beginning}"
    if is_short:
        return "\n"
    return f"\n\n{GAP}\n\n" if "\n\n" in between else f"\n{GAP}\n"


def insight_block(insight: Insight, template: str) -> str:
    """Return what a pack shows of a concept or of a path."""
    is_short = template == "compact"
    if insight.is_path:
        return f"- {_path_text(insight, is_short=is_short)}"
    relations = "; ".join(_relation_text(each, is_short=is_short) for each in insight.relations)
    if is_short:
        return f"- {insight.title}: {relations or 'no relations'}"
    lines = [f"### {insight.title}", f"`{insight.entity}`, in {insight.mention_count} notes"]
    if relations:
        lines.append(f"- Related: {relations}")
    if insight.community:
        central = ", ".join(insight.community)
        uris = f" ({', '.join(insight.central_uris)})" if insight.central_uris else ""
        lines.append(f"- Community: {central}{uris}")
    if insight.uris:
        lines.append(f"- Notes: {', '.join(insight.uris)}")
    return "\n".join(lines)


def _relation_text(relation: Relation, *, is_short: bool) -> str:
    name, count, uri = relation.name, relation.count, relation.uri
    return f"{name} ({count})" if is_short else f"{name} ({count} shared, {uri})"


def _path_text(insight: Insight, *, is_short: bool) -> str:
    steps = (
        f"→ {step.name}" if is_short else f"→ {step.name} ({step.uri})"
        for step in insight.relations
    )
    return " ".join((insight.title, *steps))
