"""The index on disk: whole generations, and a log of what came after the newest of them.

::

    <folder>/v1/                     the folder of this format; those of others are left alone
        gen-00000012/                one generation, published by one rename, never changed again
            manifest.json            its number, the fingerprint, size and sha256 of each file
            ...                      its files, each a row of chunks
        log-00000012                 a journal that belongs to that manifest and to no other

Invariant: what ``load`` returns was published, or logged, just so: every byte is read once and
checked before any is handed out, and nothing mixes two generations. Anything else - damage,
another fingerprint, a link, someone else's file - counts as not there: the index is derived, so
it gets built anew. A generation is durable before anything older is removed.

Knows nothing of what the chunks mean. Someone else sees to it that there is one writer.
"""

import errno
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from hashlib import sha256
from struct import Struct
from typing import Annotated, BinaryIO

import msgspec

from clew.disk.durable import (
    DISK,
    Disk,
    OutcomeUnknown,
    ensure_folder,
    open_state_file,
    publish_folder,
    remove_tree,
    size_of,
    write_file,
)
from clew.disk.journal import Journal, empty_journal_end, read_journal

FORMAT = 1
GENERATION_BYTES_MAX = 4 * 1024 * 1024 * 1024 - 1  # so that every length fits a chunk's header

_MANIFEST = "manifest.json"
_MANIFEST_BYTES_MAX = 1024 * 1024
_CHUNK_HEADER = Struct("<I")  # a chunk's length
_FILE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_OWN_NAME = re.compile(r"(?:gen|log)-([0-9]{8,})(?:\.new)?")
_NEW = ".new"
_NONE_YET = 0  # stands for the generation before the first, which has no files
_NAMES_MAX = 8  # in our folder before a publish: what can never be removed must not pile up


@dataclass(frozen=True, slots=True)
class Stored:
    """A generation as it was published, and what was logged after it."""

    files: Mapping[str, Sequence[memoryview]]  # the chunks of each file
    records: Sequence[bytes]


