"""A folder of another device or inode at the vault's path: the same vault if it has its notes."""

import os
from pathlib import Path

import pytest

from clew.vault.root import FolderEmptied, FolderReplaced, VaultRoot
from tests.indexed import OLD_S, Vault
from tests.vaults import LATER, LATER_NS

ELSEWHERE = (1, 1)  # the device and inode of no folder
NAMES = [f"n{number}.md" for number in range(4)]


@pytest.fixture
def moved(vault: Vault) -> Vault:
    """Return a vault of four notes whose folder had other numbers when it was indexed."""
    for name in NAMES:
        vault.write(name)
        os.utime(vault.root / name, (OLD_S, OLD_S))
    vault.look()
    vault.indexer.root.identity = ELSEWHERE
    return vault


@pytest.mark.parametrize("changed", [0, 2])
def test_a_folder_with_half_of_the_notes_is_the_vault(moved: Vault, changed: int) -> None:
    for name in NAMES[:changed]:
        moved.write(name, "written meanwhile")
    assert moved.look().modified == changed
    assert moved.indexer.root.identity == _identity(moved.root)
    moved.assert_as_read_anew()


@pytest.mark.parametrize("kept", [0, 1])
def test_a_folder_with_fewer_of_the_notes_is_another(moved: Vault, kept: int) -> None:
    for name in NAMES[kept:]:
        (moved.root / name).unlink()
    moved.write("other.md")
    with pytest.raises(FolderReplaced):
        moved.indexer.look(LATER)
    assert sorted(moved.texts()) == NAMES


def test_a_folder_replaces_one_without_notes(vault: Vault) -> None:
    vault.look()
    vault.indexer.root.identity = ELSEWHERE
    vault.write("a.md")
    assert vault.look().added == 1


def test_a_check_of_paths_takes_no_other_folder_for_the_vault(moved: Vault) -> None:
    with pytest.raises(FolderReplaced):
        moved.indexer.look_at(["n0.md"], LATER)


def _identity(folder: Path) -> tuple[int, int]:
    status = folder.stat()
    return status.st_dev, status.st_ino


def test_an_empty_folder_is_not_a_vault_whose_notes_were_indexed(tmp_path: Path) -> None:
    root = VaultRoot(str(tmp_path))
    with pytest.raises(FolderEmptied):
        root.check(lambda: False)
    (tmp_path / ".obsidian").mkdir()
    root.check(lambda: False)
    assert root.identity == _identity(tmp_path)


def test_an_empty_folder_is_a_vault_without_notes(tmp_path: Path) -> None:
    root = VaultRoot(str(tmp_path))
    root.check(lambda: True)
    assert root.identity == _identity(tmp_path)


def test_an_empty_folder_is_no_vault_for_a_check_of_paths_either(vault: Vault) -> None:
    vault.write("a.md")
    vault.look()
    vault.restart()
    (vault.root / "a.md").unlink()
    for _ in range(2):
        with pytest.raises(FolderEmptied):
            vault.look()
        with pytest.raises(FolderEmptied):
            vault.look_at_paths(["a.md"], LATER_NS)
        assert not vault.indexer.root.is_there()
