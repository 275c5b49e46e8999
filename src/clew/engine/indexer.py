"""From the folder to the next revision: look, read what changed, apply.

Holds what is known of the folder beside the engine that holds what is known of the notes. Reading
comes in slices, so that whoever drives it can do other things in between; what was read becomes
visible in one revision at the end.
"""

import errno
import hashlib
import os
import stat
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

from msgspec.structs import replace

from clew.disk.beneath import open_beneath
from clew.engine.apply import Engine
from clew.engine.embedding import Embedder
from clew.engine.gc_pause import MANY_NOTES, collector_paused
from clew.engine.persist.index_chunks import load_chunk, unpack_chunk
from clew.engine.settings import IndexerSettings
from clew.engine.settling import Settling
from clew.engine.snapshot import Snapshot
from clew.text.markdown.parse import name_only_note
from clew.text.passages import count_note_words
from clew.values.note import Problem
from clew.values.note_words import Words
from clew.values.replies import QUARANTINED
from clew.values.vault import Batch, ConceptRules, Difference, Moment, ReadNote
from clew.vault.ignore import APP_JSON, APP_JSON_BYTES_MAX, ignore_rules
from clew.vault.read import Unparsed, load_file, parse_files
from clew.vault.rules import CONCEPTS_TOML, RULES_BYTES_MAX, parse_rules, rules_digest
from clew.vault.view import VaultView

SLICE_NOTES = 100  # read and parsed together
SLICE_BYTES = 4 * 1024 * 1024
_UNREADABLE = "unreadable"
_EMPTY_HASH = hashlib.sha256(b"").hexdigest()


class FolderReplaced(OSError):
    """The vault's path leads to another folder than it did at first."""


class Step(NamedTuple):
    """How far a round of reading is."""

    done: int
    total: int
    parsing: tuple[tuple[str, str], ...] = ()  # path and content hash of notes parsed next
    read: tuple[ReadNote, ...] = ()  # notes read since the last step that say something new
    words: Mapping[str, Words] = {}  # of these notes, by path


@dataclass(frozen=True, slots=True)
class Absorbed:
    """What a round of reading brought; the engine has applied ``batch``."""

    batch: Batch
    work: int  # that applying it took, as the engine counts it
    added: int
    modified: int

    @property
    def removed(self) -> int:
        """How many notes went."""
        return len(self.batch.dropped)

    @property
    def is_nothing(self) -> bool:
        """Whether there is no new revision."""
        return self.batch == Batch()


Absorbing = Generator[Step, None, Absorbed]


