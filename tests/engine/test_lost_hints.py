"""Freshness under lost hints: whichever hints arrive, a walk makes the index right.

Files, folders, links and settings change in a real folder. Each change gives hints, as a watch
would; these may arrive late, twice, in any order or never. Time is simulated: nothing sleeps, and
all files written between two steps of the clock have the same stamp, as on a coarse file system.
The clock of the files may be ahead of the wall clock, which is set while the indexer runs.
"""

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from clew.engine.dump import dump
from clew.engine.reading import settling
from clew.engine.reading.indexer import Indexer
from clew.engine.rebuild import read_anew
from clew.engine.settings import IndexerSettings
from clew.values.vault import Batch, Difference, Moment, Stamp
from clew.vault import read, scan, view
from clew.vault.ignore import APP_JSON
from clew.vault.settings.concept_rules import CONCEPTS_TOML
from tests.examples import IS_LONG, examples
from tests.stored import stored

MEMORY = "/dev/shm"
MS = 1_000_000
BEGIN_NS = 1_770_000_000_000_000_000
SECOND_LOOK_NS = 200 * MS
CATCH_UP_LOOKS_MAX = 5

# A few names, so that they are reused, and a folder with the name of a note.
FOLDERS = ["x", "x/y", "x/y/w", "z", "z/y", "a.md", ".trash"]
NAMES = ["a.md", "b.md", "c d.md", "p.png"]
PATHS = [*NAMES, *(f"{folder}/{name}" for folder in FOLDERS for name in NAMES)]
TEXTS = [b"", b"[[a]] [[b]]", b"[[c d]] ![[p.png]]", b"---\naliases: [b]\n---\n[[x/y/a]]"]
RULES = [None, b'ignore = ["a"]', b'[merge]\n"a" = ["b"]', b"not toml ["]
FILTERS = [None, b'{"userIgnoreFilters": ["x/y/"]}', b'{"userIgnoreFilters": ["a.md"]}', b"{"]

Change = tuple[str, str, str | bytes | None]

some_paths, some_folders = st.sampled_from(PATHS), st.sampled_from(FOLDERS)
changes = st.one_of(
    st.tuples(st.just("save"), some_paths, st.sampled_from(TEXTS)),
    st.tuples(st.just("replace"), some_paths, st.sampled_from(TEXTS)),
    st.tuples(st.just("rename"), some_paths, some_paths),
    st.tuples(st.just("delete"), some_paths, st.none()),
    st.tuples(st.just("make_folder"), some_folders, st.none()),
    st.tuples(st.just("rename"), some_folders, some_folders),
    st.tuples(st.just("remove_folder"), some_folders, st.none()),
    st.tuples(st.just("move_out_and_link"), some_folders, st.none()),
    st.tuples(st.just("settle"), st.just(CONCEPTS_TOML), st.sampled_from(RULES)),
    st.tuples(st.just("settle"), st.just(APP_JSON), st.sampled_from(FILTERS)),
)
picks = st.frozensets(st.integers(0, 9))


