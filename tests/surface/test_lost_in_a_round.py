"""What becomes of the notes that a round of reading has applied before the vault went away."""

import errno
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from clew.engine.dump import dump
from clew.engine.persist.store import Store
from clew.engine.reading import file_slices, portions
from clew.engine.reading.indexer import Indexer
from clew.engine.settings import IndexerSettings
from clew.surface.indexer.publishing import Publisher
from clew.surface.indexer.saving import Saving
from clew.surface.indexer.watching import walker as walker_module
from clew.surface.indexer.watching.walker import Walker
from clew.values import ipc
from tests.surface.test_publishing import Sends
from tests.vaults import LATER

if TYPE_CHECKING:
    from clew.engine.reading.steps import Absorbed


class Rig:
    """A walker over a folder of two notes, which can go away after a step of a round."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(portions, "SLICEWISE_NOTES_MIN", 1)
        monkeypatch.setattr(file_slices, "SLICE_NOTES", 1)
        monkeypatch.setattr(walker_module, "MANY_NOTES", 0)
        monkeypatch.setattr(walker_module, "present_moment", lambda: LATER)
        self.root = folder / "vault"
        self.root.mkdir()
        self.link = Sends(str(folder / "index"))
        saving = Saving(Store(str(folder / "index"), "print"))
        saving.load()
        self.publisher = Publisher(self.link, saving)
        hints = SimpleNamespace(
            take=lambda: (frozenset(), False), watch=lambda _: None, rearm=lambda: None
        )
        self.changes: list[Absorbed] = []
        self.leaves_after: str | None = None  # the vault goes away once this text is indexed
        self.walker = Walker(
            link=self.link,
            indexer=Indexer(IndexerSettings(str(self.root))),
            publisher=self.publisher,
            saving=saving,
            hints=cast("Any", hints),
            walk_seconds=None,
            receive=self._receive,
            on_vault_lost=lambda: None,
            on_change=self.changes.append,
        )

    def write(self, text: str) -> None:
        """Write this text to both notes."""
        for name in "ab":
            (self.root / f"{name}.md").write_text(f"{text} {name}")

    def lose_after_new_notes(self) -> None:
        """Lose the vault at the end of a round that has applied both notes."""
        self.write("old")
        self.walker.walk()
        self.write("new")
        self.leaves_after = "new b"
        self.walker.walk()
        assert self.walker.lost

    def edited(self) -> list[str]:
        """Return the notes whose edits the server was told of."""
        messages = chain.from_iterable(self.link.sends)
        edits = [each for each in messages if isinstance(each, ipc.EditsSeen)]
        return sorted(path for each in edits for path in each.edits_s)

    def _receive(self) -> None:
        entries = self.walker.indexer.engine.indexes.entries
        texts = [entries[path].note.text for path in entries]
        if self.leaves_after in texts:
            self.root.rename(self.root.with_name("away"))
            self.leaves_after = None


def fail_to_save(*_: object) -> None:
    """Take the place of what saves an index, on a full disk."""
    raise OSError(errno.ENOSPC, "disk full")


@pytest.mark.parametrize("last_applied", ["a", "b"])
def test_what_was_applied_before_the_vault_was_lost_is_told_and_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last_applied: str
) -> None:
    rig = Rig(tmp_path, monkeypatch)
    rig.write("old")
    rig.walker.walk()
    rig.write("new")
    rig.link.sends.clear()
    rig.changes.clear()
    rig.leaves_after = f"new {last_applied}"
    rig.walker.walk()
    assert rig.walker.lost
    assert len(rig.changes) == 1  # so vectors are made of what was applied
    rig.publisher.save(rig.walker.indexer.engine)
    assert dump(rig.link.engine.snapshot) == dump(rig.walker.indexer.snapshot)
    rig.root.with_name("away").rename(rig.root)
    rig.walker.walk()
    assert not rig.walker.lost
    assert rig.edited() == ["a.md", "b.md"]
    assert dump(rig.link.engine.snapshot) == dump(rig.walker.indexer.snapshot)


@pytest.mark.parametrize("is_disk_full", [True, False])
def test_no_request_is_answered_before_what_was_applied_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_disk_full: bool
) -> None:
    """Though the walk that finds the vault again finds no change that is not applied."""
    rig = Rig(tmp_path, monkeypatch)
    rig.lose_after_new_notes()
    if is_disk_full:
        monkeypatch.setattr(Store, "publish", fail_to_save)
        rig.publisher.store_portion(rig.walker.indexer.engine)
    rig.root.with_name("away").rename(rig.root)
    rig.walker.requests.add(ipc.WalkRequest(1, full=False, paths=()))
    rig.walker.walk()
    rig.walker.answer_requests()
    assert any(isinstance(each, ipc.WalkReply) for each in rig.link.sends[-1])
    assert dump(rig.link.engine.snapshot) == dump(rig.walker.indexer.snapshot)


def test_what_was_applied_before_the_vault_was_lost_is_sent_though_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = Rig(tmp_path, monkeypatch)
    rig.lose_after_new_notes()
    monkeypatch.setattr(Store, "publish", fail_to_save)
    rig.publisher.save(rig.walker.indexer.engine)
    assert dump(rig.link.engine.snapshot) == dump(rig.walker.indexer.snapshot)
