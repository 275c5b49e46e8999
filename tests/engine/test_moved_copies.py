"""Renamed notes: copies that replaced the indexed file, and notes whose new name is seen first."""

import errno
import os
import shutil

import pytest

from clew.vault import scan
from clew.vault.scan import FolderListing
from tests.indexed import MS, OLD_S, Vault
from tests.vaults import LATER_NS


@pytest.fixture
def restored(vault: Vault) -> Vault:
    """Return a vault with a note that has the indexed content and time in another file."""
    vault.write("a.md", "one")
    os.utime(vault.root / "a.md", (OLD_S, OLD_S))
    vault.look()
    shutil.copy2(vault.root / "a.md", vault.root / ".copy")
    (vault.root / ".copy").rename(vault.root / "a.md")
    assert vault.look().is_nothing
    return vault


@pytest.mark.parametrize("is_whole", [True, False])
def test_the_renamed_copy_is_the_note(restored: Vault, is_whole: bool) -> None:
    (restored.root / "a.md").rename(restored.root / "b.md")
    renamed_ns = (restored.root / "b.md").stat().st_ctime_ns
    for later_ns in (1 * MS, 12 * MS, 24 * MS, 60 * MS):  # it is read once it is 10 ms old
        if is_whole:
            restored.look(renamed_ns + later_ns)
        else:
            restored.look_at_paths(["a.md", "b.md"], renamed_ns + later_ns)
    assert dict(restored.indexer.snapshot.renames) == {"a.md": "b.md"}
    restored.assert_as_read_anew()


def test_a_copy_that_changed_since_is_known_by_its_new_file(restored: Vault) -> None:
    restored.write(".copy", "two")
    (restored.root / ".copy").rename(restored.root / "a.md")
    restored.look()
    (restored.root / "a.md").rename(restored.root / "b.md")
    renamed_ns = (restored.root / "b.md").stat().st_ctime_ns
    restored.look(renamed_ns + 1 * MS)
    restored.look(LATER_NS)
    assert dict(restored.indexer.snapshot.renames) == {"a.md": "b.md"}


def test_a_note_whose_new_name_is_seen_first_is_a_renamed_one(vault: Vault) -> None:
    vault.write("a/x.md", "one")
    os.utime(vault.root / "a/x.md", (OLD_S, OLD_S))
    vault.write("b/y.md", "two")
    vault.look()
    (vault.root / "a/x.md").rename(vault.root / "b/x.md")
    batch = vault.look_at_paths(["b/x.md"], LATER_NS).batch
    assert (batch.dropped, [read.note.path for read in batch.put]) == (("a/x.md",), ["b/x.md"])
    assert dict(vault.indexer.snapshot.renames) == {"a/x.md": "b/x.md"}
    vault.look()
    vault.assert_as_read_anew()


def test_a_link_to_a_file_or_a_copy_of_it_is_no_renamed_note(vault: Vault) -> None:
    vault.write("a/x.md", "one")
    os.utime(vault.root / "a/x.md", (OLD_S, OLD_S))
    vault.look()
    (vault.root / "b").mkdir()
    os.link(vault.root / "a/x.md", vault.root / "b/x.md")
    shutil.copy2(vault.root / "a/x.md", vault.root / "b/copy.md")
    assert not vault.look_at_paths(["b/x.md", "b/copy.md"], LATER_NS).batch.dropped
    vault.look()
    vault.assert_as_read_anew()


def test_a_folder_that_is_moved_back_has_its_notes_again(vault: Vault) -> None:
    """A move of a folder leaves the stamps of its notes as they are."""
    vault.write("p/a/x.md", "one")
    os.utime(vault.root / "p/a/x.md", (OLD_S, OLD_S))
    vault.write("q/y.md", "two")
    vault.look()
    (vault.root / "p/a").rename(vault.root / "q/c")
    assert vault.look_at_paths(["q/c"], LATER_NS).batch.dropped == ("p/a/x.md",)
    (vault.root / "q/c").rename(vault.root / "p/a")
    vault.look()
    vault.assert_as_read_anew()


def test_a_note_that_cannot_be_looked_at_is_not_gone(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.write("a/x.md", "one")
    os.utime(vault.root / "a/x.md", (OLD_S, OLD_S))
    vault.look()
    (vault.root / "b").mkdir()
    os.link(vault.root / "a/x.md", vault.root / "b/x.md")

    def list_entries(*_: object) -> FolderListing:
        raise OSError(errno.EIO, "input/output error")

    monkeypatch.setattr(scan, "list_entries", list_entries)
    assert not vault.look_at_paths(["b/x.md"], LATER_NS).batch.dropped
