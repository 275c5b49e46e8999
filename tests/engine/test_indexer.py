"""From a real folder to revisions: all changes of a walk make one revision; no change, none."""

import gc
import os

import pytest

from clew.embed.models import open_model
from clew.engine.reading.steps import drained
from clew.values.vault import Batch
from clew.vault.ignore import APP_JSON
from clew.vault.settings.concept_rules import CONCEPTS_TOML
from tests.indexed import OLD_S, Vault
from tests.vaults import LATER


def test_all_changes_of_a_walk_are_one_revision(vault: Vault) -> None:
    for path in ("a.md", "b.md", "x/p.png", CONCEPTS_TOML):
        vault.write(path, 'ignore = ["z"]')
    vault.look()
    assert vault.indexer.snapshot.revision == 1
    assert vault.look().is_nothing
    assert vault.indexer.snapshot.revision == 1


def test_a_walk_without_changes_makes_no_revision_with_a_model_too(vault: Vault) -> None:
    vault.indexer.embedder.encoder = open_model("builtin")
    vault.write("a.md", "the tide is high")
    vault.look()
    assert vault.indexer.embedder.due == []
    assert vault.look().is_nothing
    assert vault.indexer.snapshot.revision == 1


def test_an_index_that_lost_its_last_note_is_as_one_without_notes(vault: Vault) -> None:
    vault.indexer.embedder.encoder = open_model("builtin")
    vault.write("a.md", "the tide is high")
    vault.look()
    (vault.root / "a.md").unlink()
    vault.look()
    assert vault.texts() == {}
    vault.assert_as_read_anew()


def test_a_touched_note_gets_its_new_date_and_is_not_parsed(vault: Vault) -> None:
    vault.write("a.md")
    vault.look()
    os.utime(vault.root / "a.md", (OLD_S, OLD_S))
    vault.parsed.clear()
    assert vault.look().modified == 1
    assert vault.indexer.snapshot.dates("a.md").changed_s == OLD_S
    assert vault.parsed == []


def test_a_note_whose_folder_was_away_while_it_was_to_be_read_is_read_later(vault: Vault) -> None:
    vault.write("a/n.md")
    os.utime(vault.root / "a/n.md", (OLD_S, OLD_S))
    found = vault.indexer.look(LATER)
    (vault.root / "a").rename(vault.root / "b")
    drained(vault.indexer.absorb(found, LATER))
    (vault.root / "b").rename(vault.root / "a")
    vault.look()
    assert vault.indexer.snapshot.entries.keys() == {"a/n.md"}


def test_a_note_written_with_the_same_content_and_date_is_no_change(vault: Vault) -> None:
    vault.write("a.md")
    os.utime(vault.root / "a.md", (OLD_S, OLD_S))
    vault.look()
    vault.write("a.md")
    os.utime(vault.root / "a.md", (OLD_S, OLD_S))
    assert vault.look().is_nothing
    assert vault.loaded == ["a.md", "a.md"]


def test_reading_every_note_again_finds_changes_with_the_same_stamp(vault: Vault) -> None:
    vault.write("a.md", "one")
    vault.look()
    vault.forge("a.md", "old")
    assert vault.look().is_nothing
    found = vault.indexer.with_every_note(vault.indexer.look(LATER))
    assert drained(vault.indexer.absorb(found, LATER)).modified == 1
    assert vault.texts() == {"a.md": "one"}


def test_a_note_deleted_before_it_is_read_is_dropped(vault: Vault) -> None:
    vault.write("a.md")
    vault.write("b.md")
    vault.look()
    vault.write("a.md", "other")
    vault.write("c.md")
    found = vault.indexer.look(LATER)
    (vault.root / "a.md").unlink()
    (vault.root / "c.md").unlink()
    assert drained(vault.indexer.absorb(found, LATER)).batch == Batch(dropped=("a.md",))
    assert vault.look().is_nothing
    vault.assert_as_read_anew()


@pytest.mark.parametrize("ends_early", [False, True])
def test_garbage_collection_is_enabled_again_after_reading(vault: Vault, ends_early: bool) -> None:
    vault.write("a.md")
    absorbing = vault.indexer.absorb(vault.indexer.look(LATER), LATER)
    next(absorbing)
    assert not gc.isenabled()
    absorbing.close() if ends_early else drained(absorbing)
    assert gc.isenabled()


# -- settings in the vault ----------------------------------------------------------------------


def test_concept_rules_are_applied_as_they_change(vault: Vault) -> None:
    vault.write("a.md", "[[b]] [[c]]")
    vault.look()
    expected = {'ignore = ["b"]': {"c"}, '[merge]\nc = ["b"]': {"c"}, "no toml [": {"b", "c"}}
    for rules, concepts in expected.items():
        vault.write(CONCEPTS_TOML, rules)
        near = vault.indexer.look_at([], LATER)
        absorbed = drained(vault.indexer.absorb(near, LATER))
        assert absorbed.batch.rules is not None
        assert set(vault.indexer.snapshot.graph.row("a.md")) == concepts
        vault.assert_as_read_anew()
        assert vault.look().is_nothing
    (vault.root / CONCEPTS_TOML).unlink()
    assert vault.look().batch.rules is not None
    assert vault.problems() == set()


def test_filters_in_obsidians_settings_are_applied_by_a_walk(vault: Vault) -> None:
    vault.write("a.md", "[[b]]")
    vault.write("x/b.md")
    vault.look()
    vault.write(APP_JSON, '{"userIgnoreFilters": ["x/"]}')
    assert vault.look().batch == Batch(dropped=("x/b.md",), others_put=("x/b.md",))
    assert vault.indexer.ignore_rule("x/b.md") == f"{APP_JSON}: x/"
    vault.write(APP_JSON, "{")
    assert vault.look().added == 1
    assert vault.problems() == {(APP_JSON, "appJsonInvalid")}
    vault.assert_as_read_anew()
