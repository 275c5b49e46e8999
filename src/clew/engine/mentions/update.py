"""Keep the mention index up to date, batch by batch.

A batch can change mentions in four ways, and only the notes concerned are looked at:

- a note is put or dropped: its own text is searched for the rare names whose words it has;
- a name comes, goes, or is claimed by another note: the notes that have all of its words;
- a name becomes rare or common, since the number of passages with one of its words crossed a limit:
  the same;
- links of a note lead elsewhere, or name another concept: that note, whose text is not read again.

The candidates for a name come from the postings of its words. A name without a rare word has none,
so a batch takes time for the notes it names, and for a bounded number of notes for each name.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from clew.engine.applying.effects import Effects
from clew.engine.indexes import Indexes
from clew.engine.mentions.rarity import (
    RAREST_WORD_PASSAGES_MAX,
    WORD_PASSAGES_MAX,
    crossing_words,
    is_rare,
)
from clew.engine.mentions.word_slots import WordSlots
from clew.index.mentions.mention_index import MentionIndex
from clew.index.mentions.name_forms import (
    leads_in,
    names_of,
    place_of_name,
    required_words,
    searched_text,
)
from clew.text.passages import count_note_words
from clew.values.note import Note
from clew.values.note_words import Words
from clew.values.vault import Batch

NAME_WORK = 20  # cost of looking a name up, in units of entering one link
TEXT_WORK = 50  # cost of reading and searching a text
MANY_NOTES = 100  # put by one batch: from here on all leads are read first


@dataclass(slots=True)
class Replaced:
    """What a batch replaces, read before it is applied."""

    first_slot: int  # of those that the batch adds
    words: list[Words] = field(default_factory=list)  # of each note replaced or dropped


def replaced_by(batch: Batch, indexes: Indexes) -> Replaced:
    """Return what ``batch``, which is not applied yet, replaces."""
    replaced = Replaced(len(indexes.passages.slots))
    for path in {*batch.dropped, *(read.note.path for read in batch.put)}:
        entry = indexes.entries.get(path)
        if entry is not None:
            replaced.words.append(count_note_words(entry.note))
    return replaced


def update_mentions(
    indexes: Indexes, batch: Batch, words: dict[str, Words], replaced: Replaced, effects: Effects
) -> None:
    """Update the mentions after all other indexes; ``words``: of the notes that were put."""
    notes = {read.note.path: read.note for read in batch.put}
    names = _change_names(indexes, batch, notes, effects)
    if notes or replaced.words:
        names |= _names_that_may_cross(indexes, replaced)
    if names:
        _settle_names(indexes, names, replaced.first_slot, effects)
    search = _Search(indexes.mentions, len(notes))
    for path, note in notes.items():
        indexes.mentions.set_held(path, search.rare_names_in(note, words[path]))
    effects.work += TEXT_WORK * len(notes) + NAME_WORK * len(names)
    for path in effects.mention_notes | effects.dirty_notes | notes.keys():
        _write_mentions(indexes, path)


def _change_names(
    indexes: Indexes, batch: Batch, notes: dict[str, Note], effects: Effects
) -> set[str]:
    """Enter the names of the batch; return those that now mean another note, or none."""
    mentions, names = indexes.mentions, set[str]()
    for path in batch.dropped:
        names |= mentions.set_names(path, ())
        mentions.set_held(path, ())
    for path, note in notes.items():
        names |= mentions.set_names(path, names_of(note))
    for path in effects.other_concepts:
        # A link may have named this note by another concept before.
        names |= set(mentions.names_by_path.get(path, ()))
    return names


def _names_that_may_cross(indexes: Indexes, replaced: Replaced) -> set[str]:
    """Return the names that may have become rare, or common."""
    crossing = crossing_words(indexes.passages, replaced.first_slot, replaced.words)
    claims, crossed = indexes.mentions.claims, crossing[RAREST_WORD_PASSAGES_MAX]
    names = {name for name in crossing[WORD_PASSAGES_MAX] if name in claims}
    word_slots = WordSlots(indexes.passages, replaced.first_slot, crossed)
    for word in crossed:
        for note_id in word_slots.notes_headed(word):
            path = indexes.graph.path(note_id)
            claimed = indexes.mentions.names_by_path.get(path, ())
            names.update(name for name in claimed if word in required_words(name))
    return names


def _settle_names(indexes: Indexes, names: set[str], first_added: int, effects: Effects) -> None:
    """Determine which of ``names`` are rare, and which notes hold them but those that are put."""
    mentions = indexes.mentions
    words = {word for name in names for word in required_words(name)}
    word_slots = WordSlots(indexes.passages, first_added, words)
    gained: defaultdict[int, list[str]] = defaultdict(list)  # names to look for, by note id
    for name in sorted(names):
        was_rare = mentions.is_rare(name)
        rare = _settle_rarity(mentions, name, word_slots)
        if not (was_rare or rare):
            continue
        for note_id in word_slots.notes_with_all(required_words(name)):
            if was_rare:
                _drop_or_keep(indexes, note_id, name, rare=rare, effects=effects)
            else:
                gained[note_id].append(name)
    for note_id, looked_for in gained.items():
        _look_for(indexes, note_id, looked_for, effects)


def _settle_rarity(mentions: MentionIndex, name: str, word_slots: WordSlots) -> bool:
    """Determine whether a name that some note may have is rare, and return it."""
    rare = name in mentions.claims and is_rare(name, word_slots)
    if rare != mentions.is_rare(name):
        mentions.set_rare(name, rare=rare)
    return rare


def _drop_or_keep(
    indexes: Indexes, note_id: int, name: str, *, rare: bool, effects: Effects
) -> None:
    """Have the mentions of a note written if it holds a name, which it loses if not ``rare``."""
    path = indexes.graph.path(note_id)
    held = indexes.mentions.held.get(path, ())
    if name in held:
        effects.mention_notes.add(path)
        if not rare:
            indexes.mentions.set_held(path, tuple(other for other in held if other != name))


def _look_for(indexes: Indexes, note_id: int, names: Sequence[str], effects: Effects) -> None:
    """Search the text of a note for names that it did not hold."""
    path = indexes.graph.path(note_id)
    text = searched_text(indexes.entries[path].note)
    effects.work += TEXT_WORK
    found = {name for name in names if place_of_name(text, name) >= 0}
    if found:
        held = found.union(indexes.mentions.held.get(path, ()))
        indexes.mentions.set_held(path, tuple(sorted(held)))
        effects.mention_notes.add(path)


class _Search:
    """Searches texts for all rare names."""

    def __init__(self, mentions: MentionIndex, note_count: int) -> None:
        self._rare_by_lead = mentions.rare_by_lead
        self._leads = set(self._rare_by_lead) if note_count >= MANY_NOTES else None

    def rare_names_in(self, note: Note, words: Words) -> tuple[str, ...]:
        """Return the rare names that the text of a note holds, sorted."""
        text = searched_text(note)
        leads = leads_in(text)
        if self._leads is not None:
            leads &= self._leads
        names = {name for lead in leads for name in self._rare_by_lead.get(lead, ())}
        if not names:
            return ()
        indexed = set(words.words.split("\n"))
        return tuple(
            name
            for name in sorted(names)
            if indexed.issuperset(required_words(name)) and place_of_name(text, name) >= 0
        )


def _write_mentions(indexes: Indexes, path: str) -> None:
    """Write which notes the note at ``path`` mentions: those it names and does not link to."""
    note_id = indexes.graph.note_id(path)
    if note_id is None:
        return
    named = map(indexes.mentions.note_named, indexes.mentions.held.get(path, ()))
    mentioned = {other for other in named if other is not None and other != path}
    if mentioned:
        linked = _linked_from(indexes, path)
        mentioned = {
            other
            for other in mentioned
            if other not in linked and indexes.concept_by_path.get(other) not in linked
        }
    indexes.mentions.set_mentioned(note_id, {indexes.graph.note_ids[other] for other in mentioned})


def _linked_from(indexes: Indexes, path: str) -> set[str | None]:
    """Return the paths that the links of a note lead to, and the concepts that they name."""
    links = indexes.entries[path].note.links
    targets = [indexes.targets.by_text[link.canonical_target] for link in links if link.target]
    return {part for target in targets for part in (target.resolved, target.concept)} - {None}
