"""Keeps the code index in step with the folders of code that the config names.

Each root is walked like a vault, and files that changed are read a slice at a time. A root that is
gone, or is another folder, is a problem, and the index keeps the code that it had.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from clew.engine.indexes import Indexes
from clew.engine.settings import IndexerSettings
from clew.text.unicode import is_utf8
from clew.values.note import Problem
from clew.values.vault import Batch, Difference, Moment, ReadCode, Stamp
from clew.vault.code.code_files import MayParse, read_code
from clew.vault.code.code_rules import CodeRules
from clew.vault.root import VaultRoot
from clew.vault.view import VaultView

FILES_MAX = 50_000  # of all roots together; files beyond are left out, with a problem
SLICE_FILES = 50
SLICE_WORK = 4_000  # entities and calls in one batch, which the server applies at once


_UNSURE = Stamp(0, 0, 0, 0)  # differs from any real stamp, so a restart reads the file again


@dataclass(slots=True)
class CodeRoot:
    """One folder of code, known by a short name that begins the paths of its files."""

    name: str
    root: VaultRoot
    rules: CodeRules
    view: VaultView
    lost: str | None = None  # why it cannot be walked

    def path_of(self, below: str) -> str:
        """Return the path in the index of the file at ``below``, which is relative to the root."""
        return f"{self.name}/{below}"


@dataclass(slots=True)
class CodeRoots:
    """All folders of code of one vault, and the files of them that are still to be read."""

    roots: Sequence[CodeRoot]
    may_parse: MayParse = lambda _path, _content_hash: True
    _waiting: dict[str, None] = field(default_factory=dict)  # paths to read, first come first
    _gone: set[str] = field(default_factory=set)
    _left_out: set[str] = field(default_factory=set)  # beyond ``FILES_MAX``

    @property
    def is_behind(self) -> bool:
        """Whether files are still to be read or dropped."""
        return bool(self._waiting or self._gone)

    def restore(self, stamps: Mapping[str, Stamp]) -> None:
        """Use the stamps of a stored index; call ``look`` before ``look_at``."""
        for code_root in self.roots:
            prefix = code_root.path_of("")
            below = {
                path.removeprefix(prefix): stamp
                for path, stamp in stamps.items()
                if path.startswith(prefix)
            }
            code_root.view.restore(below, ())

    def look(self, now: Moment) -> None:
        """Walk all roots; queue the changed files."""
        for code_root in self.roots:
            code_root.rules.refresh()
            try:
                code_root.root.check(code_root.view.has_its_notes)
                self._add(code_root, code_root.view.look(now))
            except OSError as error:
                code_root.lost = error.strerror or str(error)
            else:
                code_root.lost = None

    def look_at(self, code_root: CodeRoot, below: Iterable[str], now: Moment) -> None:
        """Check paths below one root; queue the changed files."""
        try:
            code_root.root.check()
            self._add(code_root, code_root.view.look_at(below, now))
        except OSError as error:
            code_root.lost = error.strerror or str(error)

    def _add(self, code_root: CodeRoot, found: Difference) -> None:
        self._waiting.update(dict.fromkeys(map(code_root.path_of, found.changed)))
        gone = set(map(code_root.path_of, found.gone))
        self._gone = (self._gone | gone) - self._waiting.keys()
        for path in gone:
            self._waiting.pop(path, None)
        self._gone |= gone

    def next_batch(
        self, indexes: Indexes, now: Moment, has_time: Callable[[], bool] = lambda: True
    ) -> Batch:
        """Read the next slice of queued files; return the batch that puts and drops them.

        The slice ends where ``has_time`` is false after a file; one file may still take longer.
        """
        stamps = indexes.code.stamps
        dropped = {path for path in self._gone if path in stamps}
        self._left_out -= self._gone
        self._gone.clear()
        reads: list[ReadCode] = []
        work, count = 0, len(stamps) - len(dropped)
        while self._waiting and len(reads) < SLICE_FILES and work < SLICE_WORK:
            if reads and not has_time():
                break
            path = next(iter(self._waiting))
            del self._waiting[path]
            if path not in stamps and count >= FILES_MAX:
                self._left_out.add(path)
                continue
            read = self._read(path, now)
            if read is not None:
                count += path not in stamps
                reads.append(read)
                work += len(read.file.calls) + len(read.file.entities) if read.file else 1
            elif path in stamps:
                dropped.add(path)
        return Batch(code=tuple(reads), code_dropped=tuple(sorted(dropped)))

    def _read(self, path: str, now: Moment) -> ReadCode | None:
        name, _, below = path.partition("/")
        code_root = next(one for one in self.roots if one.name == name)
        read = read_code(code_root.root.path, below, path, self.may_parse)
        if read is None:
            return None
        if read.stamp is None:
            code_root.view.recheck(below)
        elif code_root.view.is_racy(below, read.stamp, now):
            code_root.view.recheck(below)  # a later write may leave the same stamp
            return replace(read, stamp=_UNSURE)
        return read

    def problems(self) -> list[Problem]:
        """Return the problems of whole roots; the index has the problems of files."""
        found = [
            Problem(code_root.root.path, "codeRootUnavailable", None, f"not read: {code_root.lost}")
            for code_root in self.roots
            if code_root.lost is not None
        ]
        if self._left_out:
            message = f"{len(self._left_out)} files beyond {FILES_MAX} are not read"
            found.append(Problem(min(self._left_out), "codeRootTooLarge", None, message))
        return found


def code_roots(settings: IndexerSettings) -> CodeRoots:
    """Return the roots that the settings name."""
    return CodeRoots([_root(name, path, settings) for name, path in names_of(settings.code_roots)])


def _root(name: str, path: str, settings: IndexerSettings) -> CodeRoot:
    root = VaultRoot(path)
    rules = CodeRules(root, settings.code_left_out)
    return CodeRoot(name, root, rules, VaultView(path, rules))


def names_of(roots: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each root with a unique name: its folder's name, with a number from the second on."""
    used: set[str] = set()
    for path in roots:
        folder = os.path.basename(path.rstrip("/"))
        stem = name = folder if folder and is_utf8(folder) else "code"
        number = 1
        while name in used:
            number += 1
            name = f"{stem}-{number}"
        used.add(name)
        yield name, path


def everything_read(roots: CodeRoots, indexes: Indexes, now: Moment) -> Iterator[Batch]:
    """Walk all roots, and yield a batch for each slice of changed files."""
    roots.look(now)
    while roots.is_behind:
        yield roots.next_batch(indexes, now)
