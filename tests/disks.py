"""Fake disks: they let a call fail, kill the process at a call, or compute what a power cut leaves.

All of them work on real folders. A long write is split into several calls, so failing each call in
turn also fails half-way through a write.
"""

import errno
import os
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clew.disk.durable import DISK

KILLED = 9
PIECE_BYTES = 128

Image = Mapping[str, bytes | None]  # by path: the bytes of a file, None for a folder


class WatchedDisk:
    """The file system, with hooks before and after each call; fsync does nothing."""

    def before(self, step: str, *facts: Any) -> None:
        """Runs before a call; may raise an error or kill the process instead."""

    def after(self, step: str, *facts: Any) -> None:
        """Runs after a call that succeeded."""

    def make_folder(self, path: str) -> None:
        self.before("make_folder", path)
        DISK.make_folder(path)
        self.after("make_folder", path)

    def create(self, path: str) -> int:
        self.before("create", path)
        descriptor = DISK.create(path)
        self.after("open", path, descriptor)
        return descriptor

    def open_append(self, path: str) -> int:
        self.before("open_append", path)
        descriptor = DISK.open_append(path)
        self.after("open", path, descriptor)
        return descriptor

    def write(self, descriptor: int, data: memoryview) -> int:
        piece = data[:PIECE_BYTES]
        self.before("write", descriptor)
        done = DISK.write(descriptor, piece)
        self.after("write", descriptor, bytes(piece[:done]))
        return done

    def truncate(self, descriptor: int, size_bytes: int) -> None:
        self.before("truncate", descriptor)
        DISK.truncate(descriptor, size_bytes)
        self.after("truncate", descriptor, size_bytes)

    def sync(self, descriptor: int) -> None:
        self.before("sync", descriptor)
        self.after("sync", descriptor)

    def close(self, descriptor: int) -> None:
        DISK.close(descriptor)
        self.before("close", descriptor)

    def sync_folder(self, path: str) -> None:
        self.before("sync_folder", path)
        self.after("sync_folder", path)

    def rename(self, source: str, target: str) -> None:
        self.before("rename", source)
        DISK.rename(source, target)
        self.after("rename", source, target)

    def unlink(self, path: str) -> None:
        self.before("unlink", path)
        DISK.unlink(path)
        self.after("unlink", path)

    def remove_folder(self, path: str) -> None:
        self.before("remove_folder", path)
        DISK.remove_folder(path)
        self.after("remove_folder", path)


UNSYNCED = WatchedDisk()  # the file system, faster since it never fsyncs


class FailingDisk(WatchedDisk):
    """Fails at call number ``at``, counted from 1, and at all later calls if ``lasting``."""

    def __init__(
        self, at: int, code: int, *, lasting: bool, steps: frozenset[str] | None = None
    ) -> None:
        self.at, self.code, self.lasting = at, code, lasting
        self.steps = steps  # the kinds of calls that are counted; None for all
        self.count = 0

    @property
    def has_failed(self) -> bool:
        return self.count >= self.at

    def before(self, step: str, *facts: Any) -> None:
        if self.steps is not None and step not in self.steps:
            return
        self.count += 1
        if self.count == self.at or (self.lasting and self.has_failed):
            raise OSError(self.code, os.strerror(self.code), str(facts[0]))

    def fail_from_now(self) -> None:
        self.at = self.count + 1

    def mend(self) -> None:
        self.at = sys.maxsize


class KillingDisk(WatchedDisk):
    """Kills the process at call number ``at``, counted from 1."""

    def __init__(self, at: int) -> None:
        self.left = at

    def before(self, step: str, *facts: Any) -> None:  # noqa: ARG002
        self.left -= 1
        if self.left == 0:
            os._exit(KILLED)


def killed_at(at: int, live: Callable[[KillingDisk, Callable[[], None]], None]) -> tuple[bool, int]:
    """Run ``live`` in a child that is killed at a call; return whether it died, and the promises.

    ``live`` calls its second argument each time that something is promised to be durable.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        with suppress(BaseException):
            live(KillingDisk(at), lambda: _tell(writer))
            status = 0
        os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        promised = len(pipe.read())
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, KILLED)
    return status == KILLED, promised


def _tell(writer: int) -> None:
    os.write(writer, b".")


class RecordingDisk(FailingDisk):
    """Records all calls, so that ``power_cuts`` can compute the outcomes of a power cut.

    A call that failed is not recorded.
    """

    def __init__(self, fail_at: int = sys.maxsize, steps: frozenset[str] | None = None) -> None:
        super().__init__(fail_at, errno.EIO, lasting=False, steps=steps)
        self.kept: list[tuple[str, Any, Any]] = []

    def mark(self) -> None:
        """Record that something was promised to be durable."""
        self.kept.append(("mark", None, None))

    def after(self, step: str, *facts: Any) -> None:
        what, more = (*facts, None)[:2]
        self.kept.append((step, what, more))


@dataclass(slots=True, eq=False)
class _File:
    now: bytes = b""
    durable: bytes = b""


@dataclass(slots=True, eq=False)
class _Folder:
    now: "dict[str, _File | _Folder]" = field(default_factory=dict)
    durable: "dict[str, _File | _Folder]" = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class _Naming:
    """A change of a folder's entries that is not durable yet."""

    folder: _Folder
    gone: str | None
    name: str | None
    node: _File | _Folder | None

    def apply(self, names: "dict[str, _File | _Folder]") -> None:
        if self.node is None:
            names.pop(self.gone or "", None)
        elif self.gone is None or self.gone in names:
            names.pop(self.gone or "", None)
            names[self.name or ""] = self.node


