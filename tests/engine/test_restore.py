"""An indexer is restored from a saved index, and reads only the notes that changed since."""

import os
import shutil

import pytest

from clew.engine.reading.indexer import Indexer
from clew.vault.settings.concept_rules import CONCEPTS_TOML
from tests.indexed import MS, OLD_S, Vault
from tests.stored import stored
from tests.vaults import LATER_NS


def test_a_restored_indexer_reads_only_changed_notes(vault: Vault) -> None:
    for path in ("same.md", "x/same.md", "written.md", "gone.md", "x/gone.md"):
        vault.write(path, "[[p.png]]")
        os.utime(vault.root / path, (OLD_S, OLD_S))
    for path in ("same.png", "x/gone.png", "gone/gone.png"):
        vault.write(path)
    vault.look()
    vault.restart()
    vault.write("written.md", "new")
    vault.write("x/new/new.md")
    vault.write("x/new/p.png")
    for path in ("gone.md", "x/gone.md", "x/gone.png"):
        (vault.root / path).unlink()
    shutil.rmtree(vault.root / "gone")
    absorbed = vault.look()
    assert [read.note.path for read in absorbed.batch.put] == ["written.md", "x/new/new.md"]
    assert absorbed.batch.dropped == ("gone.md", "x/gone.md")
    assert absorbed.batch.others_put == ("x/new/p.png",)
    assert absorbed.batch.others_dropped == ("gone/gone.png", "x/gone.png")
    assert vault.loaded == vault.parsed == ["written.md", "x/new/new.md"]
    vault.assert_as_read_anew()


def test_files_that_were_replaced_by_equal_ones_are_read_at_one_start_only(vault: Vault) -> None:
    for path in ("a.md", "b.md", "mode.md"):
        vault.write(path, f"text of {path}")
    vault.look()
    for path in ("a.md", "b.md"):
        copy = vault.root / "copy"
        shutil.copy2(vault.root / path, copy)
        copy.rename(vault.root / path)
    (vault.root / "mode.md").chmod(0o600)
    vault.restart()
    vault.look()
    assert sorted(vault.loaded) == ["a.md", "b.md", "mode.md"]
    vault.assert_as_read_anew()
    vault.restart()
    assert vault.look().is_nothing
    assert vault.loaded == []


def test_a_new_stamp_of_a_note_that_is_indexed_changes_its_dates_only(vault: Vault) -> None:
    vault.write("a.md", "a [[b]] in the text")
    vault.look()
    slots = len(vault.indexer.engine.indexes.passages.slots)
    before = vault.indexer.snapshot
    os.utime(vault.root / "a.md", (OLD_S, OLD_S))
    batch = vault.look().batch
    assert ([read.note.path for read in batch.put], batch.words) == (["a.md"], {})
    assert len(vault.indexer.engine.indexes.passages.slots) == slots
    assert vault.indexer.snapshot.facts["a.md"].stamp.modified_at_ns == OLD_S * 10**9
    indexes = vault.indexer.engine.indexes
    assert indexes.ages.get(indexes.graph.note_ids["a.md"]).dates.changed_s == OLD_S
    after = vault.indexer.snapshot  # values by weight are computed again
    assert after.neighbour_cache is not before.neighbour_cache
    assert after.derived is not before.derived
    vault.assert_as_read_anew()


def test_restoring_applies_the_log(vault: Vault) -> None:
    vault.write("a.md", "one")
    vault.look()
    file = stored(vault.indexer.engine.indexes)
    vault.write("a.md", "two")
    vault.write("b.md")
    vault.write("p.png")
    log = [vault.look().batch]
    vault.write(CONCEPTS_TOML, 'ignore = ["b"]')
    (vault.root / "b.md").unlink()
    log.append(vault.look().batch)
    vault.indexer = Indexer(vault.settings)
    vault.indexer.load(file)
    vault.indexer.restore(log)
    vault.assert_as_read_anew()
    vault.parsed.clear()
    assert vault.look().is_nothing
    assert vault.parsed == []


@pytest.mark.parametrize("was_racy", [False, True])
def test_a_restored_index_distrusts_stamps_of_notes_read_soon_after_a_write(
    vault: Vault, was_racy: bool
) -> None:
    """A write after the reading may have left the same stamp."""
    written_ns = vault.write("a.md", "new")
    vault.look(written_ns + (1_500 if was_racy else 2_500) * MS)
    entries = vault.indexer.engine.indexes.entries
    assert entries["a.md"].is_racy == was_racy
    vault.forge("a.md", "old")
    vault.restart()
    vault.look()
    assert vault.texts() == {"a.md": "new" if was_racy else "old"}


def test_a_new_stamp_is_distrusted_if_it_was_taken_soon_after_a_write(vault: Vault) -> None:
    for age_ms in (2_500, 1_500):
        vault.look(vault.write("a.md", "new") + age_ms * MS)
    vault.forge("a.md", "old")
    vault.restart()
    vault.look()
    assert vault.texts() == {"a.md": "new"}


def test_an_emptied_note_is_held_back_again_after_a_restart(vault: Vault) -> None:
    vault.write("a.md", "kept")
    vault.look()
    vault.write("a.md", "")
    vault.look()
    vault.restart()
    assert vault.look(LATER_NS + 5_000 * MS).is_nothing
    assert vault.texts() == {"a.md": "kept"}
    vault.look(LATER_NS + 6_000 * MS)
    assert vault.texts() == {"a.md": ""}


def test_restoring_while_the_vault_is_missing_keeps_the_index(vault: Vault) -> None:
    vault.write("a.md", "kept")
    vault.look()
    vault.restart()
    away = vault.root.with_name("away")
    vault.root.rename(away)
    with pytest.raises(FileNotFoundError):
        vault.look()
    assert vault.texts() == {"a.md": "kept"}
    away.rename(vault.root)
    assert vault.look().is_nothing


@pytest.mark.parametrize("damage", [b"", b"junk", b"\x00\xc1", b"\x01{", bytes(8)])
def test_a_damaged_file_is_refused(vault: Vault, damage: bytes) -> None:
    vault.write("a.md", "[[b]]")
    vault.look()
    file = bytes(stored(vault.indexer.engine.indexes)) if damage else b""
    with pytest.raises((ValueError, LookupError)):
        Indexer(vault.settings).load(memoryview(file + damage))
