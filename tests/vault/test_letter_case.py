"""Folders that do not tell letter case apart, as on macOS and on most memory sticks."""

import os
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace

import pytest

from clew.text.concept import fold_name
from clew.vault import scan as scan_module
from clew.vault import view as view_module
from clew.vault.scan import FolderListing
from tests.faults.vaults import vault_of
from tests.vault.test_scan import difference, looked_at
from tests.vaults import LATER


@pytest.fixture
def caseless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a look find every entry by any spelling of its name."""
    calls = SimpleNamespace(
        lstat=lambda path: os.lstat(_there(path)), scandir=lambda path: os.scandir(_there(path))
    )
    monkeypatch.setattr(scan_module, "os", calls)


def _there(path: str) -> str:
    """Return the path of the entry that is found by the name ``path``."""
    if os.path.lexists(path):
        return path
    folder, name = os.path.split(path)
    folder = _there(folder)
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return os.path.join(folder, next((n for n in names if fold_name(n) == fold_name(name)), name))


@pytest.fixture(params=[0, 128])
def listed_whole_max(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test in large folders and in small ones."""
    monkeypatch.setattr(view_module, "LISTED_WHOLE_MAX", request.param)


FILES = ("x/a.md", "x/a.png", "x/caf\u00e9.md", "x/y/b.md", "x/y/z/c.md", "d.md")
RENAMES = [
    ("x/a.md", "x/A.md"),
    ("x/a.png", "x/A.png"),
    ("x/caf\u00e9.md", "x/cafe\u0301.md"),
    ("x", "X"),
    ("x/y", "x/Y"),
]


@pytest.mark.usefixtures("caseless", "listed_whole_max")
@pytest.mark.parametrize(("old", "new"), RENAMES)
@pytest.mark.parametrize("at_once", [1, 2, 4])
def test_a_name_of_another_case_replaces_the_old_one(
    tmp_path: Path, old: str, new: str, at_once: int
) -> None:
    within = [path for path in FILES if path.startswith(f"{old}/")]
    for number, hints in enumerate(permutations([old, new, *within[-2:]])):
        root = vault_of(tmp_path / str(number), dict.fromkeys(FILES, ""))
        view = looked_at(root)
        (root / old).rename(root / new)
        view.look_at(hints[:at_once], LATER)
        view.look_at(hints[at_once:], LATER)
        assert _paths(view.listings) == _paths(looked_at(root).listings), hints
        assert view.look_at([old, *within], LATER) == difference(), hints
        assert view.look(LATER) == difference(), hints


@pytest.mark.usefixtures("caseless", "listed_whole_max")
@pytest.mark.parametrize("name", ["A.md", "A.png", "A"])
def test_a_new_name_that_was_changed_in_case_at_once_is_there_once(
    tmp_path: Path, name: str
) -> None:
    root = vault_of(tmp_path, {"x/b.md": ""})
    view = looked_at(root)
    vault_of(root / "x", {name: ""} if "." in name else {f"{name}/c.md": ""})
    view.look_at([f"x/{name.lower()}", f"x/{name}"], LATER)
    assert _paths(view.listings) == _paths(looked_at(root).listings)


def _paths(listings: dict[str, FolderListing]) -> dict[str, set[str]]:
    return {folder: listing.paths() for folder, listing in listings.items()}
