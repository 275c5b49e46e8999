"""Looks of a view that takes over the files of a saved index, as after a restart."""

import random
import shutil
from pathlib import Path

import pytest

from clew.values.vault import Difference, Stamp
from clew.vault.ignore import ignore_rules
from clew.vault.view import VaultView
from tests.vault.changes import change
from tests.vault.conftest import Write
from tests.vault.test_scan import NO_RULES, difference, looked_at, view_of
from tests.vaults import LATER


def restored(root: Path, notes: dict[str, Stamp], others: set[str]) -> VaultView:
    view = view_of(root)
    view.restore(notes, others)
    return view


def known(root: Path) -> tuple[dict[str, Stamp], set[str]]:
    """Return the notes and the other files of a vault, as a saved index has them."""
    listings = looked_at(root).listings.values()
    notes = {path: stamp for listing in listings for path, stamp in listing.notes.items()}
    return notes, {path for listing in listings for path in listing.others}


@pytest.mark.parametrize("seed", range(12))
def test_the_first_look_after_a_restart_finds_changes_since(root: Path, seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(40):
        change(root, draw)
    notes, others = known(root)
    view = restored(root, notes, others)
    for _ in range(draw.choice([0, 1, 20])):
        change(root, draw)
    after, others_after = known(root)
    assert view.look(LATER) == Difference(
        tuple(sorted(path for path, stamp in after.items() if notes.get(path) != stamp)),
        tuple(sorted(notes.keys() - after.keys())),
        tuple(sorted(others_after - others)),
        tuple(sorted(others - others_after)),
    )
    assert view.listings == looked_at(root).listings
    assert view.look(LATER) == difference()


def test_a_folder_removed_before_a_restart_is_gone_with_all_below(
    tmp_path: Path, write: Write
) -> None:
    write("x/y/z/a.md")
    write("x/y/z/p.png")
    notes, others = known(tmp_path)
    view = restored(tmp_path, notes, others)
    shutil.rmtree(tmp_path / "x")
    assert view.look(LATER) == difference(gone="x/y/z/a.md", others_gone="x/y/z/p.png")


def test_the_view_of_a_missing_vault_is_kept(tmp_path: Path, write: Write) -> None:
    write("vault/x/a.md")
    notes, others = known(tmp_path / "vault")
    view = restored(tmp_path / "vault", notes, others)
    (tmp_path / "vault").rename(tmp_path / "away")
    with pytest.raises(FileNotFoundError):
        view.look(LATER)
    (tmp_path / "away").rename(tmp_path / "vault")
    assert view.look(LATER) == difference()


def test_a_note_that_is_ignored_after_a_restart_becomes_another_file(
    tmp_path: Path, write: Write
) -> None:
    write("a.md")
    notes, others = known(tmp_path)
    view = restored(tmp_path, notes, others)
    view.rules = ignore_rules(["a.md"], None)
    assert view.look(LATER) == difference(gone="a.md", others_added="a.md")
    assert view.stamp("a.md") is None
    view.rules = NO_RULES
    assert view.look(LATER) == difference(changed="a.md", others_gone="a.md")
