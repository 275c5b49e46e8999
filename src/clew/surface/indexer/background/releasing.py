"""Releasing the pages of the saved index that changes of notes were compared with.

A change reads here and there in the file, and the system maps up to 2 MiB for each read: what
changes read in an hour is most of the file. The pages stay in the system's cache, so reading them
again takes a millisecond.
"""

import time
from collections.abc import Callable

RELEASE_SECONDS = 60.0  # between two releases, at least


class PageReleases:
    """Releases what was read of the saved index, a while after the index changed."""

    def __init__(
        self, release: Callable[[], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._release = release
        self._clock = clock
        self._released_at_s = clock()
        self._revision = 0  # at the last release

    def due_in_s(self, revision: int) -> float | None:
        """Return the seconds until ``settle`` is due; ``None`` until ``revision`` is another."""
        if revision == self._revision:
            return None
        return max(0.0, self._released_at_s + RELEASE_SECONDS - self._clock())

    def settle(self, revision: int) -> None:
        """Release the pages if that is due."""
        if self.due_in_s(revision) == 0.0:
            self._release()
            self._released_at_s, self._revision = self._clock(), revision
