"""Keeps the index in step with the vault: finds the changed files, reads them, applies one batch.

Files are read in slices, so that the caller can do other work between two of them, such as to read
notes that were just saved. All other changes of a round become visible as one revision at its end,
or in portions if they are many.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing

from msgspec.structs import replace

from clew.engine.apply import Engine
from clew.engine.embedding import Embedder
from clew.engine.persist.index_file import read_indexes
from clew.engine.reading.edits import edit_times, edited_paths, takes_stamp
from clew.engine.reading.file_slices import (
    FileSlice,
    ReadAhead,
    ReadingRules,
    SliceNotes,
    load_slice,
    parse_slice,
    read_nothing_ahead,
    runs_of,
    taken_out,
    words_of,
)
from clew.engine.reading.gc_pause import MANY_NOTES, collector_paused
from clew.engine.reading.moved import MovedNotes
from clew.engine.reading.other_files import OtherFiles
from clew.engine.reading.overtaking import nothing_to_overtake
from clew.engine.reading.portions import applies_each_slice, passage_count, portion_passages
from clew.engine.reading.settling import Settling
from clew.engine.reading.steps import Absorbed, Absorbing, Step, sum_of
from clew.engine.reading.vault_settings import changed_settings
from clew.engine.settings import IndexerSettings
from clew.engine.snapshot import Snapshot
from clew.index.structures.stored_map import pairs
from clew.values.note import Problem
from clew.values.note_words import Words
from clew.values.vault import Batch, Difference, Moment, ReadNote, Stamp
from clew.vault.ignore import APP_JSON, APP_JSON_BYTES_MAX, ignore_rules
from clew.vault.root import VaultRoot
from clew.vault.view import VaultView

_UNREADABLE = "unreadable"
_EMPTY_HASH = hashlib.sha256(b"").hexdigest()


class Indexer:
    """Keeps the engine of one vault in step with the files of the vault.

    ``quarantined`` has the content hashes of notes that must not be parsed; the notes at the paths
    in ``suspects`` are parsed one by one. ``root_identity`` is the device and inode of the vault's
    folder as an earlier indexer saw it. ``read_ahead`` may read slices of files in other processes.
    """

    def __init__(
        self,
        settings: IndexerSettings,
        quarantined: Iterable[str] = (),
        suspects: Iterable[str] = (),
        root_identity: tuple[int, int] | None = None,
        read_ahead: ReadAhead = read_nothing_ahead,
    ) -> None:
        self._settings = settings
        self.engine = Engine(settings.engine)
        self.settling = Settling()
        self._read_ahead = read_ahead
        self._reading_rules = ReadingRules(
            settings.root, settings.max_note_bytes, frozenset(quarantined), settings.date_keys
        )
        self._suspects = frozenset(suspects)
        self._view = VaultView(settings.root, ignore_rules(settings.ignore, None))
        self._app_json: bytes | None = None
        self.root = VaultRoot(settings.root, root_identity)
        self._unreadable: dict[str, Problem] = {}
        self._unread: set[str] = set()  # notes that could not be read, indexed or not
        self._other_files = OtherFiles()
        self._has_walked = False  # the whole vault, since the last round of reading
        self._sees_edits = False  # after the first round; before, edits have no known time
        self.embedder = Embedder(self.engine)
        self._overtaking = nothing_to_overtake()  # of the present round

    @property
    def snapshot(self) -> Snapshot:
        """Return the present revision."""
        return self.engine.snapshot

    # -- restoring ----------------------------------------------------------------------------

    def load(self, file: memoryview) -> None:
        """Use the indexes of a saved revision; call it before ``restore``.

        Raises:
            ValueError, LookupError: it has no indexes; discard this indexer then.
        """
        self.engine.adopt(read_indexes(file, self.engine.settings))

    def restore(self, log: Iterable[Batch] = ()) -> None:
        """Apply the batches logged since the revision that was loaded; call it once.

        Raises:
            ValueError, LookupError: revision and log do not fit together; discard this indexer.
        """
        with collector_paused():
            for batch in log:
                self.engine.apply(batch)
        stamps, racy = dict[str, Stamp](), list[str]()
        for path, facts in pairs(self.engine.indexes.facts):
            stamps[path] = facts.stamp
            if facts.is_racy:
                racy.append(path)
        self._view.restore(stamps, self.engine.indexes.names.files())
        self._view.recheck(*racy)

    # -- finding changes ----------------------------------------------------------------------

    def look(self, now: Moment) -> Difference:
        """Walk the whole vault; return how it differs from the index.

        Raises:
            OSError: the vault's root cannot be listed, is another folder, or is found empty by the
                first look although the saved index has notes; nothing is changed.
        """
        self.root.check(self._view.has_its_notes)
        app_json = self.root.read_small(APP_JSON, APP_JSON_BYTES_MAX)
        if app_json != self._app_json:
            self._app_json = app_json
            self._view.rules = ignore_rules(self._settings.ignore, app_json)
        found = self._view.look(now)
        self._has_walked = True
        return found

    def look_at(
        self, paths: Iterable[str], now: Moment, again: AbstractSet[str] = frozenset()
    ) -> Difference:
        """Check ``paths``, and their folders if these are small, with new folders in them.

        ``again``: the paths that are checked once more though no new event named them.

        Raises:
            OSError: the vault's root cannot be listed or is another folder; nothing is changed.
        """
        self.root.check()
        return self._view.look_at(paths, now, again)

    def with_every_note(self, found: Difference) -> Difference:
        """Return ``found`` with every indexed note as changed, so that all are read again."""
        changed = set(found.changed) | (self.engine.indexes.entries.keys() - set(found.gone))
        return Difference(tuple(sorted(changed)), found.gone, found.others_added, found.others_gone)

    # -- reporting ----------------------------------------------------------------------------

    def folders(self) -> dict[str, tuple[int, int]]:
        """Return the folders of the vault as last seen, each with inode and count of hints."""
        return self._view.identities()

    def ignore_rule(self, path: str) -> str | None:
        """Return the rule that excludes the note at ``path``, if one does."""
        return self._view.ignore_rule(path)

    def is_current(self, path: str) -> bool:
        """Return whether disk and stored index certainly agree about ``path``: its note, or none.

        False if only reading the note could tell.
        """
        facts = self.engine.indexes.facts.get(path)
        stamp, is_racy = (facts.stamp, facts.is_racy) if facts is not None else (None, False)
        is_same = stamp == self._view.stamp_now(path) and not is_racy
        return is_same and not self._overtaking.is_doubtful(path) and self.root.is_there()

    def file_problems(self) -> list[Problem]:
        """Return the problems of files and settings; those of the notes are in the snapshot."""
        problems = [*self._view.problems(), *self._unreadable.values()]
        return sorted(problems, key=lambda p: (p.path, p.code))

    def unreadable(self) -> set[str]:
        """Return the notes, and the folders with ``/.`` appended, that could not be read.

        They must be tried again on a timer: a file that becomes readable may cause no event.
        """
        return self._unread | self._view.unreadable()

    # -- reading ------------------------------------------------------------------------------

    def size_bytes(self, paths: Iterable[str]) -> int:
        """Return the summed sizes of files by their last stamps, each up to the limit of a note."""
        stamps = filter(None, map(self._view.stamp, paths))
        return sum(min(each.size_bytes, self._settings.max_note_bytes) for each in stamps)

    def absorb(self, found: Difference, now: Moment) -> Absorbing:
        """Read the changed files and apply the changes as one revision.

        Yields the progress before and after each slice; returns the changes. If no content changed
        after all, there is no new revision. A round of very many notes is applied slice by slice.

        Raises:
            OSError: the vault went away; the next walk finds again what is not applied.
        """
        with collector_paused(freezes=len(found.changed) > MANY_NOTES):
            return (yield from self._absorb(found, now))

    def _absorb(self, found: Difference, now: Moment) -> Absorbing:
        is_whole, self._has_walked = self._has_walked, False
        gone = set(found.gone)
        reads, words = list[ReadNote](), dict[str, Words]()
        passages = 0  # of the notes that were read since the last portion
        edited, portions = list[str](), list[Absorbed]()
        count = len(self.engine.indexes.entries)
        is_first = self.engine.indexes.is_first
        is_slicewise = applies_each_slice(len(found.changed), is_first=is_first)
        self.settling.confirm_present(found.changed)
        view = self._view if self._sees_edits else None  # nothing is missed by a first walk
        seen_s = now.wall_ns / 1e9 if self._sees_edits else None
        moved = MovedNotes(self.engine.indexes.facts, gone, self.settling.leaving, view)
        overtaking = self._overtaking = self._overtaking.of_next_round(moved, found.changed)
        for step in self._read_slices(found.changed, gone, now):
            others = moved.keep(step.read)
            reads += others
            passages += passage_count(others)
            edited += edited_paths(self.engine.indexes.facts, step.read)
            words.update(step.words)
            yield step.of_notes(others)  # the log must not have the others before the deletion
            is_portion = passages >= portion_passages(len(self.engine.indexes.passages.slots))
            reads = overtaking.without(reads)
            if reads and (is_portion or (is_slicewise and self.root.is_there())):
                portions.append(self._apply_portion(reads, taken_out(words, reads)))
                overtaking.applied(reads, is_portion=is_portion)
                reads, passages = [], 0 if is_portion else passages
                times = edit_times(self.engine.indexes, edited, overtaking.paths, seen_s)
                yield Step(step.done, step.total, is_applied=True, is_portion=is_portion, **times)
                edited = []
        gone -= overtaking.paths
        self.settling.forget({*gone, *filter(self._view.is_out_of_reach, self.settling.waiting)})
        self._other_files.queue(found)
        self._check_root_after(found, gone, now.steady_ns)
        reads = overtaking.without((*reads, *moved.kept))
        dropped = self._confirm_deletions(gone, reads, now.steady_ns, count, is_whole=is_whole)
        self._unread -= gone
        for path in gone:
            self._unreadable.pop(path, None)
        words = taken_out(words, reads)
        changed = self._other_files.taken_with(changed_settings(self.root, self.engine.indexes))
        absorbed = sum_of(portions, self._apply(self._batch(changed, reads, words, dropped)))
        self._overtaking = nothing_to_overtake()  # the present one has notes of this round
        del reads, words  # the index has them
        for _ in self.engine.search_mentions():
            yield Step(len(found.changed), len(found.changed), is_search=True)
            absorbed = absorbed._replace(is_searched=True)
        self._sees_edits = True
        times = edit_times(self.engine.indexes, edited, overtaking.paths, seen_s)
        return absorbed._replace(**times)

    def read_saved(self, paths: Iterable[str], now: Moment) -> Absorbing:
        """Read and apply changed notes between two slices of a round, which leaves them alone then.

        ``paths`` must be checked after the round: see ``overtaking``. Settings wait for its end.
        """
        rules, view, indexes = self._reading_rules, self._view, self.engine.indexes
        safe = set(paths) - self._suspects
        saved = yield from self._overtaking.read(rules, safe, view, indexes, now)
        self.root.check()
        self.settling.confirm_present(saved.words)
        edited = self._overtaking.take(saved, view, indexes.facts)
        batch = self._batch(Batch(), saved.reads, saved.words, set()) if saved.reads else Batch()
        edits_s = dict.fromkeys(edited, now.wall_ns / 1e9)
        return self._apply(batch)._replace(edits_s=edits_s, confirmed=saved.confirmed)

    def _apply_portion(self, reads: Sequence[ReadNote], words: Mapping[str, Words]) -> Absorbed:
        """Apply a part of a round; keep only its counts, since its words take much memory."""
        batch = Batch(put=tuple(reads), words=words, puts_mentions_off=self.engine.indexes.is_first)
        return self._apply(batch)._replace(batch=Batch())

    def _read_slices(self, paths: Sequence[str], gone: set[str], now: Moment) -> Iterator[Step]:
        """Read and parse the files; add those that are missing to ``gone``."""
        done, total = 0, len(paths)
        with closing(self._read_ahead(self._reading_rules, self._slices(paths, now))) as slices:
            for files, notes_read_ahead in slices:
                if notes_read_ahead is not None:
                    notes = notes_read_ahead
                    yield Step(done, total, parsing=())
                else:
                    loaded = load_slice(self._reading_rules, files)
                    yield Step(done, total, parsing=loaded.to_parse)
                    notes = parse_slice(self._reading_rules, loaded, self.engine.indexes.entries)
                notes = self._overtaking.rest_of(notes)
                gone.update(notes.missing)
                self._view.recheck(*notes.missing)  # they may return with the old stamps
                done = files.done
                reads = self._reads_to_index(notes, now)
                yield Step(done, total, read=reads, words=words_of(reads, notes))

    def _confirm_deletions(
        self, gone: set[str], reads: Sequence[ReadNote], now_ns: int, count: int, *, is_whole: bool
    ) -> set[str]:
        """Return the notes to drop now; ``count``: the number of notes before the round."""
        entries = self.engine.indexes.entries
        arriving = filter(None, map(self._view.stamp, self.settling.being_written))
        confirmed = self.settling.confirm_deletions(
            {path: entries[path].stamp.inode for path in gone & entries.keys()},
            {read.stamp.inode for read in reads if read.note.path not in entries},
            count,
            now_ns,
            is_whole=is_whole,
            arriving={stamp.inode for stamp in arriving},
        )
        return confirmed & entries.keys()

    def _batch(
        self, changed: Batch, reads: Sequence[ReadNote], words: Mapping[str, Words], gone: set[str]
    ) -> Batch:
        return replace(
            changed,
            put=tuple(reads),
            dropped=tuple(sorted(gone)),
            words=words,
            vectors=self.embedder.vectors_of([read.note for read in reads], gone),
            puts_mentions_off=self.engine.indexes.mentions.are_put_off,
        )

    def _apply(self, batch: Batch) -> Absorbed:
        entries = self.engine.indexes.entries
        added = sum(read.note.path not in entries for read in batch.put)
        work = self.engine.apply(batch) if batch != Batch() else 0
        return Absorbed(batch, work, added, len(batch.put) - added)

    def _reads_to_index(self, notes: SliceNotes, now: Moment) -> tuple[ReadNote, ...]:
        """Return the notes of a slice that should be indexed now."""
        indexes = self.engine.indexes
        unchanged = [indexes.restamped(path, stamp) for path, stamp in notes.unchanged.items()]
        return tuple(
            replace(read, is_racy=self._view.is_racy(read.note.path, read.stamp, now))
            for read in (*unchanged, *notes.read)
            if self._is_to_index(read, now)
        )

    def _is_to_index(self, read: ReadNote, now: Moment) -> bool:
        """Return whether to index a note that was read; schedule later checks of its file."""
        entry = self.engine.indexes.entries.get(path := read.note.path)
        problem = next((p for p in read.note.problems if p.code == _UNREADABLE), None)
        if problem is not None:
            self._unread.add(path)
            self._view.recheck(path)  # becoming readable may leave its stamp the same
            self.settling.clear_emptied(path)
        if entry is not None and problem is not None:
            self._unreadable[path] = problem  # the note keeps its old content
            return False
        self._unreadable.pop(path, None)
        if problem is None:
            self._unread.discard(path)
        had_content = entry is not None and entry.note.content_hash != _EMPTY_HASH
        if not (had_content and read.note.content_hash == _EMPTY_HASH):
            self.settling.clear_emptied(path)
        elif self.settling.defer_if_emptied(path, read.stamp, now.steady_ns):
            self._view.recheck(path)
            return False
        age_ns = self._view.age_ns(path, read.stamp, now)
        if self.settling.recheck_if_young(path, age_ns, now.steady_ns):
            self._view.recheck(path)
        indexed = entry.stamp if entry is not None and entry.note == read.note else None
        self.settling.note_copy(path, indexed, read.stamp)
        return takes_stamp(indexed, read.stamp, at_start=not self._sees_edits)

    def _check_root_after(self, found: Difference, gone: set[str], now_ns: int) -> None:
        """Check the root again; if the vault is gone, raise, so that no read note is used."""
        try:
            self.root.check()
        except OSError:
            self._view.recheck(*found.changed)
            self.settling.hold_deletions(gone, now_ns)
            raise

    def _slices(self, paths: Sequence[str], now: Moment) -> Iterator[FileSlice]:
        """Split ``paths`` into slices, without the files that are being written."""
        sizes = ((path, self.size_bytes((path,))) for path in paths)
        for run, done, size_bytes in runs_of(sizes, self._suspects):
            yield self._slice(run, done, size_bytes, now)

    def _slice(self, run: Sequence[str], done: int, size_bytes: int, now: Moment) -> FileSlice:
        to_read = (path for path in run if path not in self._overtaking.paths)
        paths = tuple(path for path in to_read if not self._defer(path, now))
        entries = map(self.engine.indexes.entries.get, paths)
        hashes = tuple(entry.note.content_hash if entry else "" for entry in entries)
        return FileSlice(paths, hashes, done, size_bytes, not self._suspects.isdisjoint(paths))

    def _defer(self, path: str, now: Moment) -> bool:
        """Return whether a file is being written, so that it is read later."""
        stamp = self._view.stamp(path)
        if stamp is None:
            return False
        age_ns = self._view.age_ns(path, stamp, now)
        is_deferred = self.settling.defer_if_being_written(path, age_ns, now.steady_ns)
        if is_deferred:
            self._view.recheck(path)
        return is_deferred
