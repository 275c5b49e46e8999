"""Find the notes that have a phrase: the same words in a row, in one passage or in one name.

Words are compared without case and accents, but are not stemmed. Passages with all the words come
from the postings; only their texts are read, those of the notes modified last first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from clew.engine.derived.layout import NO_SLOT
from clew.engine.snapshot import Snapshot
from clew.query.slices import PAUSE, Slices
from clew.text.passages import chunk_texts, head_texts
from clew.text.terms import phrase_units, phrase_words, without_accents
from clew.values.arrays import BoolArray, Int64Array

WORDS_MAX = 64  # distinct words of a phrase that are looked up; all of them are compared
FEW_SLOTS = 32  # if so few slots are left, reading them is cheaper than more postings


@dataclass(frozen=True, slots=True, eq=False)
class PhraseNotes:
    """The notes that have a phrase, each with a slot that has it."""

    slot_by_note: dict[int, int]  # ``NO_SLOT``: no passage is better than another
    unread: Int64Array  # notes of which not all passages with the words were read


def candidate_slots(snapshot: Snapshot, phrase: str) -> Slices[Int64Array]:
    """Return the live slots that have the words of ``phrase``, or nearly all of them; rising."""
    keyword, layout = snapshot.passages.keyword, snapshot.derived.layout
    words = list(dict.fromkeys(phrase_words(phrase)))[:WORDS_MAX]
    ids_by_word = [_word_ids(snapshot, word) for word in words]
    yield PAUSE
    counts = [int(keyword.posting_counts(np.array(ids, np.int64)).sum()) for ids in ids_by_word]
    slots: Int64Array | None = None
    for index in np.argsort(counts, kind="stable").tolist():
        if slots is not None and len(slots) <= FEW_SLOTS:
            break
        posted, _ = keyword.postings_of(ids_by_word[index])
        slots = np.unique(posted) if slots is None else slots[np.isin(slots, posted)]
        yield PAUSE
    if slots is None:
        return np.zeros(0, np.int64)
    return slots[layout.note_ids[slots] >= 0].astype(np.int64)


def _word_ids(snapshot: Snapshot, word: str) -> list[int]:
    """Return the ids of the indexed words that are ``word`` with any accents."""
    keyword, bare = snapshot.passages.keyword, without_accents(word)
    ids = keyword.ids_of_term(snapshot.languages.term_of(word))
    return [word_id for word_id in ids if without_accents(keyword.words[word_id]) == bare]


def notes_with_phrase(
    snapshot: Snapshot, phrase: str, slots: Int64Array, allowed: BoolArray, most: int
) -> Slices[PhraseNotes]:
    """Return the ``allowed`` notes that have ``phrase`` in one of ``slots``, which rise.

    The texts of ``most`` slots are read at most, and none for a single word, which is in all of
    them.
    """
    note_ids = snapshot.derived.layout.note_ids[slots].astype(np.int64)
    slots, note_ids = slots[allowed[note_ids]], note_ids[allowed[note_ids]]
    if len(phrase_words(phrase)) == 1:
        return PhraseNotes(dict.fromkeys(note_ids.tolist(), NO_SLOT), note_ids[:0])
    newest_first = np.argsort(-snapshot.ages.changed_s(note_ids), kind="stable")
    slots, note_ids = slots[newest_first], note_ids[newest_first]
    wanted = as_run(phrase_units(phrase))
    slot_by_note: dict[int, int] = {}
    pairs = zip(note_ids[:most].tolist(), slots[:most].tolist(), strict=True)
    for note_id, rows in groupby(pairs, key=lambda pair: pair[0]):
        for slot, texts in _texts_of_slots(snapshot, note_id, [slot for _, slot in rows]):
            yield PAUSE
            if any(wanted in as_run(phrase_units(text)) for text in texts):
                slot_by_note[note_id] = slot
                break
    return PhraseNotes(slot_by_note, np.unique(note_ids[most:]))


def as_run(units: Sequence[str]) -> str:
    """Join units so that one text contains another only where it has its units in a row."""
    return "\n".join(("", *units, ""))


def _texts_of_slots(
    snapshot: Snapshot, note_id: int, slots: Sequence[int]
) -> Iterator[tuple[int, list[str]]]:
    """Yield each of these slots of a note with its texts; no phrase is in two texts."""
    note = snapshot.note(snapshot.graph.path(note_id))
    head = snapshot.passages.slots.slots_of(note_id).start
    for slot in slots:
        part = slot - head
        yield slot, head_texts(note) if part == 0 else chunk_texts(note, note.chunks[part - 1])