class _Medium:
    """A folder's present content, and the part of it that is durable.

    Bytes are durable once their file was synced, names once their folder was.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self.top = _Folder()
        self.open: dict[int, _File] = {}
        self.pending: list[_Naming] = []

    def apply(self, step: str, what: Any, more: Any) -> None:
        match step:
            case "make_folder":
                self._name(what, _Folder())
            case "open":
                folder, name = self._place(what)
                if name not in folder.now:
                    self._name(what, _File())
                node = folder.now[name]
                assert isinstance(node, _File)
                self.open[more] = node
            case "write":
                self.open[what].now += more
            case "truncate":
                self.open[what].now = self.open[what].now[:more]
            case "sync":
                self.open[what].durable = self.open[what].now
            case "sync_folder":
                self._sync_folder(what)
            case "rename":
                self._rename(what, more)
            case "unlink" | "remove_folder":
                folder, name = self._place(what)
                self._change(_Naming(folder, name, None, None))

    def _place(self, path: str) -> tuple[_Folder, str]:
        *folders, name = os.path.relpath(path, self.root).split("/")
        folder = self.top
        for part in folders:
            below = folder.now[part]
            assert isinstance(below, _Folder)
            folder = below
        return folder, name

    def _name(self, path: str, node: _File | _Folder) -> None:
        folder, name = self._place(path)
        self._change(_Naming(folder, None, name, node))

    def _rename(self, source: str, target: str) -> None:
        folder, name = self._place(source)
        assert os.path.dirname(source) == os.path.dirname(target)
        self._change(_Naming(folder, name, os.path.basename(target), folder.now[name]))

    def _change(self, naming: _Naming) -> None:
        naming.apply(naming.folder.now)
        self.pending.append(naming)

    def _sync_folder(self, path: str) -> None:
        folder: _File | _Folder = self.top
        if os.path.relpath(path, self.root) != ".":
            parent, name = self._place(path)
            folder = parent.now[name]
        assert isinstance(folder, _Folder)
        folder.durable = dict(folder.now)
        self.pending = [naming for naming in self.pending if naming.folder is not folder]

    def image(self, reached: list[_Naming], bytes_of: Callable[[_File], bytes]) -> Image:
        """Return the folder's content if only some of the pending names reached the disk."""
        found: dict[str, bytes | None] = {}
        todo = [("", self.top)]
        for prefix, folder in todo:  # grows on the way
            names = dict(folder.durable)
            for naming in reached:
                if naming.folder is folder:
                    naming.apply(names)
            for name, node in names.items():
                if isinstance(node, _Folder):
                    found[prefix + name] = None
                    todo.append((f"{prefix}{name}/", node))
                else:
                    found[prefix + name] = bytes_of(node)
        return found


def power_cuts(
    root: str, steps: list[tuple[str, Any, Any]], tries: int, chance: random.Random
) -> Iterator[tuple[int, Image]]:
    """Yield what power cuts may leave in ``root`` after each step, with the marks so far.

    Of the names that are not durable, those up to any one may have reached the disk, or, as on
    file systems without a journal, any ``tries`` sets of them. Of bytes that are not durable none,
    all, zeros, a part, or all but a hole.
    """
    medium = _Medium(root)
    marks = 0
    seen: set[object] = set()
    for step, what, more in steps:
        if step == "mark":
            marks += 1
            seen = set()
        medium.apply(step, what, more)
        for reached in _reached(medium.pending, tries, chance):
            for bytes_of in (_all_bytes, _durable_bytes, *[_torn_bytes(chance)] * tries):
                image = medium.image(reached, bytes_of)
                if (key := frozenset(image.items())) not in seen:
                    seen.add(key)
                    yield marks, image


def _reached(pending: list[_Naming], tries: int, chance: random.Random) -> Iterator[list[_Naming]]:
    for count in range(len(pending) + 1):
        yield pending[:count]
    for _ in range(tries):
        yield [naming for naming in pending if chance.random() < 0.5]


def _all_bytes(file: _File) -> bytes:
    return file.now


def _durable_bytes(file: _File) -> bytes:
    return file.durable


def _torn_bytes(chance: random.Random) -> Callable[[_File], bytes]:
    def torn(file: _File) -> bytes:
        if file.now == file.durable:
            return file.now
        pairs = enumerate(zip(file.now, file.durable, strict=False))
        shorter = min(len(file.now), len(file.durable))
        same = next((place for place, (a, b) in pairs if a != b), shorter)
        start, rest = file.now[:same], file.now[same:]
        place = chance.randint(0, len(rest))
        return chance.choice(
            (
                start + bytes(len(rest)),
                start + rest[:place],
                start + bytes(place) + rest[place:],
                start + rest[:place] + bytes(len(rest) - place),
                start + chance.randbytes(len(rest)),
            )
        )

    return torn


def lay_out(image: Image, root: Path, before: Image) -> None:
    """Change ``root``, whose content is ``before``, to the content ``image``."""
    for path, data in sorted(before.items(), reverse=True):
        if path not in image:
            (root / path).rmdir() if data is None else (root / path).unlink()
    for path, data in sorted(image.items()):
        if path not in before or before[path] != data:
            (root / path).mkdir() if data is None else (root / path).write_bytes(data)


def snapshot(root: Path) -> dict[str, bytes | None]:
    """Return the content of a folder, for comparison."""
    return {
        str(path.relative_to(root)): None if path.is_dir() else path.read_bytes()
        for path in sorted(root.rglob("*"))
    }
