"""Crash bisection: find the note that crashes the indexer.

All notes of the slice being parsed at a crash become suspects, and the next indexer parses suspects
one by one, so its crash points at a single note. Content that was being parsed at two crashes, the
second time alone, is quarantined.
"""

from collections import Counter
from collections.abc import Iterable

SUSPECTS_MAX = 10_000
_CRASHES_BEFORE_QUARANTINE = 2


class CrashBisection:
    """Counts crashes by note; decides which notes are suspects and which are quarantined."""

    def __init__(self) -> None:
        self._parsing: tuple[tuple[str, str], ...] = ()  # path, content hash
        self._crashes_by_hash: Counter[str] = Counter()  # by content hash
        self._suspects: dict[str, None] = {}  # paths, oldest first
        self._quarantined: dict[str, None] = {}  # content hashes

    @property
    def suspects(self) -> tuple[str, ...]:
        """The paths of the notes to parse one by one."""
        return tuple(self._suspects)

    @property
    def quarantined(self) -> tuple[str, ...]:
        """The content hashes of the notes not to parse again."""
        return tuple(self._quarantined)

    def start_slice(self, notes: Iterable[tuple[str, str]]) -> None:
        """Record the notes about to be parsed; an empty slice means that parsing has ended."""
        self._parsing = tuple(notes)

    def record_crash(self) -> None:
        """Count a crash for each of the notes that the indexer was parsing."""
        self._crashes_by_hash.update(content_hash for _, content_hash in self._parsing)
        if (
            len(self._parsing) == 1
            and self._crashes_by_hash[self._parsing[0][1]] >= _CRASHES_BEFORE_QUARANTINE
        ):
            self._quarantined[self._parsing[0][1]] = None
        self._suspects |= dict.fromkeys(path for path, _ in self._parsing)
        while len(self._suspects) > SUSPECTS_MAX:
            del self._suspects[next(iter(self._suspects))]
        self._parsing = ()
