"""All indexes of one vault. Only the engine changes them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from msgspec.structs import replace

from clew.engine.derived.importance import Importance
from clew.engine.name_vectors import NameVectors
from clew.engine.passages import Passages
from clew.engine.settings import ConceptSource, EngineSettings
from clew.engine.symbols import SymbolIndex
from clew.index.code.code_index import CodeIndex
from clew.index.graph import ConceptGraph
from clew.index.mentions.mention_index import MentionIndex
from clew.index.names import NameIndex, NamingRules
from clew.index.notes.ages import NoteAges
from clew.index.notes.facts import NoteFacts, facts_of
from clew.index.notes.note_fields import NoteFields
from clew.index.notes.note_lists import NoteLists
from clew.index.structures import multimap
from clew.index.structures.layered_map import LayeredMap
from clew.index.successors.successor_index import SuccessorIndex
from clew.index.targets import TargetTable
from clew.text.languages.languages import AUTO, DEFAULT_LANGUAGE
from clew.text.terms import LANGUAGES
from clew.values.vault import Batch, CommitDates, DailyNotes, ReadNote, RuleFiles, Stamp

_DEAD_NOTES_MIN = 1_000


@dataclass(slots=True)
class Indexes:
    """The indexes of one vault; paths are keys throughout."""

    names: NameIndex
    ages: NoteAges
    passages: Passages
    symbols: SymbolIndex
    graph: ConceptGraph = field(default_factory=ConceptGraph)
    targets: TargetTable = field(default_factory=TargetTable)
    mentions: MentionIndex = field(default_factory=MentionIndex)
    successors: SuccessorIndex = field(default_factory=SuccessorIndex)
    name_vectors: NameVectors = field(default_factory=NameVectors)
    code: CodeIndex = field(default_factory=CodeIndex)
    entries: LayeredMap[str, ReadNote] = field(default_factory=LayeredMap)
    facts: LayeredMap[str, NoteFacts] = field(default_factory=LayeredMap)  # of all ``entries``
    fields: NoteFields = field(default_factory=NoteFields)
    lists: NoteLists = field(default_factory=NoteLists)
    daily_notes: DailyNotes = field(default_factory=DailyNotes)
    rule_files: RuleFiles = field(default_factory=RuleFiles)
    commits: LayeredMap[str, CommitDates] = field(default_factory=LayeredMap)  # of entries in git
    importance: Importance | None = None  # of a large vault, set before the index is stored
    # The concept that each note names, by path; and the notes that name each concept.
    concept_by_path: LayeredMap[str, str] = field(default_factory=LayeredMap)
    paths_by_concept: multimap.Multimap = field(default_factory=LayeredMap)

    @property
    def needs_compaction(self) -> bool:
        """Whether replaced and deleted notes take so much of the indexes that ``compact`` pays."""
        return (
            self.passages.needs_compaction
            or self.symbols.needs_compaction
            or self.has_many_dead_notes
        )

    @property
    def are_untidy(self) -> bool:
        """Whether queries are slower until the indexes are compacted, or written and read."""
        return self.needs_compaction or self.passages.keyword.has_long_tail

    @property
    def has_many_dead_notes(self) -> bool:
        """Whether most note ids belong to notes that were dropped."""
        return self.graph.dead_note_count > max(_DEAD_NOTES_MIN, len(self.entries))

    @property
    def is_first(self) -> bool:
        """Whether the vault is being indexed for the first time, so that notes may be missing."""
        return self.mentions.are_put_off or not self.entries

    def copy(self) -> "Indexes":
        """Return equal indexes, in constant time; later changes do not reach them."""
        return Indexes(
            names=self.names.copy(),
            ages=self.ages.copy(),
            passages=self.passages.copy(),
            symbols=self.symbols.copy(),
            graph=self.graph.copy(),
            targets=self.targets.copy(),
            mentions=self.mentions.copy(),
            successors=self.successors.copy(),
            name_vectors=self.name_vectors.copy(),
            code=self.code.copy(),
            entries=self.entries.copy(),
            facts=self.facts.copy(),
            fields=self.fields.copy(),
            lists=self.lists.copy(),
            daily_notes=self.daily_notes,
            rule_files=self.rule_files,
            commits=self.commits.copy(),
            importance=self.importance,
            concept_by_path=self.concept_by_path.copy(),
            paths_by_concept=self.paths_by_concept.copy(),
        )

    def put_note(self, read: ReadNote) -> None:
        """Add or replace a note with its facts and its code."""
        path, facts = read.note.path, facts_of(read)
        self.lists.put(path, facts, self.facts.get(path))
        self.code.put_note(path, read.code)
        self.entries[path] = replace(read, code=()) if read.code else read
        self.facts[path] = facts

    def take_stamps(self, batch: Batch) -> Batch:
        """Enter new stamps of notes that are indexed as they are; return ``batch`` without them.

        A vault that is copied, or restored from a backup, has the same notes with other stamps.
        """
        others: list[ReadNote] = []
        for read in batch.put:
            path = read.note.path
            facts = self.facts.get(path)
            if facts is None or not self._is_indexed(read, facts):
                others.append(read)
                continue
            self.entries[path] = replace(read, code=())
            self.facts[path] = replace(facts, stamp=read.stamp, is_racy=read.is_racy)
        return batch if len(others) == len(batch.put) else replace(batch, put=tuple(others))

    def _is_indexed(self, read: ReadNote, facts: NoteFacts) -> bool:
        note = read.note
        if note.content_hash != facts.content_hash or note != self.entries[note.path].note:
            return False
        return read.code == self.code.blocks_of(note.path)

    def put_fields(self, paths: Sequence[str]) -> None:
        """Enter these notes, which must have ids and facts, into the symbols and the fields."""
        note_ids = [self.graph.note_ids[path] for path in paths]
        facts = [self.facts[path] for path in paths]
        self.symbols.put(dict(zip(note_ids, facts, strict=True)))
        self.fields.put(dict(zip(note_ids, zip(paths, facts, strict=True), strict=True)))

    def drop_note(self, path: str) -> None:
        """Remove a note with its facts and its code, if it is there."""
        self.entries.pop(path, None)
        self.code.drop_note(path)
        self.commits.pop(path, None)
        facts = self.facts.pop(path, None)
        if facts is not None:
            self.lists.drop(path, facts)

    def restamped(self, path: str, stamp: Stamp) -> ReadNote:
        """Return an indexed note with its code and a new stamp, as if it had been read again."""
        return ReadNote(self.entries[path].note, stamp, code=self.code.blocks_of(path))

    def put_commits(self, commits: Mapping[str, CommitDates | None]) -> None:
        """Replace the commits of these notes; paths without a note are left out."""
        for path, dates in commits.items():
            if dates is None:
                self.commits.pop(path, None)
            elif path in self.facts:
                self.commits[path] = dates

    def use_languages(self, language: str) -> int:
        """Stem words in ``language``, or for ``AUTO`` in all main languages of the notes.

        Returns how many words were stemmed because a language is new.
        """
        languages = self.passages.languages.main if language == AUTO else (language,)
        stemmers = [LANGUAGES[each] for each in languages or (DEFAULT_LANGUAGE,)]
        return self.passages.keyword.use_stemmers(stemmers) + self.symbols.use_stemmers(stemmers)

    def set_concept_of_note(self, path: str, concept: str | None) -> None:
        """Set the concept that the note at ``path`` names; ``None`` for none."""
        before = self.concept_by_path.pop(path, None)
        if before is not None:
            multimap.discard(self.paths_by_concept, before, path)
        if concept is not None:
            self.concept_by_path.add(path, concept)
            self.graph.set_own_concept(self.graph.note_ids[path], concept)
            multimap.add(self.paths_by_concept, concept, path)


def compact(indexes: Indexes) -> None:
    """Drop what is left of replaced and deleted notes; sort the rest for fast reading."""
    indexes.passages.compact()
    if indexes.symbols.needs_compaction:
        indexes.symbols.compact()
    if indexes.has_many_dead_notes:
        _renumber_notes(indexes)


def _renumber_notes(indexes: Indexes) -> None:
    graph = indexes.graph
    note_ids = np.flatnonzero(graph.is_live)
    new_ids = np.zeros(graph.note_slots, np.int32)
    new_ids[note_ids] = np.arange(len(note_ids))
    indexes.ages.keep(note_ids)
    indexes.fields.keep(note_ids)
    indexes.passages.renumber_notes(new_ids, len(note_ids))
    id_by_id = dict(zip(note_ids.tolist(), range(len(note_ids)), strict=True))
    indexes.targets.renumber(id_by_id)
    indexes.mentions.renumber(id_by_id)
    indexes.graph = graph.renumbered([graph.path(note_id) for note_id in note_ids.tolist()])
    for path, concept in indexes.concept_by_path.items():
        indexes.graph.set_own_concept(indexes.graph.note_ids[path], concept)
    old_ids = {name: concept for concept, name in enumerate(_concepts(graph))}
    concepts = np.array([old_ids[name] for name in _concepts(indexes.graph)], np.int64)
    indexes.symbols.renumber(new_ids, note_ids, concepts)


def _concepts(graph: ConceptGraph) -> Iterator[str]:
    """Yield the names of all concepts by id, mentioned or not."""
    return map(graph.name, range(graph.concept_slots))


def empty_indexes(settings: EngineSettings) -> Indexes:
    """Return the indexes of a vault without notes."""
    sources = settings.sources
    stemmer = LANGUAGES[DEFAULT_LANGUAGE]
    naming = NamingRules(ConceptSource.TITLES in sources, ConceptSource.ALIASES in sources)
    return Indexes(
        NameIndex(naming),
        NoteAges(settings.decay, settings.half_life_days),
        Passages(stemmer),
        SymbolIndex(stemmer),
    )
