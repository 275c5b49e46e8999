"""Ranked notes as rows of a search reply, each shown with its best passage."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from clew.engine.derived.layout import NO_SLOT
from clew.engine.snapshot import Snapshot
from clew.query.notes.preview import excerpt_of_properties
from clew.query.search.admission.admitted import Admission
from clew.query.search.passage_hits import PassageHits
from clew.query.search.property_snippet import property_line, property_snippet
from clew.query.search.snippet import (
    found_snippet,
    has_words,
    line_shown,
    lines_of_headings,
    phrase_patterns,
)
from clew.query.slices import PAUSE, SLICE_ROWS, Slices
from clew.text.markdown.shown import shown_text
from clew.text.masking.secrets import masked_span
from clew.text.passages import heading_path
from clew.text.uri import to_uri
from clew.text.written_forms import number_forms
from clew.values.arrays import Float64Array
from clew.values.note import Chunk, Note
from clew.values.replies import rounded
from clew.values.search_replies import LegHit, SearchResult

PASSAGES_TRIED = 8  # passages of a note that are looked at for one that shows any text

Forms = Sequence[Sequence[str]]


class Wanted(NamedTuple):
    """What of a query the snippets should show."""

    forms_by_term: Forms  # the spellings of each term
    phrases: tuple[re.Pattern[str], ...]  # by ``phrase_patterns``

    @classmethod
    def of(cls, forms_by_term: Forms, phrases: Iterable[str]) -> "Wanted":
        """Return the words, with all ways to write their numbers, and the phrases."""
        forms = [[form for word in words for form in number_forms(word)] for words in forms_by_term]
        return cls(forms, phrase_patterns(phrases))


class _Hit(NamedTuple):
    """Why a note is in the reply."""

    note_id: int
    slot: int  # of its best passage
    score: float
    confidence: float
    matched: tuple[str, ...]  # words of the query
    legs: dict[str, LegHit]
    is_by_head: bool  # a phrase of the query is in its head: its title, properties and tags


def result_rows(
    snapshot: Snapshot,
    note_ids: Sequence[int],
    scores_by_note: Float64Array,
    hits_by_leg: Mapping[str, PassageHits],
    wanted: Wanted,
    phrase_slots: Mapping[int, int],
    admission: Admission,
) -> Slices[list[SearchResult]]:
    """Return the rows of these notes, in their order.

    ``phrase_slots`` are the slots, by note id, that have a phrase of the query.
    """
    rows = []
    for start in range(0, len(note_ids), SLICE_ROWS):  # a list may have all notes of a vault
        few = note_ids[start : start + SLICE_ROWS]
        for hit in _hits(snapshot, few, scores_by_note, hits_by_leg, phrase_slots, admission):
            rows.append(_row(snapshot, hit, wanted))
            yield PAUSE
    return rows


def _hits(
    snapshot: Snapshot,
    note_ids: Sequence[int],
    scores_by_note: Float64Array,
    hits_by_leg: Mapping[str, PassageHits],
    phrase_slots: Mapping[int, int],
    admission: Admission,
) -> Iterator[_Hit]:
    """Yield why each of a few notes is in the reply; each array is looked up once for them."""
    legs_by_row: list[dict[str, LegHit]] = [{} for _ in note_ids]
    slots = [_passage_slot(snapshot, note_id, phrase_slots) for note_id in note_ids]
    for leg, hits in hits_by_leg.items():
        for row, index, raw, slot in hits.best_of(note_ids):
            legs_by_row[row][leg] = LegHit(rank=index + 1, raw=rounded(raw))
            slots[row] = slot if slots[row] == NO_SLOT else slots[row]
    ids = np.array(note_ids, np.int64)
    scores, confidences = scores_by_note[ids].tolist(), admission.confidences[ids].tolist()
    words, parts = admission.words_in(note_ids), snapshot.passages.slots.parts
    in_head = [phrase_slots.get(each, NO_SLOT) for each in note_ids]
    by_head = [slot != NO_SLOT and not parts[slot] for slot in in_head]
    return map(_Hit, note_ids, slots, scores, confidences, words, legs_by_row, by_head)


def _passage_slot(snapshot: Snapshot, note_id: int, slots: Mapping[int, int]) -> int:
    """Return the slot of a note in ``slots``, unless it is the note's head."""
    slot = slots.get(note_id, NO_SLOT)
    return slot if slot != NO_SLOT and snapshot.passages.slots.parts[slot] else NO_SLOT


