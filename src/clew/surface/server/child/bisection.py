"""Which note ended the indexer: found by parsing alone what was parsed when it died.

A crash points at all notes of a slice; they are suspects from then on and parsed one by one, so the
next crash points at one. A content that was there both times is quarantined.
"""

from collections import Counter
from collections.abc import Iterable

SUSPECTS_MAX = 10_000
_KILLS = 2


class Suspicion:
    """What is known of notes that ended an indexer."""

    def __init__(self) -> None:
        self._parsing: tuple[tuple[str, str], ...] = ()  # path, content hash
        self._kills: Counter[str] = Counter()  # by content hash
        self._suspects: dict[str, None] = {}  # oldest first
        self._quarantined: dict[str, None] = {}

    @property
    def suspects(self) -> tuple[str, ...]:
        """Paths of notes to be parsed one by one."""
        return tuple(self._suspects)

    @property
    def quarantined(self) -> tuple[str, ...]:
        """Content hashes of notes not to be parsed again."""
        return tuple(self._quarantined)

    def parsing(self, notes: Iterable[tuple[str, str]]) -> None:
        """Take note of what is about to be parsed; nothing when that went well."""
        self._parsing = tuple(notes)

    def died(self) -> None:
        """Draw conclusions from the indexer's end."""
        self._kills.update(content_hash for _, content_hash in self._parsing)
        if len(self._parsing) == 1 and self._kills[self._parsing[0][1]] >= _KILLS:
            self._quarantined[self._parsing[0][1]] = None
        self._suspects |= dict.fromkeys(path for path, _ in self._parsing)
        while len(self._suspects) > SUSPECTS_MAX:
            del self._suspects[next(iter(self._suspects))]
        self._parsing = ()
