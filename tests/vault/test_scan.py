"""The changes that listing the vault finds, and differences that are not changes."""

import os
import random
import shutil
import socket
import unicodedata
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from clew.values.vault import Difference, Moment
from clew.vault.changes import RACY_NS
from clew.vault.ignore import ignore_rules
from clew.vault.scan import Unreadable, scan
from clew.vault.view import VaultView, parent_of
from tests.vault.conftest import Write
from tests.vaults import LATER, LATER_NS, at

NO_RULES = ignore_rules([], None)


def view_of(root: Path) -> VaultView:
    return VaultView(str(root), NO_RULES)


def looked_at(root: Path) -> VaultView:
    view = view_of(root)
    view.look(LATER)
    return view


def look_at(view: VaultView, folders: Iterable[str], now: Moment) -> Difference:
    """Look at folders as a whole, by their names with ``/.`` at the end."""
    return view.look_at([f"{folder}/." if folder else "." for folder in folders], now)


def difference(
    changed: str = "", gone: str = "", others_added: str = "", others_gone: str = ""
) -> Difference:
    sides = (changed, gone, others_added, others_gone)
    return Difference(*(tuple(side.split()) for side in sides))


def test_the_first_look_finds_every_note_and_attachment(tmp_path: Path, write: Write) -> None:
    for path in ("b.md", "a.md", "x/y/z/c.markdown", "x/image.png", "x/no-extension", "empty/d.MD"):
        write(path)
    assert view_of(tmp_path).look(LATER) == difference(
        changed="a.md b.md empty/d.MD x/y/z/c.markdown",
        others_added="x/image.png x/no-extension",
    )


def test_an_unchanged_vault_gives_no_difference(tmp_path: Path, write: Write) -> None:
    write("a.md")
    write("x/b.png")
    assert looked_at(tmp_path).look(LATER) == difference()


def test_hidden_names_are_skipped(tmp_path: Path, write: Write) -> None:
    for path in (".a.md", ".obsidian/b.md", "node_modules/c.md", "x/.git/d.md", "x/node_modules/e"):
        write(path)
    assert view_of(tmp_path).look(LATER) == difference()


def test_notes_added_written_and_removed_are_found(tmp_path: Path, write: Write) -> None:
    write("kept.md")
    write("written.md")
    write("removed.md")
    write("removed.png")
    view = looked_at(tmp_path)
    write("added.md")
    write("added.png")
    write("written.md", b"other")
    (tmp_path / "removed.md").unlink()
    (tmp_path / "removed.png").unlink()
    assert view.look(LATER) == difference(
        "added.md written.md", "removed.md", "added.png", "removed.png"
    )


def test_a_write_that_keeps_size_and_time_is_found(tmp_path: Path, write: Write) -> None:
    write("a.md", b"one")
    os.utime(tmp_path / "a.md", ns=(5, 5))
    view = looked_at(tmp_path)
    write("a.md", b"two")
    os.utime(tmp_path / "a.md", ns=(5, 5))
    assert view.look(LATER) == difference(changed="a.md")


def test_a_file_that_replaces_another_is_found(tmp_path: Path, write: Write) -> None:
    write("a.md", b"one")
    write("b.tmp", b"two")
    view = looked_at(tmp_path)
    (tmp_path / "b.tmp").rename(tmp_path / "a.md")
    assert view.look(LATER) == difference(changed="a.md", others_gone="b.tmp")


def test_a_note_renamed_to_an_attachment_is_gone(tmp_path: Path, write: Write) -> None:
    write("a.md")
    view = looked_at(tmp_path)
    (tmp_path / "a.md").rename(tmp_path / "a.txt")
    assert view.look(LATER) == difference(gone="a.md", others_added="a.txt")


@pytest.mark.parametrize("folders", [None, [""], ["", "old", "new"]])
def test_the_notes_of_a_renamed_folder_are_renamed(
    tmp_path: Path, write: Write, folders: list[str] | None
) -> None:
    write("old/a.md")
    write("old/deep/b.md")
    view = looked_at(tmp_path)
    (tmp_path / "old").rename(tmp_path / "new")
    found = view.look(LATER) if folders is None else look_at(view, folders, LATER)
    assert found == difference("new/a.md new/deep/b.md", "old/a.md old/deep/b.md")
    assert view.look(LATER) == difference()


def test_new_folders_are_walked(tmp_path: Path, write: Write) -> None:
    write("known/a.md")
    view = looked_at(tmp_path)
    write("known/new/deep/deeper/b.md")
    assert look_at(view, ["known"], LATER) == difference(changed="known/new/deep/deeper/b.md")


def test_a_look_at_one_folder_skips_listed_subfolders(tmp_path: Path, write: Write) -> None:
    write("x/known/a.md")
    view = looked_at(tmp_path)
    write("x/known/b.md")
    write("x/c.md")
    assert look_at(view, ["x"], LATER) == difference(changed="x/c.md")
    assert view.look(LATER) == difference(changed="x/known/b.md")