def _snippet(
    note: Note, chunk: Chunk | None, wanted: Wanted, *, has_passage: bool, is_by_head: bool
) -> tuple[str, int]:
    """Return an excerpt of a passage, or a property if only that has a word, and its line.

    With ``has_passage`` some leg chose the passage, which then tells more than a tag. With
    ``is_by_head`` a property with all words is shown. If the passage shows nothing, the excerpt is
    of what the note shows first.
    """
    forms_by_term, phrases = wanted
    if is_by_head:
        said = property_snippet(note.text, forms_by_term, with_tags=True, has_all=True)
        if said is not None:
            return said, property_line(note.text, said, forms_by_term)
    text = shown_text(*_masked(note, chunk)) if chunk else ""
    passage, has_word = found_snippet(text, forms_by_term, phrases)
    # The headings of the text are left out of its snippet.
    has_word = has_word or any(has_words(each, forms_by_term) for each in (text, note.title))
    if forms_by_term and not has_word:
        shown = property_snippet(note.text, forms_by_term, with_tags=not has_passage)
        if shown is not None:
            return shown, property_line(note.text, shown, forms_by_term)
    if not passage:
        return _first_shown(note, forms_by_term)
    assert chunk is not None, "else it would show nothing"
    lines_before = 0
    if chunk.first_line < chunk.last_line:
        lines_before = line_shown(note.text[chunk.start : chunk.end], forms_by_term, phrases)
    return passage, chunk.first_line + lines_before


def _first_shown(note: Note, forms_by_term: Forms) -> tuple[str, int]:
    """Return an excerpt of the first passage of a note that shows any text, and its line.

    Else it is of the properties of the note, or of a tag with a word, which may say nothing either.
    """
    for chunk in note.chunks[:PASSAGES_TRIED]:
        passage, _ = found_snippet(shown_text(*_masked(note, chunk)), ())
        if passage:
            above = lines_of_headings(note.text[chunk.start : chunk.end])
            return passage, chunk.first_line + above
    if shown := excerpt_of_properties(note.text):
        return shown, 1
    said = property_snippet(note.text, forms_by_term, with_tags=True)
    return ("", 1) if said is None else (said, property_line(note.text, said, forms_by_term))


def _masked(note: Note, chunk: Chunk) -> tuple[str, int, int]:
    """Return the text of a note with the secrets of a passage masked, and the passage's place."""
    if not note.may_have_secrets:
        return note.text, chunk.start, chunk.end
    return masked_span(note.text, chunk.start, chunk.end)


def _row(snapshot: Snapshot, hit: _Hit, wanted: Wanted) -> SearchResult:
    """Return the row of a note."""
    path = snapshot.graph.path(hit.note_id)
    note, slot = snapshot.note(path), hit.slot
    part = int(snapshot.passages.slots.parts[slot]) if slot != NO_SLOT else 1
    chunk = note.chunks[part - 1] if 0 < part <= len(note.chunks) else None
    shown, line = _snippet(
        note, chunk, wanted, has_passage=slot != NO_SLOT, is_by_head=hit.is_by_head
    )
    return SearchResult(
        uri=to_uri(path),
        title=snapshot.title_of(note),
        heading=(" > ".join(heading_path(note, chunk.heading)) if chunk else "") or None,
        lines=(chunk.first_line, chunk.last_line) if chunk else (1, 1),
        line=line,
        snippet=shown,
        score=rounded(hit.score),
        confidence=rounded(hit.confidence),
        matched=hit.matched,
        legs=hit.legs,
        tokens=chunk.tokens if chunk else 0,
    )
