"""Paths that are typed in a folder name notes of the vault, also through symbolic links."""

import os
from pathlib import Path

import pytest

from clew.surface.cli.lists.here import folder_in_vault, path_in_vault
from tests.tables import for_each_row

# The current folder, what is typed, and the path in the vault; "" where it leads out of the vault.
# {}: the folder around the vault ``V``, which has the links ``vlink`` to it, ``sub`` to its folder
# ``Sub`` and ``beta.md`` to its note ``Beta.md``.
NOTES = (
    (".", "{}/V/Beta.md", "Beta.md"),
    (".", "{}/vlink/Beta.md", "Beta.md"),
    (".", "./vlink/Sub/x.md", "Sub/x.md"),
    ("V/Sub", "../../vlink/Beta.md", "Beta.md"),
    ("vlink", "./Beta.md", "Beta.md"),
    (".", "./sub/x.md", "Sub/x.md"),
    (".", "./beta.md", "Beta.md"),
    (".", "./vlink/removed.md", "removed.md"),
    (".", "./vlink/no folder/removed.md", "no folder/removed.md"),
    (".", "./vlink/Beta.md#Heading", "Beta.md#Heading"),
    # A note that is a link itself, in the vault and out of it.
    (".", "./V/link.md", "link.md"),
    (".", "./vlink/link.md", "link.md"),
    (".", "./vlink/out.md", "out.md"),
    (".", "./vlink/linked/x.md", "linked/x.md"),
    (".", "./Vnot/Beta.md", ""),
    (".", "./elsewhere.md", ""),
    ("V", "../elsewhere.md", ""),
)


FOLDERS = (
    ("V/Sub", ".", "Sub"),
    ("V/Sub", "./deep/", "Sub/deep"),
    ("V/Sub", "../Other", "Other"),
    ("V/Sub", "..", "."),
    ("V", "./", "."),
    (".", "./vlink", "."),
    (".", "./sub", "Sub"),
    (".", "{}/vlink/Sub", "Sub"),
    (".", ".", None),
    ("V", "../elsewhere", None),
    ("V", "/Sub", None),
)


@pytest.fixture
def around(tmp_path: Path) -> Path:
    """Make a vault with links to it and in it; return the folder around it."""
    vault = tmp_path / "V"
    (vault / "Sub").mkdir(parents=True)
    for path in ("V/Beta.md", "V/Sub/x.md", "elsewhere.md"):
        (tmp_path / path).write_text("a note")
    for name, target in (("vlink", "V"), ("sub", "V/Sub"), ("beta.md", "V/Beta.md")):
        (tmp_path / name).symlink_to(target)
    for name, target in (("link.md", "Beta.md"), ("out.md", "../elsewhere.md"), ("linked", "Sub")):
        (vault / name).symlink_to(target)
    return tmp_path


@for_each_row(("folder", "typed", "expected"), NOTES)
def test_a_path_from_the_current_folder_leads_into_the_vault(
    around: Path, monkeypatch: pytest.MonkeyPatch, folder: str, typed: str, expected: str
) -> None:
    monkeypatch.chdir(around / folder)
    name = typed.format(around)
    assert path_in_vault(str(around / "V"), name) == (expected or name)


@for_each_row(("folder", "typed", "expected"), FOLDERS)
def test_a_folder_may_be_named_from_the_current_folder(
    around: Path, monkeypatch: pytest.MonkeyPatch, folder: str, typed: str, expected: str | None
) -> None:
    monkeypatch.chdir(around / folder)
    assert folder_in_vault(str(around / "V"), typed.format(around)) == expected


def test_a_path_through_a_link_is_understood_while_the_vault_is_gone(around: Path) -> None:
    os.rename(around / "V", around / "unmounted")
    assert path_in_vault(str(around / "V"), f"{around}/vlink/Beta.md") == "Beta.md"
