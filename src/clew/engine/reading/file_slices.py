"""Reading slices of files into notes. Needs no index, so another process can do it."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from types import MappingProxyType

from msgspec import Struct, field

from clew.text.dates.date_keys import DateKeys
from clew.text.markdown.parse import name_only_note
from clew.text.passages import count_note_words
from clew.values.note import Problem
from clew.values.note_words import Words
from clew.values.replies import QUARANTINED
from clew.values.vault import ReadNote, Stamp
from clew.vault.read import Unparsed, load_file, parse_files

SLICE_NOTES = 100  # read and parsed together
SLICE_BYTES = 4 * 1024 * 1024

NOTHING_INDEXED: Mapping[str, ReadNote] = MappingProxyType({})


class ReadingRules(Struct, frozen=True, array_like=True, tag=True):
    """The rules by which all slices of one vault are read."""

    root: str
    max_note_bytes: int
    quarantined: frozenset[str] = frozenset()  # content hashes of notes that must not be parsed
    date_keys: DateKeys = field(default_factory=DateKeys)


class FileSlice(Struct, frozen=True, array_like=True, tag=True):
    """Files to read and parse together."""

    paths: tuple[str, ...]
    indexed_hashes: tuple[str, ...]  # by path: the content hash of the indexed note, "" for none
    done: int  # files of the round up to the end of this slice, deferred ones included
    size_bytes: int  # of all files, as last seen
    is_suspect: bool = False  # whether parsing it may crash this process


class SliceNotes(Struct, frozen=True, array_like=True):
    """The notes of one slice."""

    missing: tuple[str, ...] = ()  # paths without a regular file
    unchanged: dict[str, Stamp] = field(default_factory=dict)  # paths with the indexed content
    read: tuple[ReadNote, ...] = ()  # notes that needed no parsing come first
    words: dict[str, Words] = field(default_factory=dict)  # path of each parsed note -> its words


@dataclass(frozen=True, slots=True)
class LoadedSlice:
    """A slice after reading: the files that must still be parsed, and the other notes."""

    notes: SliceNotes
    unparsed: tuple[Unparsed, ...]

    @property
    def to_parse(self) -> tuple[tuple[str, str], ...]:
        """The path and content hash of each file to parse."""
        return tuple(map(_path_and_hash, self.unparsed))


def runs_of(
    sizes: Iterable[tuple[str, int]], suspects: AbstractSet[str]
) -> Iterator[tuple[list[str], int, int]]:
    """Split files into runs of at most ``SLICE_NOTES`` files and ``SLICE_BYTES`` bytes.

    ``sizes``: each path with its size. Files in ``suspects`` are alone. Yields each run with the
    number of files up to its end and with its size.
    """
    run: list[str] = []
    done = run_bytes = 0
    for path, size_bytes in sizes:
        is_full = len(run) == SLICE_NOTES or run_bytes > SLICE_BYTES
        if run and (is_full or path in suspects or run[-1] in suspects):
            done += len(run)
            yield run, done, run_bytes
            run, run_bytes = [], 0
        run.append(path)
        run_bytes += size_bytes
    if run:
        yield run, done + len(run), run_bytes


# Yields each slice of an iterator, in order, with its notes; with ``None`` if the caller must read
# the slice itself. May read slices ahead, in other processes. While none is ready it may yield
# empty slices, so that the caller can do other work.
ReadAhead = Callable[
    [ReadingRules, Iterator[FileSlice]],
    Generator[tuple[FileSlice, SliceNotes | None], None, None],
]


def read_nothing_ahead(
    _: ReadingRules, slices: Iterable[FileSlice]
) -> Generator[tuple[FileSlice, None], None, None]:
    """Yield every slice with ``None``: the caller reads it."""
    for files in slices:
        yield files, None


def load_slice(rules: ReadingRules, files: FileSlice) -> LoadedSlice:
    """Read the files of a slice, and parse none."""
    missing, unchanged, ready, unparsed = [], {}, [], []
    for path, indexed_hash in zip(files.paths, files.indexed_hashes, strict=True):
        file = load_file(rules.root, path, rules.max_note_bytes, indexed_hash)
        if file is None:
            missing.append(path)
        elif isinstance(file, Stamp):
            unchanged[path] = file
        elif isinstance(file, ReadNote):
            ready.append(file)
        elif file.source.content_hash in rules.quarantined:
            ready.append(_quarantined(file))
        else:
            unparsed.append(file)
    return LoadedSlice(SliceNotes(tuple(missing), unchanged, tuple(ready)), tuple(unparsed))


def parse_slice(
    rules: ReadingRules, loaded: LoadedSlice, indexed: Mapping[str, ReadNote] = NOTHING_INDEXED
) -> SliceNotes:
    """Parse the files of a slice, and count their words; ``indexed``: the notes indexed so far."""
    earlier = {path: indexed[path].note for path, _ in loaded.to_parse if path in indexed}
    parsed = parse_files(loaded.unparsed, rules.date_keys, earlier)
    words = {read.note.path: count_note_words(read.note) for read in parsed}
    notes = loaded.notes
    return SliceNotes(notes.missing, notes.unchanged, (*notes.read, *parsed), words)


def words_of(reads: Sequence[ReadNote], notes: SliceNotes) -> dict[str, Words]:
    """Return the words of ``reads``; count the words of notes that were not parsed.

    Notes that are indexed as they are need none.
    """
    return {
        read.note.path: notes.words.get(read.note.path) or count_note_words(read.note)
        for read in reads
        if read.note.path not in notes.unchanged
    }


def taken_out(words: dict[str, Words], reads: Iterable[ReadNote]) -> dict[str, Words]:
    """Remove and return the words of these notes, by path."""
    paths = [read.note.path for read in reads if read.note.path in words]
    return {path: words.pop(path) for path in paths}


def _path_and_hash(file: Unparsed) -> tuple[str, str]:
    return file.source.path, file.source.content_hash


def _quarantined(file: Unparsed) -> ReadNote:
    path, content_hash = _path_and_hash(file)
    message = "parsing it ended the indexer twice: indexed by name until it changes"
    problem = Problem(path, QUARANTINED, None, message)
    return ReadNote(name_only_note(path, content_hash, problem, file.source.text), file.stamp)
