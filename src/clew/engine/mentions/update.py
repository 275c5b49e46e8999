"""Keep the mention index up to date, batch by batch.

A batch can change mentions in four ways, and only the notes concerned are looked at:

- a note is put or dropped: its own text is searched for the rare names whose words it has;
- a name is added, removed, or claimed by another note: the notes that have all of its words are
  looked at;
- a name becomes rare or common, since the number of passages with one of its words crossed a limit:
  the same notes are looked at;
- links of a note lead elsewhere, or name another concept: the edges of that note are written again,
  without reading its text.

The candidates for a name come from the postings of its words. A name without a rare word has none,
so a batch takes time for its notes, and for a bounded number of notes for each changed name.

A vault is first indexed in many batches, and most names that are rare at first are common in the
end. So mentions are put off until the last of these batches (``search_all``).
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from clew.engine.applying.effects import Effects
from clew.engine.indexes import Indexes
from clew.engine.mentions.linked import notes_not_linked
from clew.engine.mentions.name_words import NameWords, notes_headed
from clew.engine.mentions.rarity import (
    RAREST_WORD_PASSAGES_MAX,
    WORD_PASSAGES_MAX,
    crossing_words,
    part_counts,
)
from clew.engine.mentions.search_all import search_all
from clew.index.mentions.name_forms import (
    leads_in,
    names_of,
    place_of_name,
    required_words,
    searched_text,
)
from clew.index.structures.multimap import Multimap
from clew.index.structures.stored_map import values_of
from clew.text.passages import count_note_words, equal_parts
from clew.values.note import Note
from clew.values.note_words import Words
from clew.values.vault import Batch, FoundNames

NAME_WORK = 20  # cost of looking a name up, in units of entering one link
HELD_WORK = 8  # cost of writing the mentions of a note that holds a new name
MANY_NOTES = 100  # if a batch puts so many, it is cheaper to read all leads first


@dataclass(slots=True)
class Replaced:
    """The words of notes that a batch replaces or drops, counted before it is applied."""

    first_slot: int  # the first of the slots that the batch adds
    # By path of a replaced or dropped note: word -> number of the old note's parts with it. Parts
    # that are the same in the old and the new note are left out of both counts; ``kept`` has them.
    # The new note of a renamed one is at its new path.
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    kept: dict[str, set[int]] = field(default_factory=dict)  # by path: parts of the new note


def replaced_by(batch: Batch, indexes: Indexes) -> Replaced:
    """Count the words of the notes that ``batch``, which is not applied yet, replaces."""
    replaced = Replaced(len(indexes.passages.slots))
    if indexes.mentions.are_put_off or batch.found_names is not None:
        return replaced
    new: defaultdict[str, list[Note]] = defaultdict(list)  # by content
    notes: dict[str, Note | None] = dict.fromkeys(batch.dropped)
    for read in batch.put:
        if read.note.path in indexes.facts:
            notes[read.note.path] = read.note
        else:
            new[read.note.content_hash].append(read.note)
    for path, put in notes.items():
        entry = indexes.entries.get(path)
        if entry is not None:
            left_out = set[int]()
            renamed = new[entry.note.content_hash] if put is None else []
            note = renamed.pop() if renamed else put
            if note is not None:
                left_out, replaced.kept[note.path] = equal_parts(entry.note, note)
            replaced.counts[path] = part_counts(count_note_words(entry.note, left_out))
    return replaced


def update_mentions(
    indexes: Indexes, batch: Batch, words: dict[str, Words], replaced: Replaced, effects: Effects
) -> FoundNames | None:
    """Update the mentions after all other indexes; ``words``: of the notes that were put.

    Returns the names found in texts; ``None`` while mentions are put off. The search does not count
    as work in ``effects``, since an engine that receives the found names skips it.
    """
    mentions = indexes.mentions
    notes = {read.note.path: read.note for read in batch.put}
    is_first = not replaced.first_slot
    mentions.are_put_off |= is_first
    names = _change_names(indexes, batch, notes, effects)
    effects.work += NAME_WORK * len(names)
    if not mentions.are_put_off:
        search = _Search(indexes, notes, words, replaced, batch.found_names)
        return _update(indexes, notes, names, search, effects)
    if is_first and not batch.puts_mentions_off:
        deque(search_all(indexes), maxlen=0)
    return None


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


def _update(
    indexes: Indexes,
    notes: dict[str, Note],
    names: set[str],
    search: "_Search",
    effects: Effects,
) -> FoundNames:
    """Search texts and write the edges; ``names`` now mean another note, or none."""
    crossing = search.crossing()
    names = names | _names_that_may_cross(indexes, crossing)
    gained = _settle_names(indexes, sorted(names), search, effects) if names else {}
    names_in_text = search.names_in_text()
    for path, rare_names in names_in_text.items():
        indexes.mentions.set_held(path, rare_names)
    for path in effects.mention_notes | effects.dirty_notes | notes.keys():
        _write_mentions(indexes, path)
    return FoundNames(names_in_text, gained, crossing)


def _names_that_may_cross(indexes: Indexes, crossing: Mapping[int, Iterable[str]]) -> set[str]:
    """Return the names that may have become rare, or common; ``crossing``: words by limit."""
    mentions, path_of = indexes.mentions, indexes.graph.path
    names = {name for name in crossing.get(WORD_PASSAGES_MAX, ()) if name in mentions.claims}
    for word in crossing.get(RAREST_WORD_PASSAGES_MAX, ()):
        for note_id in notes_headed(indexes.passages, word):
            claimed = mentions.names_by_path.get(path_of(note_id), ())
            names.update(name for name in claimed if word in required_words(name))
    return names


def _settle_names(
    indexes: Indexes, names: Sequence[str], search: "_Search", effects: Effects
) -> Mapping[str, tuple[str, ...]]:
    """Determine which ``names`` are rare; update the notes that hold them and are not in the batch.

    Returns the names that each of these notes gained, by path.
    """
    mentions = indexes.mentions
    required = NameWords(indexes.passages, names)
    were_rare = [mentions.is_rare(name) for name in names]
    are_rare = [
        is_rare and name in mentions.claims
        for name, is_rare in zip(names, required.are_rare.tolist(), strict=True)
    ]
    for name, was_rare, is_rare in zip(names, were_rare, are_rare, strict=True):
        if was_rare != is_rare:
            mentions.set_rare(name, rare=is_rare)
    new: defaultdict[int, list[str]] = defaultdict(list)  # names to look for, by note id
    is_concerned = np.array(were_rare)
    if search.is_needed:
        is_concerned |= np.array(are_rare)
    for indices, notes in required.notes_with_all(np.flatnonzero(is_concerned), search.first_slot):
        for at, note_id in zip(indices.tolist(), notes.tolist(), strict=True):
            if were_rare[at]:
                _drop_or_keep(indexes, note_id, names[at], rare=are_rare[at], effects=effects)
            else:
                new[note_id].append(names[at])
    gained = search.gained(new)
    for path, new_names in gained.items():
        held_names = {*new_names, *mentions.held.get(path, ())}
        mentions.set_held(path, tuple(sorted(held_names)))
        effects.mention_notes.add(path)
    effects.work += HELD_WORK * len(gained)
    return gained


def _drop_or_keep(
    indexes: Indexes, note_id: int, name: str, *, rare: bool, effects: Effects
) -> None:
    """If a note holds ``name``: have its mentions written; drop the name unless it is ``rare``."""
    path = indexes.graph.path(note_id)
    held = indexes.mentions.held.get(path, ())
    if name in held:
        effects.mention_notes.add(path)
        if not rare:
            indexes.mentions.set_held(path, tuple(other for other in held if other != name))


class _Search:
    """Searches texts for names after a batch, or uses the names that another engine found."""

    def __init__(
        self,
        indexes: Indexes,
        notes: Mapping[str, Note],
        words: Mapping[str, Words],
        replaced: Replaced,
        found: FoundNames | None,
    ) -> None:
        self._indexes, self._notes, self._words = indexes, notes, words
        self._replaced, self._found = replaced, found

    @property
    def first_slot(self) -> int:
        """The first slot of the notes that the batch puts."""
        return self._replaced.first_slot

    @property
    def is_needed(self) -> bool:
        """Whether texts are to be searched, since no other engine did."""
        return self._found is None

    def crossing(self) -> Mapping[int, tuple[str, ...]]:
        """Return the words whose number of passages crossed a limit, by limit."""
        if self._found is not None:
            return self._found.crossing
        if not self._notes and not self._replaced.counts:
            return {}
        kept, counts = self._replaced.kept, self._replaced.counts
        put = (part_counts(each, kept.get(path, ())) for path, each in self._words.items())
        crossing = crossing_words(self._indexes.passages, put, counts.values())
        return {limit: tuple(sorted(words)) for limit, words in crossing.items()}

    def gained(self, new: Mapping[int, Sequence[str]]) -> Mapping[str, tuple[str, ...]]:
        """Search each note for its names in ``new``, by note id; return the found ones by path."""
        if self._found is not None:
            return self._only_rare(self._found.gained)
        gained: dict[str, tuple[str, ...]] = {}
        for note_id, names in new.items():
            path = self._indexes.graph.path(note_id)
            note = self._indexes.entries[path].note
            text, own = searched_text(note), names_of(note)
            held = sorted(name for name in names if place_of_name(text, name, own) >= 0)
            if held:
                gained[path] = tuple(held)
        return gained

    def names_in_text(self) -> Mapping[str, tuple[str, ...]]:
        """Return the rare names in the text of each note of the batch, by path, each sorted."""
        if self._found is not None:
            return self._only_rare(self._found.held)
        rare_by_lead = self._indexes.mentions.rare_by_lead
        leads = set(rare_by_lead) if len(self._notes) >= MANY_NOTES else None
        return {
            path: _rare_names_in(note, self._words[path], rare_by_lead, leads)
            for path, note in self._notes.items()
        }

    def _only_rare(
        self, names_by_path: Mapping[str, Sequence[str]]
    ) -> Mapping[str, tuple[str, ...]]:
        """Return only the rare names; of joined batches, some may have become common since."""
        is_rare = self._indexes.mentions.is_rare
        return {path: tuple(filter(is_rare, names)) for path, names in names_by_path.items()}


def _rare_names_in(
    note: Note, words: Words, rare_by_lead: Multimap, all_leads: set[str] | None
) -> tuple[str, ...]:
    """Return the rare names in the text of a note, sorted; ``all_leads``: of all rare names."""
    text = searched_text(note)
    leads = leads_in(text)
    if all_leads is not None:
        leads &= all_leads
    names = set[str]().union(*values_of(rare_by_lead, leads))
    if not names:
        return ()
    indexed, own = set(words.words.split("\n")), names_of(note)
    return tuple(
        name
        for name in sorted(names)
        if indexed.issuperset(required_words(name)) and place_of_name(text, name, own) >= 0
    )


def _write_mentions(indexes: Indexes, path: str) -> None:
    """Write the edges from the note at ``path`` to the notes that it names without a link."""
    note_id = indexes.graph.note_id(path)
    if note_id is None:
        return
    mentions = indexes.mentions
    named = set(map(mentions.note_named, mentions.held.get(path, ()))) - {None, path}
    mentioned = notes_not_linked(indexes, path, named) if named else set[str]()
    mentions.set_mentioned(note_id, {indexes.graph.note_ids[other] for other in mentioned})