class Store:
    """The generations and the log of one index folder."""

    def __init__(self, folder: str, fingerprint: str, disk: Disk = DISK) -> None:
        self._folder = os.path.abspath(folder)
        self._home = os.path.join(self._folder, f"v{FORMAT}")
        self._fingerprint = fingerprint
        self._disk = disk
        # None until something is loaded or published, and while it is unclear which generation a
        # restart would find: a record must not be logged after another than that.
        self._current: _Current | None = None

    @property
    def generation_bytes(self) -> int:
        """Return the size of the current generation's files."""
        return self._current.size_bytes if self._current else 0

    @property
    def log_bytes(self) -> int:
        """Return the size of what was logged after the current generation."""
        return self._current.log.end.size_bytes if self._current else 0

    @property
    def log_records(self) -> int:
        """Return how many records were logged after the current generation."""
        return self._current.log.end.record_count if self._current else 0

    def load(self) -> Stored | None:
        """Return the newest state that is whole and of this fingerprint, if there is one.

        What comes next is logged after it; when there is none, after the empty generation.
        """
        self._leave_current()
        for number in self._generations():
            try:
                manifest, seed = self._read_manifest(number)
                files = {
                    name: self._read_file(number, name, entry)
                    for name, entry in manifest.files.items()
                }
            except (OSError, ValueError, RecursionError):
                continue
            return Stored(files, self._settle_on(number, manifest.size_bytes(), seed))
        seed = self._fingerprint.encode("utf-8", "surrogatepass")
        records = self._settle_on(_NONE_YET, 0, seed)
        return Stored({}, records) if records else None

    def publish(self, files: Mapping[str, Iterable[bytes]]) -> None:
        """Write the next generation, begin its log, and remove what is older.

        ``files`` gives the chunks of each file, asked for once and one after the other.

        Raises:
            OSError: it is not published; what there was before can still be loaded, and publishing
                can be tried again.
        """
        self._make_home()
        self._sync_home()
        number = 1 + max(self._own_names().values(), default=_NONE_YET)
        self._remove_all_but(self._current.number if self._current else None)
        if len(self._own_names()) > _NAMES_MAX:
            raise OSError(errno.ENOTEMPTY, "older generations cannot be removed", self._home)
        path = os.path.join(self._home, _generation(number))
        with ExitStack() as undo:
            self._disk.make_folder(path + _NEW)
            undo.callback(self._remove_if_possible, _generation(number) + _NEW)
            manifest, seed = self._write_generation(path + _NEW, number, files)
            self._publish_folder(path)
            undo.pop_all()
        self._leave_current()
        log = Journal(self._log_path(number), empty_journal_end(seed), self._disk)
        self._current = _Current(number, manifest.size_bytes(), log)
        self._remove_all_but(number)

    def append(self, record: bytes) -> None:
        """Log a change of the current generation; a crash of this process cannot lose it.

        Raises:
            OSError: it is not logged; the records before it are as they were.
        """
        if self._current is None:
            raise OSError(errno.EIO, "load or publish first", self._home)
        if self.log_records == 0:
            self._make_home()
        self._current.log.append(record)

    def sync(self) -> None:
        """Return when a power cut can no longer lose what was logged.

        Raises:
            OSError: it still can; it may be that nothing more is logged before the next generation.
        """
        if self.log_records > 0 and self._current is not None:
            self._sync_home()
            self._current.log.sync()

    def close(self) -> None:
        """Let go of the log's file."""
        if self._current is not None:
            self._current.log.close()

    def _leave_current(self) -> None:
        self.close()
        self._current = None

    def _log_path(self, number: int) -> str:
        return os.path.join(self._home, _log(number))

    def _generations(self) -> list[int]:
        """Return the numbers of the generations that seem to be there, the newest first."""
        try:
            names = self._own_names() if self._has_home() else {}
        except OSError:
            return []
        return sorted((n for name, n in names.items() if name == _generation(n)), reverse=True)

    def _own_names(self) -> dict[str, int]:
        """Return what is ours in the folder of this format, with its number; the rest is foreign.

        Raises:
            OSError: the folder cannot be listed.
        """
        matches = map(_OWN_NAME.fullmatch, os.listdir(self._home))
        return {match[0]: int(match[1]) for match in matches if match}

    def _has_home(self) -> bool:
        """Tell whether the folder of this format is one, and not behind a link."""
        return all(stat.S_ISDIR(os.lstat(path).st_mode) for path in (self._folder, self._home))

    def _make_home(self) -> None:
        """Make the folders that generations and logs are in, unless they are there."""
        ensure_folder(self._disk, self._folder)
        try:
            ensure_folder(self._disk, self._home)
        except NotADirectoryError:
            self._disk.unlink(self._home)
            self._disk.make_folder(self._home)

    def _sync_home(self) -> None:
        """Return when the names of the folders are on the medium."""
        self._disk.sync_folder(os.path.dirname(self._folder))
        self._disk.sync_folder(self._folder)

    def _remove_all_but(self, number: int | None) -> None:
        """Remove leftovers, and all generations and logs but one's if one is named.

        What cannot go now is tried again by the next publish.
        """
        with suppress(OSError):
            for name, other in self._own_names().items():
                if name.endswith(_NEW) or number not in (None, other):
                    self._remove_if_possible(name)

    def _remove_if_possible(self, name: str) -> None:
        with suppress(OSError):
            remove_tree(self._disk, os.path.join(self._home, name))

    def _publish_folder(self, path: str) -> None:
        try:
            publish_folder(self._disk, path + _NEW, path)
        except OutcomeUnknown:
            self._leave_current()
            raise

    def _write_generation(
        self, folder: str, number: int, files: Mapping[str, Iterable[bytes]]
    ) -> tuple["_Manifest", bytes]:
        """Write the files of a generation and its manifest; return it and the seed of its log."""
        room_bytes = GENERATION_BYTES_MAX
        entries: dict[str, _Entry] = {}
        for name, chunks in files.items():
            if not _FILE_NAME.fullmatch(name):
                raise ValueError(f"no name for a file of a generation: {name!r}")
            path = os.path.join(folder, name)
            entries[name] = _write_chunks(self._disk, path, chunks, room_bytes)
            room_bytes -= entries[name].size_bytes
        manifest = _Manifest(number, self._fingerprint, entries)
        text = json.dumps(msgspec.to_builtins(manifest))
        checksum = sha256(text.encode())
        sealed = json.dumps({"sha256": checksum.hexdigest(), "manifest": text}).encode()
        if len(sealed) > _MANIFEST_BYTES_MAX:
            raise ValueError("too many files, or too long a fingerprint, for a manifest")
        write_file(self._disk, os.path.join(folder, _MANIFEST), [sealed])
        return manifest, checksum.digest()

    def _read_manifest(self, number: int) -> tuple["_Manifest", bytes]:
        """Return a generation's manifest and the seed of its log; anything odd is an error."""
        with self._open(number, _MANIFEST) as file:
            data = file.read(_MANIFEST_BYTES_MAX)
        sealed = msgspec.convert(json.loads(data.decode()), _Sealed)
        checksum = sha256(sealed.manifest.encode())
        if checksum.hexdigest() != sealed.sha256:
            raise ValueError("not the manifest that was written")
        manifest = msgspec.convert(json.loads(sealed.manifest), _Manifest)
        if (manifest.generation, manifest.fingerprint) != (number, self._fingerprint):
            raise ValueError("the manifest of another generation, or of another index")
        if manifest.size_bytes() > GENERATION_BYTES_MAX:
            raise ValueError("larger than any generation")
        return manifest, checksum.digest()

    def _read_file(self, number: int, name: str, entry: "_Entry") -> list[memoryview]:
        """Return the chunks of a file that is just as the manifest says; else it is an error."""
        with self._open(number, name) as file:
            if size_of(file.fileno()) != entry.size_bytes:
                raise ValueError("not the size that was written")
            data = file.read(entry.size_bytes)
        if sha256(data).hexdigest() != entry.sha256:
            raise ValueError("not the bytes that were written")
        return list(_chunks(memoryview(data)))

    def _open(self, number: int, name: str) -> BinaryIO:
        return open_state_file(self._folder, f"v{FORMAT}/{_generation(number)}/{name}")

    def _settle_on(self, number: int, size: int, seed: bytes) -> list[bytes]:
        """Make a generation the current one; return what was logged after it."""
        path = self._log_path(number)
        records: list[bytes] = []
        end = empty_journal_end(seed)
        # Reading nothing of a log that cannot be read is as good as reading less of it.
        with suppress(OSError):
            if self._has_home():
                records, end = read_journal(path, seed)
        self._current = _Current(number, size, Journal(path, end, self._disk))
        return records


