"""The one writer: turns batches of changed notes into the next revision.

What a link names can depend on any note of the vault, so a batch is settled in three steps: names,
then the targets those names may have changed, then the rows of the notes that hold such targets.
Each step touches only what the batch can have changed, and the outcome equals a rebuild from
nothing, whatever the order of edits.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from pathspec import GitIgnoreSpec

from clew.engine.caches.members import MembershipCache
from clew.engine.caches.neighbours import NeighbourCache
from clew.engine.communities.current import NONE_YET
from clew.engine.derived.arrays import Derived
from clew.engine.indexes import empty_indexes
from clew.engine.settings import DEFAULT_GRACE_DAYS, ConceptSource, EngineSettings
from clew.engine.snapshot import Snapshot
from clew.index.ages import NoteAge
from clew.index.names import NameIndex, canonical_target, without_extension
from clew.text.passages import words_of
from clew.values.note import LinkKind, Note, Wikilink
from clew.values.vault import Batch, ReadNote

READS_MAX = 200_000
TARGET_WORK = 5  # settling a target takes as long as entering so many links
ROW_WORK = 10
CELL_BYTES = 160  # entering so many bytes of a table of words takes as long as entering a link

_KIND_OF_SOURCE = {
    ConceptSource.LINKS: LinkKind.WIKI,
    ConceptSource.EMBEDS: LinkKind.EMBED,
    ConceptSource.MARKDOWN: LinkKind.MARKDOWN,
    ConceptSource.FRONTMATTER: LinkKind.FRONTMATTER,
}


class Engine:
    """Owns all indexes of one vault; ``snapshot`` is how everyone else sees them."""

    def __init__(self, settings: EngineSettings) -> None:
        sources = settings.sources
        self._titles = ConceptSource.TITLES in sources
        self._kinds = frozenset(
            kind for source, kind in _KIND_OF_SOURCE.items() if source in sources
        )
        self.indexes = empty_indexes(settings)
        self._grace_days = _grace_by_path(settings.tiers)
        self._around = NeighbourCache(self.indexes.graph)
        self._memberships = MembershipCache(self.indexes.graph)
        self._derived = Derived(self.indexes.passages, self.indexes.graph, self.indexes.own)
        self._language = settings.language
        self._reads_s: dict[str, float] = {}
        self.revision = 0
        self.communities = NONE_YET

    @property
    def snapshot(self) -> Snapshot:
        """Return the present revision."""
        return Snapshot(
            revision=self.revision,
            entries=self.indexes.entries,
            graph=self.indexes.graph,
            names=self.indexes.names,
            targets=self.indexes.targets,
            mention_kinds=self._kinds,
            reads_s=self._reads_s,
            ages=self.indexes.ages,
            owners=self.indexes.owners,
            around=self._around,
            passages=self.indexes.passages,
            near=self.indexes.near,
            derived=self._derived,
            language=self._language,
            communities=self.communities,
            memberships=self._memberships,
        )

    def apply(self, batch: Batch) -> int:
        """Make ``batch`` the next revision; return how much work that took, in links or so."""
        work = 0
        dirty: set[str] = set()  # notes whose row must be made again
        touched: set[str] = set()  # concepts whose mentions changed
        keys: set[str] = set()  # what targets may depend on that changed
        unsettled: set[str] = set()  # targets to ask again
        renamed: set[str] = set()  # notes whose own concept may have changed
        emptied: set[str] = set()  # targets that lost a note
        self._move_reads(batch)
        for path in batch.dropped:
            renamed |= self.indexes.names.sharers(path)
            keys |= self.indexes.names.drop(path)
            work += self._unlink(path, touched, emptied)
            self.indexes.graph.drop(path)
            self.indexes.passages.drop(path)
            self.indexes.entries.pop(path, None)
        for read in batch.put:
            path = read.note.path
            keys |= self.indexes.names.put(path, read.note.fields.aliases)
            renamed |= self.indexes.names.sharers(path)
            work += self._unlink(path, touched, emptied) + len(read.note.links)
            self.indexes.entries[path] = read
            unsettled |= self._link(read.note, touched)
            dirty.add(path)
        for path in batch.others_put:
            keys |= self.indexes.names.put_file(path)
        for path in batch.others_dropped:
            keys |= self.indexes.names.drop_file(path)
        for text in emptied:
            if not self.indexes.targets.by_text[text].notes:
                self.indexes.targets.discard(self.indexes.targets.by_text[text])
        if batch.rules is not None:
            self.indexes.names.rules = batch.rules
            unsettled.update(self.indexes.targets.by_text)
            renamed.update(self.indexes.entries)
        unsettled |= self.indexes.targets.depending_on(keys)
        unsettled &= self.indexes.targets.by_text.keys()
        self._settle(unsettled, dirty, touched)
        renamed.update(batch.dropped)
        self._settle_own(renamed, dirty)
        for concept in touched:
            dirty |= self.indexes.owners.get(concept, set())
        for path in dirty:
            self._write_row(path)
        work += self._index_passages(batch)
        self._forget_gone(touched)
        self.indexes.targets.recount(touched)
        self._apply_reads(batch)
        self._clear_caches(batch, rows_changed=bool(dirty or batch.dropped))
        self.revision += 1
        others = len(batch.others_put) + len(batch.others_dropped)
        return work + TARGET_WORK * (len(unsettled) + others) + ROW_WORK * len(dirty)

    def _index_passages(self, batch: Batch) -> int:
        """Enter what search looks at; return how much work that took."""
        work = 0
        for read in batch.put:
            path, note = read.note.path, read.note
            note_id = self.indexes.graph.note_id(path)
            assert note_id is not None
            words = batch.words.get(path) or words_of(note)
            work += len(words.counts) // CELL_BYTES
            self.indexes.passages.put(path, note_id, 1 + len(note.chunks), words)
        if batch.vectors is not None:
            self.indexes.passages.embed(batch.vectors)
            graph = self.indexes.graph
            self.indexes.near.embed(batch.vectors, lambda name: graph.concept_id(name) is not None)
        return work

    def _forget_gone(self, concepts: Iterable[str]) -> None:
        """Let go of the vectors of those concepts that no note mentions any more."""
        for concept in concepts:
            if self.indexes.graph.concept_id(concept) is None:
                self.indexes.near.drop(concept)

    def _clear_caches(self, batch: Batch, *, rows_changed: bool) -> None:
        files = (batch.put, batch.dropped, batch.others_put, batch.others_dropped)
        has_changes = any(files) or batch.rules is not None
        if has_changes or (batch.vectors is not None and batch.vectors.codes):
            self._derived.clear()
        if has_changes or batch.reads_s:
            self._around.clear()  # weights may have changed, if nothing else has
        if rows_changed:
            self._memberships.clear()

    def _link(self, note: Note, touched: set[str]) -> set[str]:
        """Enter the links of a note; return the targets that were not known before."""
        path, new = note.path, set()
        for link in note.links:
            if not link.target:
                continue
            text = canonical_target(link.target, path)
            target = self.indexes.targets.by_text.get(text)
            if target is None:
                target = self.indexes.targets.add(text, NameIndex.keys_of_target(text))
                new.add(text)
            target.notes[path] = target.notes.get(path, 0) + 1
            if link.kind in self._kinds:
                target.mentions[path] = target.mentions.get(path, 0) + 1
                for form in _forms(link):
                    target.forms[form] = target.forms.get(form, 0) + 1
            if target.concept is not None:
                touched.add(target.concept)
        return new

    def _unlink(self, path: str, touched: set[str], emptied: set[str]) -> int:
        """Take the links of a note out of the targets, if it is known; return how many."""
        entry = self.indexes.entries.get(path)
        if entry is None:
            return 0
        for link in entry.note.links:
            target = self.indexes.targets.by_text.get(canonical_target(link.target, path))
            if target is None:
                continue
            if link.kind in self._kinds:
                for form in _forms(link):
                    target.forms[form] -= 1
                    if not target.forms[form]:
                        del target.forms[form]
            if target.concept is not None:
                touched.add(target.concept)
            target.notes.pop(path, None)
            target.mentions.pop(path, None)
            emptied.add(target.text)
        return len(entry.note.links)

    def _settle(self, texts: Iterable[str], dirty: set[str], touched: set[str]) -> None:
        """Ask again where ``texts`` lead and what they name."""
        for text in texts:
            target = self.indexes.targets.by_text[text]
            before = target.concept
            resolved = self.indexes.names.resolve(text)
            concept = self.indexes.names.concept_of_target(text)
            self.indexes.targets.settle(target, resolved, concept)
            if concept != before:
                dirty.update(target.mentions)
                touched.update(name for name in (before, concept) if name is not None)

    def _settle_own(self, paths: Iterable[str], dirty: set[str]) -> None:
        """Ask again which concept each of these notes is."""
        for path in paths:
            concept = None
            if self._titles and path in self.indexes.entries:
                concept = self.indexes.names.concept_of_note(path)
            if concept == self.indexes.own.get(path):
                continue
            self.indexes.own_as(path, concept)
            if path in self.indexes.entries:
                dirty.add(path)

    def _write_row(self, path: str) -> None:
        """Write the concepts that the note at ``path`` mentions."""
        note = self.indexes.entries[path].note
        row: Counter[str] = Counter()
        for link in note.links:
            if link.target and link.kind in self._kinds:
                concept = self.indexes.targets.by_text[canonical_target(link.target, path)].concept
                if concept is not None:
                    row[concept] += 1
        own = self.indexes.own.get(path)
        outside = self.indexes.targets.is_mentioned_outside
        if own is not None and own not in row and outside(own, path):
            row[own] = 1
        note_id = self.indexes.graph.put(path, row)
        self._date(path, note_id)

    def _date(self, path: str, note_id: int) -> None:
        entry = self.indexes.entries[path]
        fields = entry.note.fields
        file_s = entry.stamp.modified_at_ns / 1e9
        said = [at for at in (fields.modified_at_s, fields.created_at_s) if at is not None]
        touched_s = max(said) if said else file_s
        modified_s = fields.modified_at_s
        age = NoteAge(
            touched_s=max(touched_s, self._reads_s.get(path, touched_s)),
            modified_s=modified_s if modified_s is not None else file_s,
            grace_days=self._grace_days(path),
            pinned=fields.pinned,
        )
        self.indexes.ages.put(note_id, age)

    def _move_reads(self, batch: Batch) -> None:
        """Let the read date follow a note through a rename that kept its content."""
        renamed: set[str] = set()
        by_hash = {
            self.indexes.entries[path].note.content_hash: self._reads_s[path]
            for path in batch.dropped
            if path in self._reads_s and is_followable(self.indexes.entries.get(path))
        }
        for read in batch.put:
            read_s = by_hash.get(read.note.content_hash)
            if read_s is not None and read.note.path not in self._reads_s:
                self._reads_s[read.note.path] = read_s
                renamed.add(read.note.content_hash)
        for path in batch.dropped:
            entry = self.indexes.entries.get(path)
            if entry is not None and entry.note.content_hash in renamed:
                self._reads_s.pop(path, None)

    def _apply_reads(self, batch: Batch) -> None:
        for path, read_s in batch.reads_s.items():
            self._reads_s[path] = max(read_s, self._reads_s.get(path, read_s))
            note_id = self.indexes.graph.note_id(path)
            if note_id is not None:
                self._date(path, note_id)
        # The dates of notes that are away are kept, for they may come back; the oldest go first.
        while len(self._reads_s) > READS_MAX:
            del self._reads_s[min(self._reads_s, key=self._reads_s.__getitem__)]


def _forms(link: Wikilink) -> list[str]:
    """Return how a link writes and shows what it names."""
    forms = [without_extension(link.target)]
    if link.alias and link.kind is not LinkKind.EMBED:
        forms.append(link.alias)
    return forms


def is_followable(entry: ReadNote | None) -> bool:
    """Tell whether a note can be known again by its content: it has some of its own."""
    return entry is not None and not entry.note.name_only and bool(entry.note.text.strip())


def _grace_by_path(tiers: Mapping[str, float]) -> Callable[[str], float]:
    """Return the days of grace by path: the first tier whose glob matches, else the default."""
    specs = [(GitIgnoreSpec.from_lines([glob]), float(days)) for glob, days in tiers.items()]

    def grace_days(path: str) -> float:
        return next((days for spec, days in specs if spec.match_file(path)), DEFAULT_GRACE_DAYS)

    return grace_days
