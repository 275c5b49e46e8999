"""Index the words of notes."""

from collections.abc import Mapping

from clew.engine.indexes import Indexes
from clew.engine.passages import PassagesOfNote
from clew.text.languages.guess import language_of_note
from clew.values.note import Note
from clew.values.note_words import Words
from clew.values.vault import Batch

# Measured cost; the unit is the cost of entering one link.
WORD_BYTES_PER_WORK = 160  # bytes of a note's word counts that cost one unit
_NOTES_TOGETHER = 32  # a larger group takes more memory, and as much CPU time


def index_words(indexes: Indexes, batch: Batch, words: Mapping[str, Words]) -> int:
    """Index the ``words`` of the notes that a batch puts; return how much work that took."""
    work = 0
    for first in range(0, len(batch.put), _NOTES_TOGETHER):
        notes = [read.note for read in batch.put[first : first + _NOTES_TOGETHER]]
        indexes.passages.put([_passages_of(indexes, note, words[note.path]) for note in notes])
        work += sum(len(words[note.path].counts) // WORD_BYTES_PER_WORK for note in notes)
    return work


def _passages_of(indexes: Indexes, note: Note, words: Words) -> PassagesOfNote:
    note_id = indexes.graph.note_ids[note.path]
    language = language_of_note(note.fields.lang, words.words.split("\n"))
    return PassagesOfNote(note_id, 1 + len(note.chunks), words, language)
