"""Ranked notes as rows of a search reply, each shown with its best passage."""

from collections.abc import Mapping, Sequence

from clew.engine.derived.layout import NO_SLOT
from clew.engine.snapshot import Snapshot
from clew.query.search.admission.admitted import Admission
from clew.query.search.passage_hits import PassageHits
from clew.query.search.property_snippet import property_snippet
from clew.query.search.snippet import has_words, line_shown, snippet
from clew.query.slices import PAUSE, Slices
from clew.text.markdown.frontmatter_split import split
from clew.text.markdown.shown import shown_text
from clew.text.masking.secrets import masked_span
from clew.text.passages import heading_path
from clew.text.uri import to_uri
from clew.text.written_forms import number_forms
from clew.values.arrays import Float64Array
from clew.values.note import Chunk, Note
from clew.values.replies import rounded
from clew.values.search_replies import LegHit, SearchResult

Forms = Sequence[Sequence[str]]


def result_rows(
    snapshot: Snapshot,
    note_ids: Sequence[int],
    scores_by_note: Float64Array,
    hits_by_leg: Mapping[str, PassageHits],
    forms_by_term: Forms,
    phrase_slots: Mapping[int, int],
    admission: Admission,
) -> Slices[list[SearchResult]]:
    """Return the rows of these notes, in their order.

    ``forms_by_term`` are the spellings that a snippet should show; ``phrase_slots`` are the slots,
    by note id, that have a phrase of the query.
    """
    indexes_by_leg = {leg: hits.index_by_note() for leg, hits in hits_by_leg.items()}
    forms_by_term = [
        [form for word in words for form in number_forms(word)] for words in forms_by_term
    ]
    rows = []
    for note_id in note_ids:
        leg_hits, slot = {}, _passage_slot(snapshot, note_id, phrase_slots)
        for leg, hits in hits_by_leg.items():
            index = indexes_by_leg[leg].get(note_id)
            if index is None:
                continue
            leg_hits[leg] = LegHit(rank=index + 1, raw=rounded(float(hits.note_scores[index])))
            slot = slot if slot != NO_SLOT else int(hits.slots[index, 0])
        score = float(scores_by_note[note_id])
        rows.append(_row(snapshot, note_id, score, leg_hits, slot, forms_by_term, admission))
        yield PAUSE
    return rows


def _passage_slot(snapshot: Snapshot, note_id: int, slots: Mapping[int, int]) -> int:
    """Return the slot of a note in ``slots``, unless it is the note's head."""
    slot = slots.get(note_id, NO_SLOT)
    return slot if slot > snapshot.passages.slots.slots_of(note_id).start else NO_SLOT


def _snippet(
    note: Note, chunk: Chunk | None, forms_by_term: Forms, *, has_passage: bool
) -> tuple[str, int]:
    """Return an excerpt of a passage, or a property if only that has a word, and its line.

    With ``has_passage`` some leg chose the passage, which then tells more than a tag.
    """
    text = shown_text(*masked_span(note.text, chunk.start, chunk.end)) if chunk else ""
    if forms_by_term and not any(has_words(each, forms_by_term) for each in (text, note.title)):
        shown = property_snippet(note.text, forms_by_term, with_tags=not has_passage)
        if shown is not None:
            return shown, 1 + line_shown(split(note.text).frontmatter or "", forms_by_term)
    if chunk is None:
        return snippet(text, forms_by_term), 1
    lines_before = 0
    if chunk.first_line < chunk.last_line:
        lines_before = line_shown(note.text[chunk.start : chunk.end], forms_by_term)
    return snippet(text, forms_by_term), chunk.first_line + lines_before


def _row(
    snapshot: Snapshot,
    note_id: int,
    score: float,
    legs: dict[str, LegHit],
    slot: int,
    forms_by_term: Forms,
    admission: Admission,
) -> SearchResult:
    """Return the row of a note; ``slot`` is that of its best passage."""
    path = snapshot.graph.path(note_id)
    note = snapshot.note(path)
    part = slot - snapshot.passages.slots.slots_of(note_id).start if slot != NO_SLOT else 1
    chunk = note.chunks[part - 1] if 0 < part <= len(note.chunks) else None
    shown, line = _snippet(note, chunk, forms_by_term, has_passage=slot != NO_SLOT)
    return SearchResult(
        uri=to_uri(path),
        title=snapshot.title(path),
        heading=(" > ".join(heading_path(note, chunk.heading)) if chunk else "") or None,
        lines=(chunk.first_line, chunk.last_line) if chunk else (1, 1),
        line=line,
        snippet=shown,
        score=rounded(score),
        confidence=rounded(float(admission.confidences[note_id])),
        matched=admission.words_in(note_id),
        legs=legs,
        tokens=chunk.tokens if chunk else 0,
    )
