"""What a look found that is not believed yet, and when to look again.

A file may be caught in the middle of being written: it is read after a moment of quiet, and again
while it is young; one that was emptied is believed after a second, since many programs empty a file
before they write it. Most of a vault gone at once is more often a disk than a decision.

Holds no clock: every time is given, in nanoseconds of one steady clock.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from clew.values.vault import Stamp

QUIET_NS = 10_000_000
QUIET_WAIT_NS_MAX = 200_000_000  # a file that is written to all the time is read nevertheless
YOUNG_NS = 100_000_000
EMPTIED_WAIT_NS = 1_000_000_000
LEAVING_WAIT_NS = 30_000_000  # between one half of a rename and the other
MASS_NOTES_MIN = 20
MASS_SHARE = 0.5
MASS_WAIT_NS = 2_000_000_000


@dataclass(slots=True)
class Doubts:
    """What is to be looked at again before it counts."""

    # When to look at a path again: at first, and at last.
    _again_ns: dict[str, tuple[int, int]] = field(default_factory=dict)
    _unquiet_since_ns: dict[str, int] = field(default_factory=dict)
    _emptied: dict[str, tuple[int, int]] = field(default_factory=dict)  # changed at, since
    _leaving: dict[str, tuple[int, int]] = field(default_factory=dict)  # since, inode
    _missing: set[str] = field(default_factory=set)  # notes gone in a mass
    _missing_until_ns: int = 0

    def is_unquiet(self, path: str, age_ns: int, now_ns: int) -> bool:
        """Tell whether a file was written so recently that it is better read a little later."""
        since_ns = self._unquiet_since_ns.setdefault(path, now_ns)
        is_over = now_ns - since_ns >= QUIET_WAIT_NS_MAX
        if is_over or age_ns >= QUIET_NS:
            del self._unquiet_since_ns[path]
            return False
        self.look_again(path, now_ns + QUIET_NS)
        return True

    def is_emptied(self, path: str, stamp: Stamp, now_ns: int) -> bool:
        """Tell whether a note that lost all its content may be about to be written anew.

        Emptied once more, it is given the whole time once more.
        """
        changed_at_ns, since_ns = self._emptied.get(path, (None, now_ns))
        if changed_at_ns != stamp.changed_at_ns:
            since_ns = now_ns
        self._emptied[path] = stamp.changed_at_ns, since_ns
        if now_ns - since_ns >= EMPTIED_WAIT_NS:
            del self._emptied[path]
            return False
        self.look_again(path, since_ns + EMPTIED_WAIT_NS)
        return True

    def is_filled(self, path: str) -> None:
        """Take note that a note has content, or never had any, or cannot be read."""
        self._emptied.pop(path, None)

    def forget(self, paths: Iterable[str]) -> None:
        """Doubt nothing of files that are gone, known before or not."""
        for path in paths:
            self._unquiet_since_ns.pop(path, None)
            self._emptied.pop(path, None)

    def is_young(self, path: str, age_ns: int, now_ns: int) -> bool:
        """Tell whether a file just read is to be read once more when it is older."""
        if age_ns >= YOUNG_NS:
            return False
        self.look_again(path, now_ns - age_ns + YOUNG_NS)
        return True

    def look_again(self, path: str, at_ns: int) -> None:
        """Let ``path`` be due at a time; of several, at least the first and the last are kept."""
        first_ns, last_ns = self._again_ns.get(path, (at_ns, at_ns))
        self._again_ns[path] = min(at_ns, first_ns), max(at_ns, last_ns)

    def believed_gone(
        self,
        gone: Mapping[str, int],
        arrived: AbstractSet[int],
        known_count: int,
        now_ns: int,
        *,
        is_whole: bool,
    ) -> set[str]:
        """Return the notes that may be dropped, out of those gone now and those held before.

        ``gone`` has the inode of each, ``arrived`` those of notes that are new: a note that was
        renamed goes when it arrives. ``is_whole`` tells that the whole vault was looked at.
        """
        moved = {path for path, inode in gone.items() if inode in arrived}
        lost = gone.keys() - moved
        if len(lost) >= MASS_NOTES_MIN and len(lost) > MASS_SHARE * known_count:
            self.hold(lost, now_ns)
            return moved
        if is_whole:
            believed = moved | lost | self._leaving.keys()
            self._leaving.clear()
            if now_ns >= self._missing_until_ns:
                believed |= self._missing
                self._missing.clear()
            return believed
        for path in lost:
            self._leaving.setdefault(path, (now_ns, gone[path]))
        ready = {
            path
            for path, (since_ns, inode) in self._leaving.items()
            if now_ns - since_ns >= LEAVING_WAIT_NS or inode in arrived
        }
        for path in ready:
            del self._leaving[path]
        # Even those that were looked at meanwhile: that look was for another reason, and too early.
        for path, (since_ns, _) in self._leaving.items():
            self.look_again(path, since_ns + LEAVING_WAIT_NS)
        return moved | ready

    def hold(self, gone: Iterable[str], now_ns: int) -> None:
        """Keep notes that seem gone until a second look agrees."""
        self._missing |= set(gone)
        self._missing_until_ns = now_ns + MASS_WAIT_NS

    def found(self, paths: Iterable[str]) -> None:
        """Take note that these are there, whether they were held for gone or not."""
        self._missing.difference_update(paths)
        for path in self._leaving.keys() & set(paths):
            del self._leaving[path]

    @property
    def missing_count(self) -> int:
        """How many notes are held that seem gone."""
        return len(self._missing)

    @property
    def whole_look_due_ns(self) -> int | None:
        """When the whole vault is to be looked at again to know whether the missing are gone."""
        return self._missing_until_ns if self._missing else None

    @property
    def withheld(self) -> frozenset[tuple[str, int]]:
        """What was seen and does not count yet: paths, each with since when."""
        since = list(self._unquiet_since_ns.items())
        since += [(path, since_ns) for path, (since_ns, _) in self._leaving.items()]
        since += [(path, since_ns) for path, (_, since_ns) in self._emptied.items()]
        missing = [("", self._missing_until_ns)] if self._missing else []
        return frozenset([*since, *missing])

    @property
    def due_ns(self) -> int | None:
        """When the first path is to be looked at again."""
        return min((first_ns for first_ns, _ in self._again_ns.values()), default=None)

    def take_due(self, now_ns: int) -> set[str]:
        """Return the paths that are to be looked at again by now, each once."""
        due = {path for path, (first_ns, _) in self._again_ns.items() if first_ns <= now_ns}
        for path in due:
            _, last_ns = self._again_ns.pop(path)
            if last_ns > now_ns:
                self._again_ns[path] = last_ns, last_ns
        return due
