"""The one writer of the indexes: it turns batches of changed notes into revisions.

The meaning of a link can depend on any note of the vault: a new note may take over a name, a new
alias may claim a word. Resolving every link again after each save would take time in proportion to
the size of the vault, so a batch is applied in steps, each of which handles only what the
steps before can have changed:

1. Names: the notes of the batch enter or leave the name index, which returns the keys that changed.
2. Links: those of the batch are entered under their targets, and so are those of other notes that
   lead to another of several files with one name now.
3. Targets: link targets that depend on the changed keys are resolved again.
4. Rows: if a target's result changed, the graph rows of all notes that hold it are rewritten.
5. Successors: which notes replace others is settled again for the links that changed.
6. Words: the passages of the notes of the batch are indexed.

The modules of ``engine/applying`` are these steps; ``Effects`` passes the results of one to the
next. The result equals a rebuild from nothing, whatever the order of edits;
``tests/engine/test_incremental.py`` checks this.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import TYPE_CHECKING

from clew.engine.applying.effects import Effects
from clew.engine.applying.links import (
    discard_unused_targets,
    relink_near_same_names,
    settle_targets,
)
from clew.engine.applying.names import enter_names, settle_concepts_of_notes
from clew.engine.applying.notes import enter_notes
from clew.engine.applying.rows import write_rows
from clew.engine.applying.successors import settle_successors
from clew.engine.applying.words import index_words
from clew.engine.caches.latest import LatestCaches
from clew.engine.caches.member_ids import MemberIds
from clew.engine.caches.name_shapes import NameCaches
from clew.engine.communities.current import NO_COMMUNITIES, Communities
from clew.engine.derived.change_log import ChangeLog, changes_of
from clew.engine.derived.derived_values import Derived
from clew.engine.derived.importance import LatestImportance, is_large
from clew.engine.derived.nodes import LatestNodes
from clew.engine.indexes import Indexes, compact, empty_indexes
from clew.engine.mentions.search_all import search_all
from clew.engine.mentions.update import replaced_by, update_mentions
from clew.engine.note_dates import DateBook
from clew.engine.private.marks import mark_private
from clew.engine.private.patterns import private_by_path
from clew.engine.renames import Renames, renames_in
from clew.engine.settings import ConceptSource, EngineSettings
from clew.engine.snapshot import Snapshot
from clew.text.languages.languages import Languages
from clew.text.passages import count_note_words
from clew.values.note import LinkKind
from clew.values.note_words import Words
from clew.values.vault import (
    NO_EVENTS,
    Batch,
    ConceptRules,
    DailyNotes,
    FoundNames,
    NoteEvents,
    changes_content,
    is_of_reads,
)

if TYPE_CHECKING:
    from clew.index.approximate import ApproximateIndex
    from clew.index.notes.ages import NoteAge

_KIND_OF_SOURCE = {
    ConceptSource.LINKS: LinkKind.WIKI,
    ConceptSource.EMBEDS: LinkKind.EMBED,
    ConceptSource.MARKDOWN: LinkKind.MARKDOWN,
    ConceptSource.FRONTMATTER: LinkKind.FRONTMATTER,
}


class Engine:
    """Owns all indexes of one vault; all others read them through ``snapshot``.

    ``events``: the dates of reads and edits that are known at the start.
    """

    def __init__(self, settings: EngineSettings, events: NoteEvents = NO_EVENTS) -> None:
        self._kinds = frozenset(
            kind for source, kind in _KIND_OF_SOURCE.items() if source in settings.sources
        )
        self.settings = settings
        self.indexes = empty_indexes(settings)
        self.dates = DateBook(settings.tiers, events)
        self._is_private_path = private_by_path(settings.private)
        self.touched: AbstractSet[str] = set()  # the concepts whose mentions the last batch changed
        self.found_names: FoundNames | None = None  # rare names in texts of the last batch
        self.changes = ChangeLog()
        self.renames = Renames()
        self._revision, self._communities = 0, NO_COMMUNITIES
        self.content_changes = 0  # rises when a reply may change, except by a read date
        self._snapshot: Snapshot | None = None  # of this revision; None until it is asked for
        # The values shared by snapshots; None once a batch may have changed them.
        self._derived: Derived | None = None
        self._member_ids, self._name_shapes = MemberIds(), NameCaches()
        self._importance, self._nodes = LatestImportance(), LatestNodes()
        self._caches = LatestCaches(settings.broad_from)

    @property
    def revision(self) -> int:
        """The number of the present revision."""
        return self._revision

    @property
    def communities(self) -> Communities:
        """The communities that queries see."""
        return self._communities

    @communities.setter
    def communities(self, communities: Communities) -> None:
        self._communities = communities
        self._snapshot = None
        self.content_changes += 1

    def continue_from(self, other: "Engine", *, is_new: bool) -> None:
        """Continue the history of ``other``: as its next revision if ``is_new``, else the same."""
        self._revision = other.revision + is_new
        self.content_changes = other.content_changes
        self.communities = other.communities
        self.changes = other.changes
        later, self.renames = self.renames.by_path, other.renames
        self.renames.continue_with(later)
        if is_new:
            self.changes.forget(self._revision)
        importance = self._importance.value
        if importance and importance.link_changes == self.indexes.graph.link_changes:
            self._importance.value = replace(importance, revision=self._revision)

    def follow(self, other: "Engine") -> None:
        """Copy the revision and the count of changes from ``other``, which has all these notes."""
        self._revision, self.content_changes = other.revision, other.content_changes
        self._snapshot = None

    def begin_changes(self) -> None:
        """Begin an empty log of changes and renames, so that none up to this revision is known."""
        self.changes, self.renames = ChangeLog(), Renames()
        self.changes.forget(self._revision)

    def continue_history(self, other: "Engine", hidden: Container[str]) -> None:
        """Copy the changes and renames of ``other``, whose last revision hides these notes."""
        self.changes = other.changes.hiding(hidden)
        self.renames = Renames()
        known = other.renames.by_path.items()
        self.renames.continue_with({old: new for old, new in known if new not in hidden})

    def take_name_vectors(self, other: "Engine") -> None:
        """Copy from ``other`` the missing name vectors of concepts that the last batch mentions."""
        new = filter(self._is_mentioned, self.touched)
        self.indexes.name_vectors.take(new, other.indexes.name_vectors)

    @property
    def snapshot(self) -> Snapshot:
        """The present revision; it is made when it is first asked for, in constant time."""
        if self._snapshot is None:
            self._snapshot = self._new_snapshot()
        return self._snapshot

    def _new_snapshot(self) -> Snapshot:
        indexes = self.indexes.copy()
        if self._derived is None:
            self._derived = Derived(
                indexes.passages,
                indexes.graph,
                indexes.mentions,
                self._revision,
                self._importance,
                self._nodes,
            )
        return Snapshot(
            revision=self._revision,
            content_changes=self.content_changes,
            entries=indexes.entries,
            facts=indexes.facts,
            fields=indexes.fields,
            lists=indexes.lists,
            graph=indexes.graph,
            names=indexes.names,
            targets=indexes.targets,
            mention_kinds=self._kinds,
            reads_s=self.dates.reads.by_path.copy(),
            edits_s=self.dates.edits.by_path.copy(),
            ages=indexes.ages,
            daily_notes=indexes.daily_notes,
            rule_files=indexes.rule_files,
            paths_by_concept=indexes.paths_by_concept,
            neighbour_cache=self._caches.neighbours(indexes.graph, indexes.ages),
            passages=indexes.passages,
            languages=Languages(indexes.passages.keyword.stemmers),
            symbols=indexes.symbols,
            mentions=indexes.mentions,
            successors=indexes.successors,
            name_vectors=indexes.name_vectors,
            code=indexes.code,
            renames=self.renames.by_path.copy(),
            derived=self._derived,
            communities=self._communities,
            member_ids=self._member_ids,
            name_shapes=self._name_shapes,
            siblings=self._caches.siblings(indexes.graph),
            cache_counts=self._caches.counts,
        )

    def compact(self) -> None:
        """Compact the indexes; the revision stays the same, but notes and slots get new ids."""
        compact(self.indexes)
        self.indexes.importance, self._importance = None, LatestImportance()
        self._nodes = LatestNodes()
        self._forget_caches()

    def compact_if_needed(self) -> bool:
        """Compact the indexes if much is left of replaced and deleted notes; return whether so."""
        is_needed = self.indexes.needs_compaction
        if is_needed:
            self.compact()
        return is_needed

    def adopt(self, indexes: Indexes) -> None:
        """Replace the indexes by equal ones that were read from the file of this revision."""
        indexes.graph.edge_changes = self.indexes.graph.edge_changes
        self.indexes, self._nodes = indexes, LatestNodes()
        if indexes.importance is not None:
            self._importance = LatestImportance(indexes.importance)
        self._forget_caches()

    def weigh_nodes(self) -> None:
        """Compute the importance of nodes in a large vault, so that it is stored."""
        if is_large(self.indexes.graph):
            self.indexes.importance = self.snapshot.derived.weigh_nodes()

    def use_approximate(self, approximate: "ApproximateIndex | None") -> "ApproximateIndex | None":
        """Search vectors by ``approximate`` if it fits them, else exactly; return what is used."""
        self._snapshot = None
        self.content_changes += 1
        return self.indexes.passages.vectors.use_approximate(approximate)

    def _forget_caches(self) -> None:
        self._snapshot = self._derived = None
        self.content_changes += 1
        self._caches.clear()

    def apply(self, batch: Batch) -> int:
        """Make ``batch`` the next revision; return the work, in units of one link entered."""
        changes = changes_of(batch, self.indexes.entries)
        whole, batch = batch, self.indexes.take_stamps(batch)
        effects, replaced = Effects(), replaced_by(batch, self.indexes)
        self.dates.follow_renames(batch, self.indexes.entries)
        put = ((read.note.path, read.note.content_hash) for read in batch.put)
        renamed = renames_in(batch.dropped, put, self.indexes.facts, self.indexes.entries)
        self.renames.follow(batch.dropped, renamed)
        if batch.daily_notes is not None:
            self._replace_daily_notes(batch.daily_notes, effects)
        names_before = self.indexes.names.copy()
        enter_names(self.indexes.names, batch, effects)
        enter_notes(self.indexes, batch, names_before, self._kinds, effects)
        paths = [read.note.path for read in batch.put]
        mark_private(self.indexes, batch, self._is_private_path)
        done = {*batch.dropped, *paths}
        relink_near_same_names(self.indexes, names_before, done, self._kinds, effects)
        discard_unused_targets(self.indexes, effects.unlinked_targets)
        for path in batch.code_dropped:
            self.indexes.code.drop_read(path)
        for code in batch.code:
            self.indexes.code.put_read(code)
        if batch.rules is not None:
            self._replace_rules(batch.rules, effects)
        if batch.rule_files is not None:
            self.indexes.rule_files = batch.rule_files
        effects.unsettled_targets |= self.indexes.targets.depending_on(effects.changed_keys)
        effects.unsettled_targets &= self.indexes.targets.by_text.keys()
        settle_targets(self.indexes, effects)
        settle_successors(self.indexes, (*batch.dropped, *paths), effects)
        settle_concepts_of_notes(self.indexes, effects)
        write_rows(self.indexes, self._kinds, effects)
        self.indexes.symbols.add_concepts(self.indexes.graph)
        notes = [read.note for read in batch.put]
        words = {note.path: batch.words.get(note.path) or count_note_words(note) for note in notes}
        work = self._index_passages(batch, words)
        self.found_names = update_mentions(self.indexes, batch, words, replaced, effects)
        self.touched = effects.touched_concepts
        self._drop_unused_name_vectors(effects.touched_concepts)
        self.indexes.targets.forget_displays(effects.touched_concepts)
        self._apply_dates(whole)
        self._clear_caches(whole, rows_changed=bool(effects.dirty_notes or batch.dropped))
        self._snapshot = None
        self.content_changes += not is_of_reads(whole)
        self._revision += 1
        self.changes.add(self._revision, changes)
        return work + effects.work

    def search_mentions(self) -> Iterator[None]:
        """Search texts for the mentions that batches put off, if any; yield after each step.

        The last step enters them into the present revision; apply no batch before.
        """
        if self.indexes.mentions.are_put_off:
            yield from search_all(self.indexes)
            self._forget_caches()

    def _replace_rules(self, rules: ConceptRules, effects: Effects) -> None:
        """Use new concept rules, which can change the concept of any target and of any note."""
        self.indexes.names.rules = rules
        effects.unsettled_targets.update(self.indexes.targets.by_text)
        effects.renamed_notes.update(self.indexes.entries)

    def _replace_daily_notes(self, daily: DailyNotes, effects: Effects) -> None:
        """Use another format of daily notes, by which any note may have another date."""
        is_same = daily.format == self.indexes.daily_notes.format
        self.indexes.daily_notes = daily
        if not is_same:
            self._write_ages(self.indexes.facts)
            effects.work += len(self.indexes.facts)

    def _index_passages(self, batch: Batch, words: Mapping[str, Words]) -> int:
        """Index the words and vectors of a batch; return how much work that took."""
        work = index_words(self.indexes, batch, words)
        # A new language stems all words again. So much work makes the revision be sent as a file.
        work += self.indexes.use_languages(self.settings.language)
        if batch.vectors is not None:
            self.indexes.passages.embed(batch.vectors, self.indexes.graph.note_ids)
            self.indexes.name_vectors.embed(batch.vectors, self._is_mentioned)
        return work

    def _drop_unused_name_vectors(self, concepts: Iterable[str]) -> None:
        """Drop the name vectors of those concepts that no note mentions any more."""
        for concept in concepts:
            if not self._is_mentioned(concept):
                self.indexes.name_vectors.drop(concept)

    def _is_mentioned(self, concept: str) -> bool:
        return self.indexes.graph.concept_id(concept) is not None

    def _clear_caches(self, batch: Batch, *, rows_changed: bool) -> None:
        has_changes = changes_content(batch)
        if has_changes or (batch.vectors is not None and batch.vectors.codes):
            self._derived = None
        weights = has_changes or bool(batch.reads_s or batch.edits_s or batch.commits)
        self._caches.change(rows=rows_changed, weights=weights)

    def _apply_dates(self, batch: Batch) -> None:
        """Enter the dates of a batch: of reads, edits and commits, and the ages of its notes."""
        self.dates.add(NoteEvents(batch.reads_s, batch.edits_s))
        self.indexes.put_commits(batch.commits)
        put = (read.note.path for read in batch.put)
        self._write_ages({*put, *batch.reads_s, *batch.edits_s, *batch.commits})

    def _write_ages(self, paths: Iterable[str]) -> None:
        indexes, note_ids = self.indexes, self.indexes.graph.note_ids
        ages: dict[int, NoteAge] = {}
        for path in paths:
            facts, commits = indexes.facts.get(path), indexes.commits.get(path)
            if facts is not None:
                age = self.dates.age(path, facts, indexes.daily_notes, commits)
                ages[note_ids[path]] = age
        indexes.ages.put(ages)
