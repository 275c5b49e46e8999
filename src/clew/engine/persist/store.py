"""The index on disk: complete generations, and a log of the changes since the newest of them.

::

    <folder>/v2/                     the folder of this format; other formats are left alone
        gen-00000012/                one generation, published by one rename, never changed again
            manifest.json            its number, the fingerprint, size and checksum of each file
            ...                      its files
        log-00000012                 a journal that belongs to that manifest and to no other

Invariant: ``load`` returns exactly what was published or logged. Every byte is verified before any
is returned, and generations are never mixed. Files are verified with reads and then mapped, since
mapped pages that were read count as memory of the process. Damage, another fingerprint, a
symbolic link or another user's file are treated as missing: the index is derived from the notes, so
it is rebuilt. A generation is durable before any older one is removed.

Does not interpret the files. The caller's lock ensures that there is one writer.
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
from io import BufferedReader
from typing import Annotated

import msgspec

from clew.disk.checked import checked_text, text_with_checksum
from clew.disk.durable import (
    DISK,
    Disk,
    OutcomeUnknown,
    ensure_folder,
    publish_folder,
    remove_tree,
    size_of,
    write_file,
)
from clew.disk.journal import Journal, empty_journal_end, read_journal
from clew.disk.mapped_pages import mapped
from clew.disk.part_checksums import PartChecksums, checksum_of_file
from clew.engine.persist.generation_files import (
    FORMAT,
    generation_name,
    open_generation_file,
)

GENERATION_BYTES_MAX = 64 * 1024 * 1024 * 1024

_MANIFEST = "manifest.json"
_MANIFEST_BYTES_MAX = 1024 * 1024
_FILE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_OWN_NAME = re.compile(r"(?:gen|log)-([0-9]{8,})(?:\.new)?")
_NEW = ".new"
_NONE_YET = 0  # the number of the empty generation before the first
_NAMES_MAX = 8  # refuse to publish beyond this: files that cannot be removed must not pile up


@dataclass(frozen=True, slots=True)
class Stored:
    """A published generation and the records logged after it."""

    files: Mapping[str, memoryview]  # by name, mapped
    records: Sequence[bytes]


class Store:
    """The generations and the log of one index folder."""

    def __init__(self, folder: str, fingerprint: str, disk: Disk = DISK) -> None:
        self.folder = os.path.abspath(folder)
        self._home = os.path.join(self.folder, f"v{FORMAT}")
        self._fingerprint = fingerprint
        self._disk = disk
        # The generation that a restart would load. None before the first load or publish, and while
        # it is uncertain: a record must never be logged after a generation that is not loaded.
        self._current: _Current | None = None

    @property
    def generation_bytes(self) -> int:
        """Return the size of the current generation's files."""
        return self._current.size_bytes if self._current else 0

    @property
    def log_bytes(self) -> int:
        """Return the size of the log that follows the current generation."""
        return self._current.log.end.size_bytes if self._current else 0

    @property
    def log_records(self) -> int:
        """Return the number of records logged since the current generation."""
        return self._current.log.end.record_count if self._current else 0

    def load(self, followed_generation: int | None = None) -> Stored | None:
        """Return the newest intact state with this fingerprint, if there is one.

        Its generation becomes the current one; without an intact state, the empty generation does.
        ``followed_generation``: prefer the generation before the newest, if it was not removed yet,
        since dates have not followed the notes renamed between the two; unless they have followed
        renames in the log of the newest, which has this number. ``None``: prefer the newest.
        """
        self._leave_current()
        numbers = self._generations()
        if followed_generation is not None and followed_generation not in numbers[:1]:
            numbers[:2] = reversed(numbers[:2])
        for number in numbers:
            try:
                manifest, seed = self._read_manifest(number)
                files = {
                    name: self._read_file(number, name, entry)
                    for name, entry in manifest.files.items()
                }
            except (OSError, ValueError, RecursionError):
                continue
            return Stored(files, self._make_current(number, manifest.size_bytes(), seed))
        seed = self._fingerprint.encode("utf-8", "surrogatepass")
        records = self._make_current(_NONE_YET, 0, seed)
        return Stored({}, records) if records else None

    def publish(self, files: Mapping[str, Iterable[bytes]]) -> None:
        """Write the next generation and start its log; ``remove_older`` removes the one before.

        ``files`` has the bytes of each file in pieces; each iterable is consumed once, in order.

        Raises:
            OSError: nothing was published; the earlier state can still be loaded, and the caller
                may try again.
        """
        self._make_home()
        self._sync_home()
        number = 1 + max(self._own_names().values(), default=_NONE_YET)
        self._remove_all_but(self._current.number if self._current else None)
        if len(self._own_names()) > _NAMES_MAX:
            raise OSError(errno.ENOTEMPTY, "older generations cannot be removed", self._home)
        path = os.path.join(self._home, generation_name(number))
        with ExitStack() as undo:
            self._disk.make_folder(path + _NEW)
            undo.callback(self._remove_if_possible, generation_name(number) + _NEW)
            manifest, seed = self._write_generation(path + _NEW, number, files)
            self._publish_folder(path)
            undo.pop_all()
        self._leave_current()
        log = Journal(self._log_path(number), empty_journal_end(seed), self._disk)
        self._current = _Current(number, manifest.size_bytes(), log)

    def remove_older(self) -> None:
        """Remove all generations but the current one; whoever has mapped one may still read it."""
        if self._current is not None:
            self._remove_all_but(self._current.number)

    @property
    def generation(self) -> int:
        """The number of the current generation, 0 if none was published."""
        return self._current.number if self._current else _NONE_YET

    def append(self, record: bytes) -> None:
        """Log a change of the current generation; it survives a crash of this process.

        Raises:
            OSError: the record was not logged; earlier records are intact.
        """
        if self._current is None:
            raise OSError(errno.EIO, "load or publish first", self._home)
        if self.log_records == 0:
            self._make_home()
        self._current.log.append(record)

    def sync(self) -> None:
        """Fsync the log, so that a power cut cannot lose its records.

        Raises:
            OSError: it failed; nothing more may be logged until the next generation.
        """
        if self.log_records > 0 and self._current is not None:
            self._sync_home()
            self._current.log.sync()

    def close(self) -> None:
        """Close the log's file."""
        if self._current is not None:
            self._current.log.close()

    def _leave_current(self) -> None:
        self.close()
        self._current = None

    def _log_path(self, number: int) -> str:
        return os.path.join(self._home, _log(number))

    def _generations(self) -> list[int]:
        """Return the numbers of the generation folders, newest first, without checking them."""
        try:
            names = self._own_names() if self._has_home() else {}
        except OSError:
            return []
        return sorted((n for name, n in names.items() if name == generation_name(n)), reverse=True)

    def _own_names(self) -> dict[str, int]:
        """Return the generations and logs in the folder of this format, name to number.

        Raises:
            OSError: the folder cannot be listed.
        """
        matches = map(_OWN_NAME.fullmatch, os.listdir(self._home))
        return {match[0]: int(match[1]) for match in matches if match}

    def _has_home(self) -> bool:
        """Return whether the folder of this format exists and is not a symbolic link."""
        return all(stat.S_ISDIR(os.lstat(path).st_mode) for path in (self.folder, self._home))

    def _make_home(self) -> None:
        """Create the folders for generations and logs if they are missing."""
        ensure_folder(self._disk, self.folder)
        try:
            ensure_folder(self._disk, self._home)
        except NotADirectoryError:
            self._disk.unlink(self._home)
            self._disk.make_folder(self._home)

    def _sync_home(self) -> None:
        """Fsync the parent directories."""
        self._disk.sync_folder(os.path.dirname(self.folder))
        self._disk.sync_folder(self.folder)

    def _remove_all_but(self, number: int | None) -> None:
        """Remove unfinished generations; unless ``number`` is ``None``, also all but that one.

        If one cannot be removed, the next publish tries again. Generations go before their logs,
        since a kill may come between: without its log, one would be loaded as it once was.
        """
        with suppress(OSError):
            for name, other in sorted(self._own_names().items()):
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
                raise ValueError(f"invalid file name in a generation: {name!r}")
            path = os.path.join(folder, name)
            entries[name] = _write_pieces(self._disk, path, chunks, room_bytes)
            room_bytes -= entries[name].size_bytes
        manifest = _Manifest(number, self._fingerprint, entries)
        text = json.dumps(msgspec.to_builtins(manifest))
        wrapped = text_with_checksum("manifest", text)
        if len(wrapped) > _MANIFEST_BYTES_MAX:
            raise ValueError("too many files, or too long a fingerprint, for a manifest")
        write_file(self._disk, os.path.join(folder, _MANIFEST), [wrapped])
        return manifest, sha256(text.encode()).digest()

    def _read_manifest(self, number: int) -> tuple["_Manifest", bytes]:
        """Return a generation's verified manifest and the seed of its log."""
        with self._open(number, _MANIFEST) as file:
            data = file.read(_MANIFEST_BYTES_MAX)
        text = checked_text("manifest", data)
        manifest = msgspec.convert(json.loads(text), _Manifest)
        if (manifest.generation, manifest.fingerprint) != (number, self._fingerprint):
            raise ValueError("the manifest of another generation, or of another index")
        if manifest.size_bytes() > GENERATION_BYTES_MAX:
            raise ValueError("the manifest exceeds the size limit of a generation")
        return manifest, sha256(text.encode()).digest()

    def _read_file(self, number: int, name: str, entry: "_Entry") -> memoryview:
        """Map a file after checking its size and checksum against the manifest."""
        with self._open(number, name) as file:
            if size_of(file.fileno()) != entry.size_bytes:
                raise ValueError("the size differs from the manifest")
            if checksum_of_file(file.fileno(), entry.size_bytes) != entry.checksum:
                raise ValueError("the checksum differs from the manifest")
            return mapped(file)

    def _open(self, number: int, name: str) -> BufferedReader:
        return open_generation_file(self.folder, number, name)

    def _make_current(self, number: int, size: int, seed: bytes) -> list[bytes]:
        """Make a generation the current one; return the records of its log."""
        path = self._log_path(number)
        records: list[bytes] = []
        end = empty_journal_end(seed)
        # A log that cannot be read is treated as empty: any prefix of a log is a valid state.
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
    checksum: str  # by ``PartChecksums``


class _Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    generation: int
    fingerprint: str
    files: dict[str, _Entry]

    def size_bytes(self) -> int:
        return sum(entry.size_bytes for entry in self.files.values())


def _log(number: int) -> str:
    return f"log-{number:08d}"


def _write_pieces(disk: Disk, path: str, pieces: Iterable[bytes], room_bytes: int) -> _Entry:
    """Write a file; return its entry for the manifest."""
    size = 0
    checksum = PartChecksums()

    def checked() -> Iterator[bytes]:
        nonlocal size
        for piece in pieces:
            size += len(piece)
            if size > room_bytes:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
            checksum.update(piece)
            yield piece

    write_file(disk, path, checked())
    return _Entry(size, checksum.hexdigest())