@dataclass(frozen=True, slots=True)
class _Current:
    """The generation that a restart would find, and its log."""

    number: int
    size_bytes: int
    log: Journal


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    size_bytes: Annotated[int, msgspec.Meta(ge=0)]
    sha256: str


class _Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    generation: int
    fingerprint: str
    files: dict[str, _Entry]

    def size_bytes(self) -> int:
        return sum(entry.size_bytes for entry in self.files.values())


class _Sealed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    sha256: str  # of the manifest's text
    manifest: str


def _generation(number: int) -> str:
    return f"gen-{number:08d}"


def _log(number: int) -> str:
    return f"log-{number:08d}"


def _write_chunks(disk: Disk, path: str, chunks: Iterable[bytes], room_bytes: int) -> _Entry:
    """Write a file of chunks; return what the manifest says of it."""
    size = 0
    checksum = sha256()

    def pieces() -> Iterator[bytes]:
        nonlocal size
        for chunk in chunks:
            size += _CHUNK_HEADER.size + len(chunk)
            if size > room_bytes:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
            for piece in (_CHUNK_HEADER.pack(len(chunk)), chunk):
                checksum.update(piece)
                yield piece

    write_file(disk, path, pieces())
    return _Entry(size, checksum.hexdigest())


def _chunks(data: memoryview) -> Iterator[memoryview]:
    """Yield the chunks of a file; bytes that end in the middle of one are an error."""
    start = 0
    while start < len(data):
        if len(data) - start < _CHUNK_HEADER.size:
            raise ValueError("ends within a chunk's length")
        (length,) = _CHUNK_HEADER.unpack_from(data, start)
        start += _CHUNK_HEADER.size
        if length > len(data) - start:
            raise ValueError("ends within a chunk")
        yield data[start : start + length]
        start += length
