"""Scheduler of reading code: watches and walks the roots in the config like the vault.

Hints name changed paths. Walks, on a timer or for a request that waits for all changes, find
changes that hints missed. Files are read a slice at a time, between other work.
"""

import os
import time
from collections.abc import Iterable

from clew.engine.reading.code_roots import CodeRoot, CodeRoots, code_roots
from clew.engine.reading.indexer import Indexer
from clew.engine.reading.steps import Absorbed
from clew.engine.settings import IndexerSettings
from clew.index.structures.stored_map import pairs
from clew.surface.indexer.background.pauses import Pauses
from clew.surface.indexer.clocks import present_moment
from clew.surface.indexer.limits import allow_cpu_for_slice
from clew.surface.indexer.link import Link
from clew.surface.indexer.publishing import Publisher
from clew.surface.indexer.watching.change_hints import Hints
from clew.values import ipc
from clew.values.note import Problem
from clew.values.vault import Batch
from clew.vault.code.code_rules import GITIGNORE

WALK_SECONDS_MIN, WALK_SECONDS_MAX = 30.0, 300.0  # between two walks on the timer
COST_SHARE = 0.01  # share of a core that walks on the timer may use
LOST_SECONDS = 2.0  # between walks while a root is missing
AGAIN_SECONDS = (0.25, 2.5)  # delays after a hint at which its paths are checked again
SLICE_CPU_SECONDS = 0.25  # after this a slice ends; a single file may still take longer
PORTION_FILES = 2_000  # files read before a save of the whole index, or half of all if that is more


class CodeScheduler:
    """Keeps the code of all roots up to date in the index.

    Before a file is parsed, the server is told its path, to blame it after a crash. Content with a
    hash in ``quarantined`` crashed earlier indexers, and is not parsed.
    """

    def __init__(
        self, settings: IndexerSettings, debounce_ms: int, link: Link, quarantined: Iterable[str]
    ) -> None:
        self._roots: CodeRoots = code_roots(settings)
        self._roots.may_parse = self._may_parse
        self._link, self._quarantined = link, frozenset(quarantined)
        self._hints = {
            each.name: Hints(each.root.path, debounce_ms, link.wake) for each in self._roots.roots
        }
        self._again: list[tuple[float, CodeRoot, frozenset[str]]] = []
        self._walks_at_s = 0.0
        self._pauses = Pauses()
        self._unsaved = 0  # files read since the index was saved as a whole
        self._is_restored = False

    def due_in_s(self) -> float | None:
        """Return the seconds until ``settle`` is to be called; ``None`` if there are no roots."""
        if not self._roots.roots:
            return None
        if self._roots.is_behind:
            return self._pauses.left_s
        due_s = min([self._walks_at_s, *(at_s for at_s, _, _ in self._again)])
        return max(0.0, due_s - time.monotonic())

    @property
    def is_due(self) -> bool:
        """Whether roots were not walked yet, or some files found there were not read yet."""
        return bool(self._roots.roots) and (not self._is_restored or self._roots.is_behind)

    def problems(self) -> list[Problem]:
        """Return the problems of roots."""
        return self._roots.problems()

    def settle(self, indexer: Indexer, publisher: Publisher, *, is_awaited: bool) -> None:
        """Check for changes and read a slice of files; read all of them if ``is_awaited``."""
        if not (self._roots.roots and publisher.is_published):
            return
        if not self._is_restored:
            self._is_restored = True
            self._roots.restore(dict(pairs(indexer.engine.indexes.code.stamps)))
        self._look(is_awaited=is_awaited)
        while self._roots.is_behind and (is_awaited or not self._pauses.left_s):
            with self._pauses.after_step():
                self._read_slice(indexer, publisher)
            if not is_awaited:
                break

    def _look(self, *, is_awaited: bool) -> None:
        now_s = time.monotonic()
        must_walk = is_awaited or now_s >= self._walks_at_s
        hinted: list[tuple[CodeRoot, frozenset[str]]] = []
        for root in self._roots.roots:
            paths, has_overflowed = self._hints[root.name].take()
            must_walk |= has_overflowed or any(path.endswith(GITIGNORE) for path in paths)
            if paths:
                hinted.append((root, paths))
                self._again += [(now_s + wait_s, root, paths) for wait_s in AGAIN_SECONDS]
        due = [(root, paths) for at_s, root, paths in self._again if at_s <= now_s]
        self._again = [row for row in self._again if row[0] > now_s]
        if must_walk:
            self._walk()
        for root, paths in () if must_walk else (*hinted, *due):
            self._roots.look_at(root, paths, present_moment())
        if must_walk or hinted:
            self._watch()

    def _walk(self) -> None:
        began_s = time.monotonic()
        self._roots.look(present_moment())
        ended_s = time.monotonic()
        by_cost = (ended_s - began_s) / COST_SHARE
        is_lost = any(each.lost for each in self._roots.roots)
        wait_s = min(WALK_SECONDS_MAX, max(WALK_SECONDS_MIN, by_cost))
        self._walks_at_s = ended_s + (LOST_SECONDS if is_lost else wait_s)

    def _watch(self) -> None:
        for root in self._roots.roots:
            if root.lost is None:
                folders = {"": (_inode(root.root.path), 0)}
                self._hints[root.name].watch({**root.view.identities(), **folders})

    def _may_parse(self, path: str, content_hash: str) -> bool:
        if content_hash in self._quarantined:
            return False
        self._link.send(ipc.ParsingStarted(((path, content_hash),)))
        return True

    def _read_slice(self, indexer: Indexer, publisher: Publisher) -> None:
        allow_cpu_for_slice()
        ends_at_s = time.process_time() + SLICE_CPU_SECONDS
        batch = self._roots.next_batch(
            indexer.engine.indexes, present_moment(), lambda: time.process_time() < ends_at_s
        )
        self._link.send(ipc.ParsingStarted(()))
        if batch == Batch():
            return
        work = indexer.engine.apply(batch)
        self._unsaved += len(batch.code)
        if self._unsaved >= max(PORTION_FILES, len(indexer.engine.indexes.code.stamps) // 2):
            self._unsaved = 0
            publisher.publish_all(indexer.engine)
        else:
            publisher.publish(Absorbed(batch, work, 0, 0), indexer.engine)


def _inode(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0