class Folder:
    """A vault's folder in simulated time; every change returns its hints."""

    def __init__(self, home: str) -> None:
        self.home = Path(home)
        self.root = self.home / "vault"
        self.away = self.home / "away"
        self.now_ns = BEGIN_NS  # by the clock of the files
        self.behind_ns = 0  # how far the wall clock is behind the clock of the files
        self._moved_out = 0
        self._changed_at_ns: dict[tuple[int, int], int] = {}  # inode, real time of change
        self.root.mkdir()

    def stamp_of(self, status: os.stat_result) -> Stamp:
        """Return a file's stamp in simulated time."""
        changed_at_ns = self._changed_at_ns.get((status.st_ino, status.st_ctime_ns), BEGIN_NS)
        return Stamp(status.st_mtime_ns, changed_at_ns, status.st_size, status.st_ino)

    @property
    def now(self) -> Moment:
        """Return the present moment by the clocks of the indexer."""
        return Moment(wall_ns=self.now_ns - self.behind_ns, steady_ns=self.now_ns)

    def change(self, change: Change) -> list[str]:
        """Make a change, if it is possible now."""
        kind, path, more = change
        if self.is_there:
            with suppress(OSError):
                return list(getattr(self, kind)(path, more))
        return []

    @property
    def is_there(self) -> bool:
        """Whether the vault's folder is at its path."""
        return not self.away.exists()

    def take_away(self, *, leaves_another: bool) -> None:
        """Move the vault's folder away, as if its disk had been unmounted."""
        if self.is_there:
            self.root.rename(self.away)
            if leaves_another:
                self.root.mkdir()

    def bring_back(self) -> None:
        """Bring the vault's folder back."""
        if not self.is_there:
            with suppress(FileNotFoundError):
                self.root.rmdir()
            self.away.rename(self.root)

    def save(self, path: str, content: bytes) -> Iterator[str]:
        """Write a file in place."""
        self._write(self.root / path, content)
        yield path

    def replace(self, path: str, content: bytes) -> Iterator[str]:
        """Write a temporary file and rename it to ``path``."""
        beside = self.root / f"{path}.tmp"
        self._write(beside, content)
        beside.rename(self.root / path)
        self._date(self.root / path)
        yield from (f"{path}.tmp", path)

    def rename(self, old: str, new: str) -> Iterator[str]:
        """Rename a file or a folder with all that is in it."""
        (self.root / old).rename(self.root / new)
        if not (self.root / new).is_dir():
            self._date(self.root / new)
        yield from (old, new)

    def delete(self, path: str, _: None) -> Iterator[str]:
        """Delete a file."""
        (self.root / path).unlink()
        yield path

    def make_folder(self, path: str, _: None) -> Iterator[str]:
        """Make a folder; replace a file of that name."""
        with suppress(OSError):
            (self.root / path).unlink()
        (self.root / path).mkdir(parents=True, exist_ok=True)
        yield path

    def remove_folder(self, path: str, _: None) -> Iterator[str]:
        """Remove a folder and all that is in it."""
        inside = [str(file.relative_to(self.root)) for file in (self.root / path).rglob("*")]
        shutil.rmtree(self.root / path)
        yield from (*inside, path)

    def move_out_and_link(self, path: str, _: None) -> Iterator[str]:
        """Move a folder out of the vault and put a link to it in its place."""
        self._moved_out += 1
        outside = self.home / f"outside-{self._moved_out}"
        (self.root / path).rename(outside)
        (self.root / path).symlink_to(outside)
        yield from (path, *(f"{path}/{file.name}" for file in outside.iterdir()))

    def settle(self, path: str, content: bytes | None) -> Iterator[str]:
        """Write or remove a file of settings."""
        file = self.root / path
        file.parent.mkdir(exist_ok=True)
        file.unlink(missing_ok=True)
        if content is not None:
            file.write_bytes(content)
        yield path

    def _write(self, file: Path, content: bytes) -> None:
        file.write_bytes(content)
        os.utime(file, ns=(self.now_ns, self.now_ns))
        self._date(file)

    def _date(self, file: Path) -> None:
        status = file.lstat()
        self._changed_at_ns[status.st_ino, status.st_ctime_ns] = self.now_ns


