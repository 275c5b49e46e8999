"""Edits that the daemon sees are told with their time; no other changes are."""

import os

import pytest

from clew.values.vault import MAX_NOTE_BYTES
from tests.indexed import OLD_S, Vault, apply_slices_at_once, read_in_portions
from tests.vaults import LATER_NS

NOW_S = LATER_NS / 1e9


def edits(vault: Vault) -> dict[str, float]:
    return dict(vault.look().edits_s)


@pytest.fixture
def looked(vault: Vault) -> Vault:
    """Return a vault of two notes after the first round."""
    for name in ("a.md", "b.md"):
        vault.write(name)
    vault.look()
    return vault


def test_a_changed_content_is_an_edit_at_that_time(looked: Vault) -> None:
    looked.write("a.md", "other text")
    assert edits(looked) == {"a.md": NOW_S}
    assert edits(looked) == {}


def test_notes_that_appear_vanish_or_keep_their_content_are_no_edits(looked: Vault) -> None:
    looked.write("new.md")
    (looked.root / "b.md").rename(looked.root / "c.md")
    os.utime(looked.root / "a.md", (OLD_S, OLD_S))
    assert edits(looked) == {}


def test_what_changed_before_the_first_round_is_no_edit(looked: Vault) -> None:
    looked.restart()
    looked.write("a.md", "other text")
    assert edits(looked) == {}
    looked.write("a.md", "yet another text")
    assert edits(looked) == {"a.md": NOW_S}


def test_the_file_time_is_told_of_what_changed_before_the_first_round(looked: Vault) -> None:
    looked.write("2024-03-05.md")
    looked.look()
    looked.restart()
    for name in ("a.md", "2024-03-05.md", "new.md"):
        looked.write(name, "other text")
        os.utime(looked.root / name, (OLD_S, OLD_S))
    assert looked.look().missed_s == {"a.md": OLD_S}
    looked.write("a.md", "yet another text")
    assert looked.look().missed_s == {}


def test_a_first_round_that_found_no_vault_does_not_count(looked: Vault) -> None:
    looked.restart()
    looked.write("a.md", "other text")
    away = looked.root.rename(looked.root.with_name("away"))
    with pytest.raises(OSError, match="No such file"):
        looked.look()
    away.rename(looked.root)
    assert edits(looked) == {}


def test_a_note_that_becomes_small_enough_to_be_read_is_no_edit(looked: Vault) -> None:
    looked.write("a.md", "x" * (MAX_NOTE_BYTES + 1))
    assert edits(looked) == {}
    looked.write("a.md", "text again")
    assert edits(looked) == {}


@pytest.mark.parametrize("parts", ["portions", "slices"])
def test_edits_are_told_with_each_part_of_a_round_that_is_applied(
    looked: Vault, monkeypatch: pytest.MonkeyPatch, parts: str
) -> None:
    """Else they were lost if the vault went away, or the indexer ended, before the last part."""
    if parts == "portions":
        read_in_portions(monkeypatch, 2)
    else:
        apply_slices_at_once(monkeypatch)
    for name in ("a.md", "b.md"):
        looked.write(name, "other text")
    told = [step.edits_s for step in looked.steps() if step.is_applied]
    assert told == [{"a.md": NOW_S}, {"b.md": NOW_S}]


def test_file_times_are_told_with_each_part_of_a_first_round(
    looked: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked.restart()
    apply_slices_at_once(monkeypatch)
    for name in ("a.md", "b.md"):
        looked.write(name, "other text")
        os.utime(looked.root / name, (OLD_S, OLD_S))
    told = [(step.edits_s, step.missed_s) for step in looked.steps() if step.is_applied]
    assert told == [({}, {"a.md": OLD_S}), ({}, {"b.md": OLD_S})]
