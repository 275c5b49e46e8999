"""Join the batches of a log, so that a restart applies fewer and smaller ones.

Since the index depends on the last state of each note only, a note that was saved ten times is
applied once. Joined batches leave the same index, dates and renames as the single ones. So only
those are joined that put notes or give vectors: one that drops notes may rename some, and the dates
and the history of a renamed note depend on the order. It stays as it is, like one with settings.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from clew.values.note import Note
from clew.values.note_words import Vectors, Words
from clew.values.vault import Batch, FoundNames, ReadNote

# Of a joined batch, whose application a query of the server may have to wait for.
NOTES_MAX = 50
BYTES_MAX = 1024 * 1024


def joined(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Yield fewer batches that leave the same state, in order."""
    group = _Group()
    for batch in batches:
        if not group.has_room_for(batch):
            yield from group.batches()
            group = _Group()
        group.add(batch)
    yield from group.batches()


def _only_puts(batch: Batch) -> bool:
    """Return whether ``batch`` does nothing but put notes and give vectors."""
    others = replace(
        batch, put=(), words={}, vectors=None, found_names=None, puts_mentions_off=False
    )
    return others == Batch()


class _Group:
    """Consecutive batches that can be applied as one."""

    def __init__(self) -> None:
        self._single: Batch | None = None  # the first one, as it is
        self._count = 0
        self._put: dict[str, ReadNote] = {}
        self._words: dict[str, Words] = {}
        self._vectors: Vectors | None = None
        self._names = _Names()
        self._puts_mentions_off = False

    def has_room_for(self, batch: Batch) -> bool:
        """Return whether ``batch`` can be added."""
        if self._single is None:
            return True
        if not (_only_puts(self._single) and _only_puts(batch)):
            return False
        mine, other = self._vectors, batch.vectors
        if mine and other and (mine.model, mine.dimensions) != (other.model, other.dimensions):
            return False  # another model drops all vectors
        known = mine.codes.keys() - self._put.keys() if mine else frozenset()
        if any(read.note.path in known for read in batch.put):
            return False  # the note may be the same with another stamp, and keep these vectors
        put = self._put | {read.note.path: read for read in batch.put}
        size_bytes = sum(len(read.note.text) for read in put.values())
        return len(put) <= NOTES_MAX and size_bytes <= BYTES_MAX

    def add(self, batch: Batch) -> None:
        """Add the next batch."""
        self._single, self._count = self._single or batch, self._count + 1
        paths = [read.note.path for read in batch.put if not self._has_put(read.note)]
        self._put |= {read.note.path: read for read in batch.put}
        for path in paths:
            self._words.pop(path, None)
        self._words |= batch.words
        self._add_vectors(batch.vectors, paths)
        if batch.put:
            self._names.add(batch.found_names)
        self._puts_mentions_off |= batch.puts_mentions_off

    def _has_put(self, note: Note) -> bool:
        """Return whether an earlier batch puts the same note, which has another stamp now."""
        before = self._put.get(note.path)
        return before is not None and before.note == note

    def _add_vectors(self, vectors: Vectors | None, paths: list[str]) -> None:
        """Add vectors, and drop those of earlier versions of the notes at ``paths``."""
        mine = self._vectors or vectors
        if mine is not None:
            codes = {path: rows for path, rows in mine.codes.items() if path not in paths}
            names = mine.names
            if vectors is not None:
                codes, names = {**codes, **vectors.codes}, {**names, **vectors.names}
            self._vectors = replace(mine, codes=codes, names=names)

    def batches(self) -> Iterator[Batch]:
        """Yield the batch that has all changes, if there are any."""
        if self._count > 1:
            yield Batch(
                put=tuple(self._put.values()),
                words=self._words,
                vectors=self._vectors,
                puts_mentions_off=self._puts_mentions_off,
                found_names=self._names.found(),
            )
        elif self._single is not None:
            yield self._single


class _Names:
    """The names that were found for several batches; an engine drops those that became common."""

    def __init__(self) -> None:
        self._are_known = False  # whether they are known of each batch
        self._are_unknown = False
        self._held: dict[str, tuple[str, ...]] = {}
        self._gained: dict[str, tuple[str, ...]] = {}
        self._crossing: defaultdict[int, set[str]] = defaultdict(set)

    def add(self, found: FoundNames | None) -> None:
        """Add the names that were found for the next batch with notes."""
        if found is None:
            self._are_unknown = True
            return
        self._are_known = True
        self._held.update(found.held)
        for path, names in found.gained.items():
            of_note = self._held if path in self._held else self._gained
            of_note[path] = tuple(sorted({*names, *of_note.get(path, ())}))
        for path in found.held:
            self._gained.pop(path, None)
        for limit, words in found.crossing.items():
            self._crossing[limit].update(words)

    def found(self) -> FoundNames | None:
        """Return the names of all batches; ``None`` if those of some are unknown."""
        if self._are_unknown or not self._are_known:
            return None
        crossing = {limit: tuple(sorted(words)) for limit, words in self._crossing.items()}
        return FoundNames(self._held, self._gained, crossing)
