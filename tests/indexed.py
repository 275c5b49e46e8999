"""Real folders, each with an indexer, in simulated time."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import pytest

from clew.disk import beneath
from clew.engine.dump import dump
from clew.engine.reading import file_slices, portions
from clew.engine.reading.indexer import Indexer
from clew.engine.reading.steps import Absorbed, Absorbing, Step, drained
from clew.engine.rebuild import read_anew
from clew.engine.settings import IndexerSettings
from clew.text.dates.date_keys import DateKeys
from clew.values.note import Note
from clew.values.vault import Batch, Moment, ReadNote, Stamp
from clew.vault import read, scan
from clew.vault.read import Unparsed, load_file
from tests.stored import stored
from tests.vaults import LATER, LATER_NS, at

MS = 1_000_000
OLD_S = 1_000_000_000


def read_in_portions(monkeypatch: pytest.MonkeyPatch, passages: int) -> None:
    """Make slices of one note, and a portion of each so many passages."""
    monkeypatch.setattr(portions, "PASSAGES_MIN", passages)
    monkeypatch.setattr(portions, "SHARE", 0.0)
    monkeypatch.setattr(file_slices, "SLICE_NOTES", 1)


def apply_slices_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make slices of one note, and have each applied as soon as it is read."""
    monkeypatch.setattr(portions, "SLICEWISE_NOTES_MIN", 1)
    monkeypatch.setattr(file_slices, "SLICE_NOTES", 1)


class Vault:
    """A real folder with an indexer, and a record of what was loaded and parsed."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        self.root = root / "vault"
        self.root.mkdir()
        self.settings = IndexerSettings(str(self.root))
        self.indexer = Indexer(self.settings)
        self.loaded: list[str] = []
        self.parsed: list[str] = []
        self.unreadable: dict[str, int] = {}  # path -> error number when it is opened or listed
        self._open = beneath.open_beneath
        patch.setattr(file_slices, "load_file", self._load_file)
        patch.setattr(file_slices, "parse_files", self._parse_files)
        patch.setattr(beneath, "open_beneath", self._open_beneath)
        self._list_folder = scan._list_folder  # noqa: SLF001 - root may list every folder
        patch.setattr(scan, "_list_folder", self._list)

    def write(self, path: str, content: str = "text") -> int:
        """Write a file; return the present time of the file system's clock."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        return file.stat().st_ctime_ns

    def forge(self, path: str, content: str) -> None:
        """Change a note's content in the index, as if a later write had kept the stamp."""
        entries = self.indexer.engine.indexes.entries
        note = msgspec.structs.replace(entries[path].note, content_hash="other", text=content)
        entries[path] = msgspec.structs.replace(entries[path], note=note)

    def look(self, now_ns: int = LATER_NS) -> Absorbed:
        """Look at the whole vault and read what changed."""
        return self.look_at(at(now_ns))

    def look_at(self, now: Moment) -> Absorbed:
        """Look at the whole vault and read what changed, at a moment of two clocks."""
        return drained(self.indexer.absorb(self.indexer.look(now), now))

    def look_at_paths(self, paths: Sequence[str], now_ns: int) -> Absorbed:
        """Check these paths and read what changed."""
        now = at(now_ns)
        return drained(self.indexer.absorb(self.indexer.look_at(paths, now), now))

    def steps_of_round(self) -> Absorbing:
        """Look at the whole vault, and read what changed step by step."""
        return self.indexer.absorb(self.indexer.look(LATER), LATER)

    def steps(self) -> list[Step]:
        """Look at the whole vault; return the steps of the reading."""
        return list(self.steps_of_round())

    def texts(self) -> dict[str, str]:
        """Return the indexed texts of the vault's notes."""
        entries = self.indexer.snapshot.entries
        return {path: entry.note.text for path, entry in entries.items()}

    def problems(self) -> set[tuple[str, str]]:
        """Return all problems: paths and codes."""
        of_notes = self.indexer.snapshot.problems()
        return {(p.path, p.code) for p in [*of_notes, *self.indexer.file_problems()]}

    def restart(self, log: Sequence[Batch] = ()) -> None:
        """Continue with a new indexer, restored from the index of this one."""
        file = stored(self.indexer.engine.indexes)
        self.indexer = Indexer(self.settings)
        self.indexer.load(file)
        self.indexer.restore(log)
        self.loaded.clear()
        self.parsed.clear()

    def assert_as_read_anew(self) -> None:
        """Check that the index equals one read from the files."""
        anew = read_anew(self.settings)
        assert dump(self.indexer.snapshot) == dump(anew)
        assert self.indexer.snapshot.names.files() == anew.names.files()

    def _load_file(
        self, root: str, path: str, max_bytes: int, indexed_hash: str
    ) -> Unparsed | ReadNote | Stamp | None:
        self.loaded.append(path)
        return load_file(root, path, max_bytes, indexed_hash)

    def _parse_files(
        self, files: Sequence[Unparsed], date_keys: DateKeys, earlier: Mapping[str, Note]
    ) -> list[ReadNote]:
        self.parsed += [file.source.path for file in files]
        return read.parse_files(files, date_keys, earlier)

    def _list(self, root: str, folder: str, rules: scan.Rules) -> scan.FolderListing:
        self._raise_if_unreadable(folder)
        return self._list_folder(root, folder, rules)

    def _open_beneath(self, root: str, path: str) -> int:
        self._raise_if_unreadable(path)
        return self._open(root, path)

    def _raise_if_unreadable(self, path: str) -> None:
        if path in self.unreadable:
            raise OSError(self.unreadable[path], os.strerror(self.unreadable[path]))
