"""Which notes the latest revisions changed, so that derived values can follow the changes."""

from collections import deque
from collections.abc import Iterable

PATHS_MAX = 20_000  # in all; older revisions are forgotten


class ChangeLog:
    """The paths that each of the latest revisions changed; those of all revisions are unknown."""

    def __init__(self) -> None:
        self._first = 0  # all changes after this revision are known
        self._changes: deque[tuple[int, tuple[str, ...]]] = deque()
        self._size = 0

    def add(self, revision: int, paths: Iterable[str]) -> None:
        """Record what ``revision`` changed, which must follow all that were recorded."""
        changed = tuple(paths)
        if not changed:
            return
        self._changes.append((revision, changed))
        self._size += len(changed)
        while self._size > PATHS_MAX:
            self._first, forgotten = self._changes.popleft()
            self._size -= len(forgotten)

    def forget(self, revision: int) -> None:
        """Forget what ``revision`` and all before it changed."""
        self._first, self._size = revision, 0
        self._changes.clear()

    def between(self, before: int, after: int) -> set[str] | None:
        """Return the notes that changed after revision ``before``, up to revision ``after``.

        ``None`` if that is not known.
        """
        if before < self._first or after < before:
            return None
        changed: set[str] = set()
        for revision, paths in reversed(self._changes):
            if revision <= before:
                break
            if revision <= after:
                changed.update(paths)
        return changed
