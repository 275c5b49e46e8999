"""Reading notes that are saved in the middle of a round of reading, before the rest of the round.

Only notes that need no second look are read: a note that is gone, was emptied, is being written or
may be a renamed one is left to a check after the round, which looks at all these paths again. So is
a note that the round keeps back because it may be a renamed one, whatever was saved at its path.
"""

from collections.abc import Generator, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec.structs import replace

from clew.engine.indexes import Indexes
from clew.engine.reading.edits import edited_paths
from clew.engine.reading.file_slices import (
    FileSlice,
    ReadingRules,
    SliceNotes,
    load_slice,
    parse_slice,
    words_of,
)
from clew.engine.reading.moved import MovedNotes, is_older_than_its_name
from clew.engine.reading.settling import QUIET_NS
from clew.engine.reading.steps import Step
from clew.index.notes.facts import NoteFacts
from clew.values.note_words import Words
from clew.values.vault import Moment, ReadNote, Stamp
from clew.vault.view import VaultView, parent_of

SAVED_BYTES_MAX = 1024 * 1024  # of all notes read at once; more are left to the round


class SavedNotes(NamedTuple):
    """Notes that were read before their turn."""

    reads: list[ReadNote]  # changed ones
    words: dict[str, Words]  # of these, by path
    unchanged: Mapping[str, Stamp]  # the stamps of those that are indexed as they are

    @property
    def confirmed(self) -> frozenset[str]:
        """The paths of all these notes, about which index and disk agree once they are applied."""
        return frozenset(self.unchanged).union(read.note.path for read in self.reads)


@dataclass(frozen=True, slots=True)
class Overtaking:
    """The notes that were read before their turn in one round of reading."""

    moved: MovedNotes
    # Paths that the round has not applied yet: it may have read an older content than the present.
    due: set[str] = field(default_factory=set)
    paths: set[str] = field(default_factory=set)
    # Notes that were applied slice by slice since the last portion, and are stored with the next.
    unstored: set[str] = field(default_factory=set)

    def of_next_round(self, moved: MovedNotes, changed: Iterable[str]) -> "Overtaking":
        """Return what is overtaken at the start of the next round, which reads ``changed``."""
        return Overtaking(moved, set(changed), unstored=self.unstored)

    def is_doubtful(self, path: str) -> bool:
        """Return whether the stored index may differ from what is indexed now, or after the round.

        So it does if the round may put an older content there, or has not stored what it applied.
        """
        return path in self.due or path in self.unstored

    def without(self, reads: Iterable[ReadNote]) -> list[ReadNote]:
        """Return the ``reads`` that were not overtaken by a later content of the same note."""
        return [read for read in reads if read.note.path not in self.paths]

    def rest_of(self, notes: SliceNotes) -> SliceNotes:
        """Return the notes of a slice that were not overtaken."""
        if not self.paths:
            return notes
        return replace(
            notes,
            missing=tuple(path for path in notes.missing if path not in self.paths),
            unchanged={p: stamp for p, stamp in notes.unchanged.items() if p not in self.paths},
            read=tuple(self.without(notes.read)),
        )

    def read(
        self,
        rules: ReadingRules,
        paths: AbstractSet[str],
        view: VaultView,
        indexes: Indexes,
        now: Moment,
    ) -> Generator[Step, None, SavedNotes]:
        """Read those of ``paths`` that are notes; those not yet stored count as changed."""
        kept = {read.note.path for read in self.moved.kept}
        stamps = self._stamps_of_saved(paths - kept, view, indexes, now)
        stored = (None if path in self.unstored else indexes.entries.get(path) for path in stamps)
        hashes = tuple(entry.note.content_hash if entry else "" for entry in stored)
        loaded = load_slice(rules, FileSlice(tuple(stamps), hashes, 0, 0))
        yield Step(0, len(stamps), parsing=loaded.to_parse)
        notes = parse_slice(rules, loaded, indexes.entries)
        reads = [
            replace(read, is_racy=view.is_racy(read.note.path, read.stamp, now))
            for read in notes.read
            if read.note.text and not self._may_be_renamed(read, indexes.facts)
        ]
        return SavedNotes(reads, words_of(reads, notes), notes.unchanged)

    def take(self, saved: SavedNotes, view: VaultView, facts: Mapping[str, NoteFacts]) -> list[str]:
        """Let the round leave these notes alone, and the next look at their paths report them.

        Return those that were edited; ``facts``: of the notes that are indexed now.
        """
        stamps = {**saved.unchanged, **{read.note.path: read.stamp for read in saved.reads}}
        self.paths.update(stamps)
        self.due.difference_update(stamps)
        self.unstored.difference_update(stamps)
        for path, stamp in stamps.items():
            listing = view.listings[parent_of(path)]
            if listing.notes.get(path) != stamp:
                listing.first_seen_ns.pop(path, None)
            listing.notes[path] = stamp
            view.recheck(path)
        return edited_paths(facts, saved.reads)

    def applied(self, reads: Iterable[ReadNote], *, is_portion: bool) -> None:
        """Record that notes of the round were applied, and are stored now if a portion is full."""
        paths = {read.note.path for read in reads}
        self.due.difference_update(paths)
        self.unstored.update(paths)
        if is_portion:
            self.unstored.clear()

    def _may_be_renamed(self, read: ReadNote, facts: Mapping[str, NoteFacts]) -> bool:
        """Return whether a note may be another one, also one that is not known to be gone yet."""
        is_new = read.note.path not in facts
        return self.moved.may_be_moved(read) or (is_new and is_older_than_its_name(read.stamp))

    def _stamps_of_saved(
        self, paths: AbstractSet[str], view: VaultView, indexes: Indexes, now: Moment
    ) -> dict[str, Stamp]:
        """Return the stamps of the notes among ``paths`` that are there and not being written."""
        stamps = {path: view.stamp_now(path) for path in sorted(paths) if _may_hold(view, path)}
        gone = [path for path, stamp in stamps.items() if stamp is None]
        self.moved.add(gone, indexes.facts)  # the others may be these under new names
        quiet = {
            path: stamp
            for path, stamp in stamps.items()
            if stamp is not None and view.age_ns(path, stamp, now) >= QUIET_NS
        }
        is_few = sum(stamp.size_bytes for stamp in quiet.values()) <= SAVED_BYTES_MAX
        return quiet if is_few else {}


def nothing_to_overtake() -> Overtaking:
    """Return what there is to overtake outside a round."""
    return Overtaking(MovedNotes({}, set(), ()))


def _may_hold(view: VaultView, path: str) -> bool:
    """Return whether the view knows the folder of ``path``, and no other spelling of its name."""
    listing = view.listings.get(parent_of(path))
    if listing is None:
        return False
    return path in listing.notes or not listing.has_in_other_spelling((path,))
