"""From the folder to the next revision: look, read what changed, apply.

Holds what is known of the folder beside the engine that holds what is known of the notes. Reading
comes in slices, so that whoever drives it can do other things in between; what was read becomes
visible in one revision at the end.
"""

import gc
import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from clew.engine.engine import Engine
from clew.engine.settings import EngineSettings
from clew.engine.snapshot import Snapshot
from clew.values.note import Problem
from clew.values.vault import Batch, ConceptRules, Difference, ReadNote
from clew.vault.ignore import APP_JSON, APP_JSON_BYTES_MAX, ignore_rules
from clew.vault.read import MAX_NOTE_BYTES, open_beneath, read_notes
from clew.vault.rules import CONCEPTS_TOML, RULES_BYTES_MAX, parse_rules
from clew.vault.scan import VaultView, parent_of

SLICE_NOTES = 100  # read and parsed together
SLICE_BYTES = 4 * 1024 * 1024
_MANY_NOTES = 1_000


@dataclass(frozen=True, slots=True)
class IndexerSettings:
    """Where the vault is and how to read it."""

    root: str
    ignore: Sequence[str] = ()  # gitignore patterns
    max_note_bytes: int = MAX_NOTE_BYTES
    engine: EngineSettings = field(default_factory=EngineSettings)


@dataclass(frozen=True, slots=True)
class Applied:
    """How many notes a batch changed."""

    added: int
    modified: int
    removed: int


class Indexer:
    """Keeps one vault's engine in step with its folder."""

    def __init__(self, settings: IndexerSettings) -> None:
        self._settings = settings
        self._engine = Engine(settings.engine)
        self._view = VaultView(settings.root, ignore_rules(settings.ignore, None))
        self._app_json: bytes | None = None
        self._concepts_toml: bytes | None = None

    @property
    def snapshot(self) -> Snapshot:
        """Return the present revision."""
        return self._engine.snapshot

    def folders(self) -> dict[str, int]:
        """Return the folders of the vault as last seen, each with its inode."""
        return self._view.inodes()

    def ignore_rule(self, path: str) -> str | None:
        """Return the rule that leaves the note at ``path`` out, if one does."""
        return self._view.ignore_rule(path)

    def problems(self) -> list[Problem]:
        """Return everything that is wrong with files, notes and the vault's own settings."""
        found = [*self._view.problems(), *self.snapshot.problems()]
        return sorted(found, key=lambda p: (p.path, p.code, p.line or 0, p.message))

    def look(self, now_ns: int) -> Difference:
        """Walk the whole vault.

        Raises:
            OSError: the vault's root cannot be listed; nothing is changed then.
        """
        app_json = _read_small(self._settings.root, APP_JSON, APP_JSON_BYTES_MAX)
        if app_json != self._app_json:
            self._app_json = app_json
            self._view.rules = ignore_rules(self._settings.ignore, app_json)
        return self._view.look(now_ns)

    def look_at(self, paths: Iterable[str], now_ns: int) -> Difference:
        """Walk the folders that hold ``paths``, and those among them that are new folders.

        Raises:
            OSError: the vault's root cannot be listed; nothing is changed then.
        """
        return self._view.look_at({parent_of(path) for path in paths}, now_ns)

    def absorb(self, found: Difference) -> Generator[int, None, Applied]:
        """Read what a look found changed and apply it as one revision.

        Yields how many notes were read so far, slice by slice; returns what changed. When
        nothing turns out to have changed there is no new revision.
        """
        with _collector_paused(len(found.changed)):
            return (yield from self._absorb(found))

    def _absorb(self, found: Difference) -> Generator[int, None, Applied]:
        known = self._engine.snapshot.entries
        reads: list[ReadNote] = []
        vanished: list[str] = []
        done = 0
        for paths in self._slices(found.changed):
            notes = read_notes(self._settings.root, paths, self._settings.max_note_bytes, known)
            for path, read in zip(paths, notes, strict=True):
                if read is None:
                    vanished.append(path)
                elif not self._is_known(read):
                    reads.append(read)
            done += len(paths)
            yield done
        rules = self._changed_rules()
        batch = Batch(
            put=tuple(reads),
            dropped=tuple(path for path in (*found.gone, *vanished) if path in known),
            others_put=found.others_added,
            others_dropped=found.others_gone,
            rules=rules,
        )
        before_paths = known.keys() & {read.note.path for read in reads}
        if batch != Batch():
            self._engine.apply(batch)
        added = sum(read.note.path not in before_paths for read in reads)
        return Applied(added, len(reads) - added, len(batch.dropped))

    def mark_read(self, path: str, now_s: float) -> None:
        """Record that someone read the note at ``path``; shows in a new revision."""
        self._engine.apply(Batch(reads_s={path: now_s}))

    def restore_reads(self, reads_s: dict[str, float]) -> None:
        """Give back read dates that were kept from an earlier life."""
        if reads_s:
            self._engine.apply(Batch(reads_s=reads_s))

    def rebuilt(self, now_ns: int) -> "Indexer":
        """Return another indexer that read the vault anew, from nothing."""
        fresh = Indexer(self._settings)
        drained(fresh.absorb(fresh.look(now_ns)))
        return fresh

    def _slices(self, paths: Sequence[str]) -> Iterator[Sequence[str]]:
        """Part ``paths`` into runs of at most ``SLICE_NOTES`` notes and ``SLICE_BYTES`` bytes."""
        first = size = 0
        for place, path in enumerate(paths):
            if place - first == SLICE_NOTES or size > SLICE_BYTES:
                yield paths[first:place]
                first, size = place, 0
            size += min(self._view.size_bytes(path), self._settings.max_note_bytes)
        if first < len(paths):
            yield paths[first:]

    def _is_known(self, read: ReadNote) -> bool:
        """Tell whether a note is the same as the one in the index, file time included."""
        known = self._engine.snapshot.entries.get(read.note.path)
        return (
            known is not None
            and known.note == read.note
            and known.stamp.modified_at_ns == read.stamp.modified_at_ns
        )

    def _changed_rules(self) -> ConceptRules | None:
        """Return the vault's concept rules if their file changed since the last look."""
        data = _read_small(self._settings.root, CONCEPTS_TOML, RULES_BYTES_MAX)
        if data == self._concepts_toml:
            return None
        self._concepts_toml = data
        return parse_rules(data)


@contextmanager
def _collector_paused(note_count: int) -> Iterator[None]:
    """Keep the cycle collector from walking over notes while more of them are made.

    Notes hold no cycles, yet each hundred thousand new objects would have it look at all of them:
    a quarter of a second each time. What a large batch made stays, so it is never looked at again.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if note_count > _MANY_NOTES:
            gc.freeze()
        if was_enabled:
            gc.enable()


def drained(absorbing: Generator[int, None, Applied]) -> Applied:
    """Run an ``absorb`` to its end in one go; return what changed."""
    while True:
        try:
            next(absorbing)
        except StopIteration as done:
            applied: Applied = done.value
            return applied


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