@pytest.mark.parametrize("folders", [["x"], ["x/y"], ["x/y/z"], ["x", "x/y", "x/y/z"], [""]])
def test_the_notes_of_a_removed_folder_are_gone(
    tmp_path: Path, write: Write, folders: list[str]
) -> None:
    write("a.md")
    write("x/y/z/b.md")
    view = looked_at(tmp_path)
    shutil.rmtree(tmp_path / "x")
    found = look_at(view, folders, LATER).gone + view.look(LATER).gone
    assert found == ("x/y/z/b.md",)
    assert set(view.listings) == {""}


def test_a_look_at_a_folder_removed_with_its_parent_finds_both_gone(
    tmp_path: Path, write: Write
) -> None:
    write("x/a.md")
    write("x/y/b.md")
    view = looked_at(tmp_path)
    shutil.rmtree(tmp_path / "x")
    assert look_at(view, ["x/y"], LATER) == difference(gone="x/a.md x/y/b.md")


def test_a_folder_may_replace_a_note_and_a_note_a_folder(tmp_path: Path, write: Write) -> None:
    write("a.md")
    view = looked_at(tmp_path)
    (tmp_path / "a.md").unlink()
    write("a.md/b.md")
    assert view.look(LATER) == difference("a.md/b.md", "a.md")
    shutil.rmtree(tmp_path / "a.md")
    write("a.md")
    assert view.look(LATER) == difference("a.md", "a.md/b.md")


def test_a_missing_vault_raises_and_leaves_the_view_unchanged(tmp_path: Path, write: Write) -> None:
    write("vault/a.md")
    view = looked_at(tmp_path / "vault")
    (tmp_path / "vault").rename(tmp_path / "away")
    with pytest.raises(FileNotFoundError):
        view.look(LATER)
    with pytest.raises(FileNotFoundError):
        look_at(view, ["", "x"], LATER)
    (tmp_path / "away").rename(tmp_path / "vault")
    assert view.look(LATER) == difference()


def test_an_unreadable_folder_keeps_its_notes_and_is_a_problem(
    open_vault: Path, ordinary_user: Callable[[], AbstractContextManager[None]]
) -> None:
    (open_vault / "x/deep").mkdir(parents=True)
    (open_vault / "x/a.md").touch()
    (open_vault / "x/deep/b.md").touch()
    view = looked_at(open_vault)
    (open_vault / "x").chmod(0)
    with ordinary_user():
        assert view.look(LATER) == difference()
    assert [(p.path, p.code) for p in view.problems()] == [("x", "unreadable")]
    (open_vault / "x").chmod(0o755)
    assert view.look(LATER) == difference()
    assert view.problems() == []


def test_a_folder_unreadable_from_the_start_is_a_problem_until_it_can_be_read(
    open_vault: Path, ordinary_user: Callable[[], AbstractContextManager[None]]
) -> None:
    (open_vault / "x").mkdir()
    (open_vault / "x/a.md").touch()
    (open_vault / "b.md").touch()
    (open_vault / "x").chmod(0)
    view = view_of(open_vault)
    with ordinary_user():
        assert view.look(LATER) == difference(changed="b.md")
        assert isinstance(
            scan(str(open_vault), NO_RULES, ["x"], lambda _, __: False)["x"], Unreadable
        )
    (open_vault / "x").chmod(0o755)
    assert view.look(LATER) == difference(changed="x/a.md")


def test_symbolic_links_are_reported_and_not_followed(tmp_path: Path, write: Write) -> None:
    write("a.md")
    write("x/b.md")
    for link, target in {"l.md": "a.md", "folder": "x", "x/loop": "..", "gone.md": "no"}.items():
        (tmp_path / link).symlink_to(target)
    view = view_of(tmp_path)
    assert view.look(LATER) == difference(changed="a.md x/b.md")
    links = [("folder", "symlink"), ("gone.md", "symlink"), ("l.md", "symlink")]
    assert [(p.path, p.code) for p in view.problems()] == [*links, ("x/loop", "symlink")]


def test_pipes_and_sockets_are_reported_as_problems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.md")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.md")
        view = view_of(tmp_path)
        assert view.look(LATER) == difference()
    problems = [(p.path, p.code) for p in view.problems()]
    assert problems == [("pipe.md", "notRegular"), ("socket.md", "notRegular")]


def test_names_of_undecodable_bytes_are_listed_and_reported(tmp_path: Path) -> None:
    names = [os.fsdecode(name) for name in (b"caf\xe9.md", b"\xff\xfe.md", "é.md".encode())]
    for name in names:
        (tmp_path / name).touch()
    view = view_of(tmp_path)
    assert set(view.look(LATER).changed) == set(names)
    assert [p.path for p in view.problems()] == sorted(names[:2])
    assert {p.code for p in view.problems()} == {"nameUndecodable"}