class Indexer:
    """Keeps one vault's engine in step with its folder.

    ``quarantined`` are content hashes of notes that are not to be parsed; notes among ``suspects``
    are parsed one by one. ``root_identity`` is what the vault's folder was to an indexer before.
    """

    def __init__(
        self,
        settings: IndexerSettings,
        quarantined: Iterable[str] = (),
        suspects: Iterable[str] = (),
        root_identity: tuple[int, int] | None = None,
    ) -> None:
        self._settings = settings
        self.engine = Engine(settings.engine)
        self.settling = Settling()
        self._quarantined = frozenset(quarantined)
        self._suspects = frozenset(suspects)
        self._view = VaultView(settings.root, ignore_rules(settings.ignore, None))
        self._app_json: bytes | None = None
        self.root_identity = root_identity  # device, inode; None before the first look
        self._unreadable: dict[str, Problem] = {}
        self._unread: set[str] = set()  # notes that could not be read, whether known or not
        self._others_owed: set[str] = set()  # seen, and not yet applied
        self._others_gone_owed: set[str] = set()
        self._looked_at_whole = False
        self.embedder = Embedder(self.engine)

    @property
    def root(self) -> str:
        """The vault's folder."""
        return self._settings.root

    @property
    def snapshot(self) -> Snapshot:
        """Return the present revision."""
        return self.engine.snapshot

    # -- coming back --------------------------------------------------------------------------

    def restore(self, chunks: Iterable[bytes | memoryview], log: Iterable[Batch]) -> None:
        """Take over a revision that was sealed and the batches applied since; once, at first.

        Raises:
            ValueError, LookupError: they do not fit together; this indexer is of no use then.
        """
        with collector_paused(MANY_NOTES + 1):
            for chunk in chunks:
                load_chunk(self.engine.indexes, unpack_chunk(chunk))
            for batch in log:
                self.engine.apply(batch)
        entries = self.engine.indexes.entries
        others = self.engine.indexes.names.files()
        self._view.restore({path: entry.stamp for path, entry in entries.items()}, others)
        for path, entry in entries.items():
            if entry.is_racy:
                self._view.recheck(path)

    # -- looking ------------------------------------------------------------------------------

    def look(self, now: Moment) -> Difference:
        """Walk the whole vault.

        Raises:
            OSError: the vault's root cannot be listed or is another folder; nothing is changed.
        """
        self._check_root()
        app_json = _read_small(self._settings.root, APP_JSON, APP_JSON_BYTES_MAX)
        if app_json != self._app_json:
            self._app_json = app_json
            self._view.rules = ignore_rules(self._settings.ignore, app_json)
        found = self._view.look(now)
        self._looked_at_whole = True
        return found

    def look_at(
        self, paths: Iterable[str], now: Moment, again: AbstractSet[str] = frozenset()
    ) -> Difference:
        """Look at ``paths``, the folders that hold them unless large, and new folders in those.

        ``again`` are those of which nothing new was heard.

        Raises:
            OSError: the vault's root cannot be listed or is another folder; nothing is changed.
        """
        self._check_root()
        return self._view.look_at(paths, now, again)

    def with_every_note(self, found: Difference) -> Difference:
        """Return a difference that has every note read again."""
        changed = set(found.changed) | (self.engine.indexes.entries.keys() - set(found.gone))
        return Difference(tuple(sorted(changed)), found.gone, found.others_added, found.others_gone)

    def is_root_there(self) -> bool:
        """Tell whether the vault's path leads to the folder it led to at first."""
        try:
            self._check_root()
        except OSError:
            return False
        return True

    def _check_root(self) -> None:
        """Make sure that the vault's path still leads to the folder it led to at first.

        An unmounted disk leaves another folder in its place.
        """
        status = os.stat(self._settings.root)
        if not stat.S_ISDIR(status.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        identity = (status.st_dev, status.st_ino)
        if self.root_identity is None:
            self.root_identity = identity
        if identity != self.root_identity:
            raise FolderReplaced(errno.ENOTDIR, "another folder is at this path")

    # -- telling ------------------------------------------------------------------------------

    def folders(self) -> dict[str, tuple[int, int]]:
        """Return the folders of the vault as last seen, each with what tells it from another."""
        return self._view.identities()

    def ignore_rule(self, path: str) -> str | None:
        """Return the rule that leaves the note at ``path`` out, if one does."""
        return self._view.ignore_rule(path)

    def problems_beside(self) -> list[Problem]:
        """Return what is wrong with files and settings, apart from the problems of notes."""
        found = [*self._view.problems(), *self._unreadable.values()]
        return sorted(found, key=lambda p: (p.path, p.code))

    def unreadable(self) -> set[str]:
        """Return what could not be read: paths of notes, and of folders with ``/.`` at their end.

        When that is over, nothing may tell of it.
        """
        return self._unread | self._view.unreadable()

    # -- reading ------------------------------------------------------------------------------

    def absorb(self, found: Difference, now: Moment) -> Absorbing:
        """Read what a look found changed and apply it as one revision.

        Yields how far it is, before and after each slice; returns what changed. When nothing turns
        out to have changed there is no new revision.

        Raises:
            OSError: the vault went away meanwhile; nothing is applied, nothing forgotten.
        """
        with collector_paused(len(found.changed)):
            return (yield from self._absorb(found, now))

    def _absorb(self, found: Difference, now: Moment) -> Absorbing:
        known = self.engine.indexes.entries
        is_whole, self._looked_at_whole = self._looked_at_whole, False
        reads: list[ReadNote] = []
        words: dict[str, Words] = {}
        gone = set(found.gone)
        done, total = 0, len(found.changed)
        self.settling.confirm_present(found.changed)
        for paths in self._slices(found.changed):
            ready, unparsed = self._load(paths, gone, now)
            yield Step(done, total, parsing=tuple(_announced(file) for file in unparsed))
            ready += parse_files(unparsed)
            news = tuple(self._marked(read, now) for read in ready if self._is_news(read, now))
            reads += news
            done += len(paths)
            counted = {read.note.path: count_note_words(read.note) for read in news}
            words.update(counted)
            yield Step(done, total, read=news, words=counted)
        self.settling.forget(gone)
        self._owe(found)
        self._check_root_after(found, gone, now.steady_ns)
        believed = self.settling.confirm_deletions(
            {path: known[path].stamp.inode for path in gone & known.keys()},
            {read.stamp.inode for read in reads if read.note.path not in known},
            len(known),
            now.steady_ns,
            is_whole=is_whole,
        )
        self._unread -= gone
        for path in gone:
            self._unreadable.pop(path, None)
        batch = Batch(
            put=tuple(reads),
            dropped=tuple(sorted(believed & known.keys())),
            others_put=tuple(sorted(self._others_owed)),
            others_dropped=tuple(sorted(self._others_gone_owed)),
            rules=self._changed_rules(),
            words=words,
            vectors=self.embedder.vectors_of([read.note for read in reads], believed),
        )
        self._others_owed, self._others_gone_owed = set(), set()
        added = sum(read.note.path not in known for read in reads)
        work = self.engine.apply(batch) if batch != Batch() else 0
        return Absorbed(batch, work, added, len(reads) - added)

    def _load(
        self, paths: Sequence[str], gone: set[str], now: Moment
    ) -> tuple[list[ReadNote], list[Unparsed]]:
        """Read files; return the notes that are ready and the files that are to be parsed."""
        ready: list[ReadNote] = []
        unparsed: list[Unparsed] = []
        for path in paths:
            stamp = self._view.stamp(path)
            if stamp is not None:
                age_ns = self._view.age_ns(path, stamp, now)
                if self.settling.defer_if_being_written(path, age_ns, now.steady_ns):
                    self._view.recheck(path)
                    continue
            known = self.engine.indexes.entries.get(path)
            file = load_file(self._settings.root, path, self._settings.max_note_bytes, known)
            if file is None:
                gone.add(path)
            elif isinstance(file, ReadNote):
                ready.append(file)
            elif file.source.content_hash in self._quarantined:
                ready.append(_quarantined(file))
            else:
                unparsed.append(file)
        return ready, unparsed

    def _is_news(self, read: ReadNote, now: Moment) -> bool:
        """Tell whether a note that was read differs from the one in the index and counts now."""
        path = read.note.path
        known = self.engine.indexes.entries.get(path)
        problem = next((p for p in read.note.problems if p.code == _UNREADABLE), None)
        if problem is not None:
            self._unread.add(path)
            self._view.recheck(path)  # its stamp may be the same when it can be read again
            self.settling.clear_emptied(path)
        if known is not None and problem is not None:
            self._unreadable[path] = problem  # what was known of it is kept
            return False
        self._unreadable.pop(path, None)
        if problem is None:
            self._unread.discard(path)
        had_content = known is not None and known.note.content_hash != _EMPTY_HASH
        if not (had_content and read.note.content_hash == _EMPTY_HASH):
            self.settling.clear_emptied(path)
        elif self.settling.defer_if_emptied(path, read.stamp, now.steady_ns):
            self._view.recheck(path)
            return False
        age_ns = self._view.age_ns(path, read.stamp, now)
        if self.settling.recheck_if_young(path, age_ns, now.steady_ns):
            self._view.recheck(path)
        return known is None or (
            known.note != read.note or known.stamp.modified_at_ns != read.stamp.modified_at_ns
        )

    def _marked(self, read: ReadNote, now: Moment) -> ReadNote:
        is_racy = self._view.is_racy(read.note.path, read.stamp, now)
        return replace(read, is_racy=True) if is_racy else read

    def _owe(self, found: Difference) -> None:
        """Remember what the engine must still hear of files that are no notes."""
        self._others_owed |= set(found.others_added)
        self._others_gone_owed -= set(found.others_added)
        self._others_owed -= set(found.others_gone)
        self._others_gone_owed |= set(found.others_gone)

    def _check_root_after(self, found: Difference, gone: set[str], now_ns: int) -> None:
        try:
            self._check_root()
        except OSError:
            for path in found.changed:
                self._view.recheck(path)
            self.settling.hold_deletions(gone, now_ns)
            raise

    def _slices(self, paths: Sequence[str]) -> Iterator[Sequence[str]]:
        """Part ``paths`` into runs of at most ``SLICE_NOTES`` notes and ``SLICE_BYTES`` bytes."""
        run: list[str] = []
        size = 0
        for path in paths:
            is_full = len(run) == SLICE_NOTES or size > SLICE_BYTES
            if run and (is_full or path in self._suspects or run[-1] in self._suspects):
                yield run
                run, size = [], 0
            run.append(path)
            stamp = self._view.stamp(path)
            size += min(stamp.size_bytes if stamp else 0, self._settings.max_note_bytes)
        if run:
            yield run

    def _changed_rules(self) -> ConceptRules | None:
        """Return the vault's concept rules if their file changed since the last look."""
        data = _read_small(self._settings.root, CONCEPTS_TOML, RULES_BYTES_MAX)
        if rules_digest(data) == self.engine.indexes.names.rules.digest:
            return None
        return parse_rules(data)


def drained(absorbing: Absorbing) -> Absorbed:
    """Run an ``absorb`` to its end in one go; return what changed."""
    while True:
        try:
            next(absorbing)
        except StopIteration as done:
            absorbed: Absorbed = done.value
            return absorbed


def _announced(file: Unparsed) -> tuple[str, str]:
    return file.source.path, file.source.content_hash


def _quarantined(file: Unparsed) -> ReadNote:
    path, content_hash = _announced(file)
    message = "parsing it ended the indexer twice: indexed by name until it changes"
    problem = Problem(path, QUARANTINED, None, message)
    return ReadNote(name_only_note(path, content_hash, problem), file.stamp)


def _read_small(root: str, path: str, bytes_max: int) -> bytes | None:
    """Return the bytes of a settings file, ``None`` when there is none or it is no such file."""
    try:
        descriptor = open_beneath(root, path)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        try:
            return file.read(bytes_max)
        except OSError:
            return None