class LostHints(RuleBasedStateMachine):
    """Changes, hints that may be lost, checks, saves and restarts, in any order."""

    listed_whole_max = view.LISTED_WHOLE_MAX

    def __init__(self) -> None:
        super().__init__()
        home = tempfile.mkdtemp(dir=MEMORY if os.path.isdir(MEMORY) else None)
        self.folder = Folder(home)
        self.settings = IndexerSettings(str(self.folder.root))
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(scan, "stamp_of", self.folder.stamp_of)
        self.patch.setattr(read, "stamp_of", self.folder.stamp_of)
        self.patch.setattr(settling, "MASS_NOTES_MIN", 3)
        self.patch.setattr(view, "LISTED_WHOLE_MAX", self.listed_whole_max)
        self.hints: list[str] = []
        self.watched: dict[str, tuple[int, int]] = {}
        self.file: memoryview | None = None
        self.log: list[Batch] = []
        self.indexer = Indexer(self.settings)

    def teardown(self) -> None:
        try:
            self.catch_up()
        finally:
            self.patch.undo()
            shutil.rmtree(self.folder.home)

    # -- changes in the folder ----------------------------------------------------------------

    @initialize(files=st.dictionaries(some_paths, st.sampled_from(TEXTS), max_size=8))
    def begin(self, files: dict[str, bytes]) -> None:
        for path, text in files.items():
            self.folder.change(("make_folder", os.path.dirname(path), None))
            self.folder.change(("save", path, text))
        self.folder.now_ns += 10_000 * MS
        self.walk([])

    @rule(change=changes)
    def change(self, change: Change) -> None:
        self.hints += self.folder.change(change)

    @rule(ms=st.sampled_from([1, 9, 10, 50, 100, 200, 1_000, 2_000, 5_000]))
    def wait(self, ms: int) -> None:
        self.folder.now_ns += ms * MS

    @rule(behind_ms=st.sampled_from([0, 150, 1_900, 5_000, 3_600_000]))
    def set_clock(self, behind_ms: int) -> None:
        self.folder.behind_ns = behind_ms * MS

    @rule(leaves_another=st.booleans())
    def take_root_away(self, leaves_another: bool) -> None:
        self.folder.take_away(leaves_another=leaves_another)

    @rule()
    def bring_root_back(self) -> None:
        self.folder.bring_back()

    # -- hints --------------------------------------------------------------------------------

    @rule(places=picks)
    def lose(self, places: frozenset[int]) -> None:
        lost = self._picked(places)
        self.hints = [hint for hint in self.hints if hint not in lost]

    @rule(places=picks, is_again=st.booleans(), meanwhile=st.lists(changes, max_size=2))
    def hear(self, places: frozenset[int], is_again: bool, meanwhile: list[Change]) -> None:
        """Check some hinted paths and the due ones; more files may change before they are read."""
        paths = self._picked(places)
        if not is_again:
            self.hints = [hint for hint in self.hints if hint not in paths]
        now_ns = self.folder.now_ns
        again = self.indexer.settling.take_due_checks(now_ns)
        due_ns = self.indexer.settling.walk_due_ns
        if APP_JSON in paths or (due_ns is not None and due_ns <= now_ns):
            self.walk(meanwhile)
            return
        for path in paths - again:
            self.indexer.settling.check_at(path, now_ns + SECOND_LOOK_NS)
        near = {path for path in paths | again if path == "." or not path.startswith(".")}
        with suppress(OSError):
            self._absorb(self.indexer.look_at(near, self.folder.now), meanwhile)

    @rule(meanwhile=st.lists(changes, max_size=2))
    def walk(self, meanwhile: list[Change]) -> None:
        with suppress(OSError):
            self._absorb(self.indexer.look(self.folder.now), meanwhile)

    @rule(leaves_another=st.booleans())
    def lose_the_root_while_reading(self, leaves_another: bool) -> None:
        with suppress(OSError):
            found = self.indexer.look(self.folder.now)
            self.folder.take_away(leaves_another=leaves_another)
            self._absorb(found, [])

    # -- restarts -----------------------------------------------------------------------------

    @rule()
    def save(self) -> None:
        self.file, self.log = stored(self.indexer.engine.indexes), []

    @rule(steps=st.integers(0, 3))
    def crash_while_reading(self, steps: int) -> None:
        """Crash after some slices: the notes read so far are in the log already."""
        with suppress(OSError):
            now = self.folder.now
            absorbing = self.indexer.absorb(self.indexer.look(now), now)
            for _, step in zip(range(steps), absorbing, strict=False):
                self.log.append(Batch(put=step.read))
            absorbing.close()
        self.restart()

    @rule()
    def restart(self) -> None:
        self.folder.bring_back()  # the identity of the vault's folder is not saved
        self.indexer = Indexer(self.settings)
        if self.file is not None:
            self.indexer.load(self.file)
        self.indexer.restore(self.log)
        self.watched = {}
        self.walk([])

    @rule()
    def catch_up(self) -> None:
        """Walk the vault until all changes are settled, then compare with a rebuild."""
        self.folder.bring_back()
        for _ in range(CATCH_UP_LOOKS_MAX):
            self.folder.now_ns += 10_000 * MS
            self._absorb(self.indexer.look(self.folder.now), [])
            if not self.indexer.settling.unsettled:
                break
        assert not self.indexer.settling.unsettled
        rebuilt = read_anew(self.settings)
        assert dump(self.indexer.snapshot) == dump(rebuilt)
        assert self.indexer.snapshot.names.files() == rebuilt.names.files()

    def _picked(self, places: Iterable[int]) -> set[str]:
        return {self.hints[place] for place in places if place < len(self.hints)}

    def _absorb(self, found: Difference, meanwhile: list[Change]) -> None:
        absorbing = self.indexer.absorb(found, self.folder.now)
        batch = Batch()
        for change in meanwhile:
            self.hints += self.folder.change(change)
        while True:
            try:
                next(absorbing)
            except StopIteration as done:
                batch = done.value.batch
                break
        if batch != Batch():
            self.log.append(batch)
        folders = self.indexer.folders()
        fresh = {path for path, which in folders.items() if self.watched.get(path) != which}
        self.hints += sorted(f"{path}/." for path in fresh)
        self.watched = folders


class LostHintsInLargeFolders(LostHints):
    """The same with folders so large that only hinted paths are checked."""

    listed_whole_max = 1


COUNTS = examples(
    40,
    long=2_000,
    stateful_step_count=50 if IS_LONG else 30,
    report_multiple_bugs=False,
)
LostHints.TestCase.settings = LostHintsInLargeFolders.TestCase.settings = COUNTS
test_a_whole_look_makes_up_for_lost_hints = LostHints.TestCase
test_a_whole_look_makes_up_for_lost_hints_in_large_folders = LostHintsInLargeFolders.TestCase