@pytest.mark.parametrize(
    "name", ["a\nb.md", "a\tb.md", " .md", "a\\b.md", "a'\"b.md", "\u202egpj.md", "-rf.md", "*.md"]
)
def test_a_name_of_odd_characters_is_listed(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    assert view_of(tmp_path).look(LATER).changed == (name,)


def test_names_that_differ_in_case_or_composition_only_are_both_listed(tmp_path: Path) -> None:
    twins = ["Note.md", "note.md", *(unicodedata.normalize(f, "é.md") for f in ("NFC", "NFD"))]
    for name in twins:
        (tmp_path / name).touch()
    if len(os.listdir(tmp_path)) < len(twins):
        pytest.skip("this file system takes twins for one name")
    assert set(view_of(tmp_path).look(LATER).changed) == set(twins)


def test_an_ignored_note_is_listed_with_its_rule(tmp_path: Path, write: Write) -> None:
    write("drafts/a.md")
    write("b.md")
    view = VaultView(str(tmp_path), ignore_rules(["drafts/"], None))
    assert view.look(LATER) == difference(changed="b.md", others_added="drafts/a.md")
    assert view.ignore_rule("drafts/a.md") == "ignore: drafts/"
    assert [view.ignore_rule(path) for path in ("b.md", "drafts/none.md", "no/a.md")] == [None] * 3


def test_new_rules_remove_notes_and_add_them_back(tmp_path: Path, write: Write) -> None:
    write("a.md")
    write("b.md")
    view = looked_at(tmp_path)
    view.rules = ignore_rules(["a.md"], None)
    assert view.look(LATER) == difference(gone="a.md", others_added="a.md")
    view.rules = NO_RULES
    assert view.look(LATER) == difference(changed="a.md", others_gone="a.md")


def test_problems_of_the_rules_are_listed_with_those_of_the_walk(tmp_path: Path) -> None:
    (tmp_path / "l.md").symlink_to("none")
    view = VaultView(str(tmp_path), ignore_rules([], b"{"))
    view.look(LATER)
    assert [p.code for p in view.problems()] == ["appJsonInvalid", "symlink"]


def test_a_racy_note_is_reported_again(tmp_path: Path, write: Write) -> None:
    write("x/a.md")
    os.utime(tmp_path / "x/a.md", ns=(LATER_NS, LATER_NS))
    view = view_of(tmp_path)
    looks = [view.look(at(LATER_NS + age)) for age in (RACY_NS - 1, RACY_NS, RACY_NS)]
    assert [look.changed for look in looks] == [("x/a.md",), ("x/a.md",), ()]


def test_a_racy_note_is_kept_while_other_folders_are_looked_at(
    tmp_path: Path, write: Write
) -> None:
    write("x/a.md")
    write("y/b.md")
    os.utime(tmp_path / "x/a.md", ns=(LATER_NS, LATER_NS))
    view = view_of(tmp_path)
    view.look(LATER)
    assert look_at(view, ["y"], at(LATER_NS + RACY_NS)) == difference()
    assert look_at(view, ["x"], at(LATER_NS + RACY_NS)) == difference(changed="x/a.md")


def test_a_removed_racy_note_is_gone_once(tmp_path: Path, write: Write) -> None:
    write("x/a.md")
    view = view_of(tmp_path)
    view.look(at(0))
    shutil.rmtree(tmp_path / "x")
    assert view.look(at(0)) == difference(gone="x/a.md")
    assert view.look(at(0)) == difference()


def change_something(root: Path, draw: random.Random) -> set[str]:
    """Make one change in the vault; return the folders that a watcher would name."""
    folders = [str(p.relative_to(root)) for p in root.rglob("*") if p.is_dir()]
    folder = draw.choice(["", *folders])
    name = f"{folder}/{draw.choice('abc')}".lstrip("/")
    kind = draw.choice(["write", "write", "remove", "nest", "rename"])
    if kind == "write" and not (root / f"{name}.md").exists():
        (root / f"{name}.md").write_text(str(draw.random()))
    elif kind == "remove" and folder:
        shutil.rmtree(root / folder)
    elif kind == "nest":
        (root / name / "n").mkdir(parents=True, exist_ok=True)
        (root / name / "n/c.png").touch()
    elif kind == "rename" and folder and not (root / f"r{folder[-1]}").exists():
        (root / folder).rename(root / f"r{folder[-1]}")
    return {"", folder, parent_of(folder), name, f"{name}/n"}


@pytest.mark.parametrize("seed", range(15))
def test_differences_add_up_to_the_files_of_the_vault(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    view, notes, others = view_of(tmp_path), set[str](), set[str]()
    for _ in range(25):
        folders = change_something(tmp_path, draw)
        found = look_at(view, folders, LATER) if draw.random() < 0.7 else view.look(LATER)
        notes = (notes - set(found.gone)) | set(found.changed)
        others = (others - set(found.others_gone)) | set(found.others_added)
        fresh = view_of(tmp_path).look(LATER)
        assert notes == set(fresh.changed)
        assert others == set(fresh.others_added)


@pytest.mark.parametrize(("path", "parent"), [("a.md", ""), ("x/a.md", "x"), ("x/y/a.md", "x/y")])
def test_the_parent_of_a_path_is_its_folder(path: str, parent: str) -> None:
    assert parent_of(path) == parent
