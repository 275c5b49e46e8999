"""Looks that follow hints, in small and large folders, compared with looks at the whole vault."""

import os
import random
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from clew.vault import view as view_module
from clew.vault.changes import RACY_NS
from clew.vault.ignore import ignore_rules
from clew.vault.scan import Listings, list_entries, scan
from clew.vault.view import VaultView, parent_of
from tests.vault.changes import change
from tests.vault.conftest import Write
from tests.vault.test_scan import difference, looked_at, view_of
from tests.vaults import LATER, LATER_NS, at

SIZES = [0, 1, 3, view_module.LISTED_WHOLE_MAX]


@pytest.fixture(params=SIZES)
def listed_whole_max(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run a test with all folders large, with some of them large, and with none."""
    most: int = request.param
    monkeypatch.setattr(view_module, "LISTED_WHOLE_MAX", most)
    return most


@pytest.fixture
def all_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test in which every folder except empty ones is too large to be listed for a hint."""
    monkeypatch.setattr(view_module, "LISTED_WHOLE_MAX", 0)


def inodes(view: VaultView) -> dict[str, int]:
    return {path: inode for path, (inode, _) in view.identities().items()}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.usefixtures("listed_whole_max")
def test_looks_at_every_change_add_up_to_the_files_of_the_vault(root: Path, seed: int) -> None:
    draw = random.Random(seed)
    view, notes, others = looked_at(root), set[str](), set[str]()
    for _ in range(40):
        hints = set.union(*(change(root, draw) for _ in range(draw.randint(1, 4))))
        found = view.look_at(hints, LATER)
        notes = (notes - set(found.gone)) | set(found.changed)
        others = (others - set(found.others_gone)) | set(found.others_added)
        fresh = looked_at(root)
        assert notes == {path for listing in fresh.listings.values() for path in listing.notes}
        assert others == {path for listing in fresh.listings.values() for path in listing.others}
        assert view.listings == fresh.listings
        assert inodes(view) == inodes(fresh)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.usefixtures("listed_whole_max")
def test_a_whole_look_after_any_hints_corrects_everything(root: Path, seed: int) -> None:
    """Hints may name deleted paths, paths that never existed, or be lost."""
    draw = random.Random(seed)
    view, heard = looked_at(root), {".", "x/.", "never/was/there.md", "no"}
    for _ in range(40):
        heard |= change(root, draw)
        view.look_at(draw.sample(sorted(heard), draw.randint(0, 4)), LATER)
        if draw.random() < 0.2:
            view.look(LATER)
            assert view.listings == looked_at(root).listings


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.usefixtures("listed_whole_max")
def test_a_look_at_one_path_sees_the_note_there(root: Path, seed: int) -> None:
    """The folders on the way to it may be new, gone, hidden, or symbolic links."""
    draw = random.Random(seed)
    view, paths = looked_at(root), {"never/was/there.md", ".hidden/x/a.md", "link/a.md", "no.md"}
    (root / ".hidden" / "x").mkdir(parents=True)
    (root / ".hidden" / "x" / "a.md").write_text("hidden")
    (root.parent / "a.md").write_text("outside")
    (root / "link").symlink_to(root.parent)
    for _ in range(60):
        paths |= change(root, draw) | {"new/x/y/a.md"}
        if draw.random() < 0.3:
            shutil.rmtree(root / "new", ignore_errors=True)
        elif draw.random() < 0.3:
            (root / "new" / "x" / "y").mkdir(parents=True, exist_ok=True)
            (root / "new" / "x" / "y" / "a.md").write_text("new")
        path = draw.choice(sorted(path for path in paths if path.endswith(".md")))
        stamp = looked_at(root).stamp(path)
        assert view.stamp_now(path) == stamp or path.startswith(".")
        view.look_at([path], LATER, {path})
        assert view.stamp(path) == stamp, path
        if draw.random() < 0.2:
            view.look(LATER)
            assert view.listings == looked_at(root).listings


# -- large folders ------------------------------------------------------------------------------


@pytest.mark.usefixtures("all_large")
def test_in_a_large_folder_only_hinted_paths_are_looked_at(tmp_path: Path, write: Write) -> None:
    for name in "abc":
        write(f"{name}.md")
    view = looked_at(tmp_path)
    for name in "abcd":
        write(f"{name}.md", b"other")
    (tmp_path / "c.md").unlink()
    assert view.look_at(["a.md", "c.md", "none.md"], LATER) == difference("a.md", "c.md")
    assert view.look_at(["d.png"], LATER) == difference()
    assert view.look(LATER) == difference("b.md d.md")


@pytest.mark.usefixtures("all_large")
@pytest.mark.parametrize("hint", [".", "x/."])
def test_a_large_folder_is_listed_when_asked_for(tmp_path: Path, write: Write, hint: str) -> None:
    folder = parent_of(hint) + "/" if "/" in hint else ""
    for path in ("a.md", "x/a.md"):
        write(path)
    view = looked_at(tmp_path)
    for path in ("b.md", "p.png", "x/b.md", "x/p.png"):
        write(path)
    expected = difference(f"{folder}b.md", others_added=f"{folder}p.png")
    assert view.look_at([hint], LATER) == expected


@pytest.mark.parametrize("count", [127, 128, 129])
def test_a_folder_of_over_128_entries_is_large(tmp_path: Path, count: int) -> None:
    for number in range(count):
        (tmp_path / f"{number}.png").touch()
    view = looked_at(tmp_path)
    (tmp_path / "a.md").touch()
    assert view.look_at(["0.png"], LATER) == difference("a.md" if count <= 128 else "")


@pytest.mark.usefixtures("listed_whole_max")
def test_a_new_folder_is_walked_to_all_depths(tmp_path: Path, write: Write) -> None:
    write("a.md")
    view = looked_at(tmp_path)
    write("new/deep/b.md")
    write("new/deep/p.png")
    assert view.look_at(["new"], LATER) == difference(
        "new/deep/b.md", others_added="new/deep/p.png"
    )


@pytest.mark.usefixtures("listed_whole_max")
def test_a_folder_that_replaces_another_is_walked(tmp_path: Path, write: Write) -> None:
    write("x/y/a.md")
    write("x/y/same.md")
    view = looked_at(tmp_path)
    write("z/y/b.md")
    (tmp_path / "x").rename(tmp_path / "z/old")
    (tmp_path / "z").rename(tmp_path / "x")
    found = view.look_at(["x"], LATER)
    assert found == difference("x/old/y/a.md x/old/y/same.md x/y/b.md", "x/y/a.md x/y/same.md")


@pytest.mark.usefixtures("listed_whole_max")
@pytest.mark.parametrize(
    "hints", [["x"], ["x/y"], ["x/y/a.md"], ["x", "x/y", "x/y/a.md", "x/b.md"]]
)
def test_a_removed_folder_is_found_gone_by_any_of_its_hints(
    tmp_path: Path, write: Write, hints: list[str]
) -> None:
    for path in ("a.md", "x/b.md", "x/c.md", "x/y/a.md", "x/y/p.png"):
        write(path)
    view = looked_at(tmp_path)
    shutil.rmtree(tmp_path / "x")
    found = [view.look_at(hints, LATER), view.look(LATER)]
    gone = {path for each in found for path in each.gone}
    assert gone == {"x/b.md", "x/c.md", "x/y/a.md"}
    assert set(view.listings) == {""}


@pytest.mark.parametrize("hints", [["x"], ["x", "x/gone.md", "x/y/gone.md"]])
@pytest.mark.usefixtures("listed_whole_max")
def test_a_replaced_folder_with_the_same_inode_is_walked(root: Path, hints: list[str]) -> None:
    (root / "x").mkdir()
    (root / "x/gone.md").touch()
    view, inode = looked_at(root), (root / "x").stat().st_ino
    shutil.rmtree(root / "x")
    (root / "x").mkdir()
    (root / "x/new.md").touch()
    (root / "x/other.md").touch()
    if (root / "x").stat().st_ino != inode:
        pytest.skip("this file system gives no inode twice")
    assert view.look_at(hints, LATER) == difference("x/new.md x/other.md", "x/gone.md")


@pytest.mark.usefixtures("all_large")
def test_a_link_is_not_followed_whatever_the_hint(tmp_path: Path, write: Write) -> None:
    write("vault/x/y/a.md")
    write("vault/x/y/p.png")
    view = looked_at(tmp_path / "vault")
    (tmp_path / "vault/x").rename(tmp_path / "outside")
    (tmp_path / "vault/x").symlink_to(tmp_path / "outside")
    write("outside/new.png")
    for hint in ("x/y/p.png", "x/y/.", "x/.", "x/new.png", "x", "x/y/p.png", "x/y/.", "x/."):
        view.look_at([hint], LATER)
    view.look(LATER)
    assert view.listings == looked_at(tmp_path / "vault").listings


@pytest.mark.parametrize("hint", ["x/.git/a.md", "x/node_modules/a.md", ".trash/a.md", ".trash/."])
def test_hints_of_hidden_paths_are_ignored(tmp_path: Path, write: Write, hint: str) -> None:
    write("x/b.md")
    view = looked_at(tmp_path)
    write(hint if hint.endswith("md") else ".trash/a.md")
    assert view.look_at([hint], LATER) == difference()
    assert view.look(LATER) == difference()


@pytest.mark.parametrize("hint", ["n" * 300 + ".md", "a.md/b.md", "x/a.md/b/c.md", "no/no.md"])
@pytest.mark.usefixtures("listed_whole_max")
def test_a_hint_of_an_impossible_path_is_ignored(tmp_path: Path, write: Write, hint: str) -> None:
    write("a.md")
    write("x/a.md")
    view = looked_at(tmp_path)
    assert view.look_at([hint], LATER) == difference()
    assert view.look(LATER) == difference()


def test_single_paths_are_listed_like_whole_folders(tmp_path: Path, write: Write) -> None:
    for path in ("a.md", "p.png", "left-out.md", ".hidden.md", "x/b.md"):
        write(path)
    (tmp_path / "l.md").symlink_to("a.md")
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / os.fsdecode(b"\xff.md")).touch()
    view = VaultView(str(tmp_path), ignore_rules(["left-out.md"], None))
    view.look(LATER)
    names = [*os.listdir(tmp_path), "none.md"]
    assert list_entries(str(tmp_path), names, view.rules) == view.listings[""]


# -- files deleted or added during a look --------------------------------------------------------


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """Return a list of changes to make after single entries were checked and before folders are."""
    events: list[Callable[[], object]] = []

    def scan_later(*arguments: Any) -> Listings:
        while events:
            events.pop(0)()
        return scan(*arguments)

    monkeypatch.setattr(view_module, "scan", scan_later)
    return events


HINTS = ["a.md", "p.png", "x/."]  # two entries and a removed folder, so everything is listed


@pytest.mark.usefixtures("all_large")
def test_a_file_deleted_and_restored_during_a_look_is_kept(
    root: Path, meanwhile: list[Callable[[], object]]
) -> None:
    """If it were only reported as gone, the note would be dropped for good."""
    (root / "x").mkdir()
    for name in ("a.md", "p.png"):
        (root / name).touch()
    view = looked_at(root)
    (root / "x").rmdir()
    for name in ("a.md", "p.png"):
        (root / name).rename(root.with_name(name))
        meanwhile.append(partial(root.with_name(name).rename, root / name))
    assert view.look_at(HINTS, LATER) == difference(changed="a.md", others_added="p.png")
    assert view.look(LATER) == difference()


@pytest.mark.usefixtures("all_large")
def test_a_file_added_and_deleted_during_a_look_is_gone(
    root: Path, meanwhile: list[Callable[[], object]]
) -> None:
    (root / "x").mkdir()
    (root / "b.md").touch()
    view = looked_at(root)
    (root / "x").rmdir()
    for name in ("a.md", "p.png"):
        (root / name).touch()
        meanwhile.append((root / name).unlink)
    assert view.look_at(HINTS, LATER) == difference(gone="a.md", others_gone="p.png")
    assert view.look(LATER) == difference()


# -- young notes --------------------------------------------------------------------------------


@pytest.mark.usefixtures("listed_whole_max")
def test_a_racy_note_is_reported_again_at_the_next_look(tmp_path: Path, write: Write) -> None:
    write("x/a.md")
    view = view_of(tmp_path)
    os.utime(tmp_path / "x/a.md", ns=(LATER_NS, LATER_NS))
    view.look(LATER)
    ages_ns = (0, RACY_NS - 1, RACY_NS, RACY_NS + 1)
    looks = [view.look_at(["x/a.md"], at(LATER_NS + age_ns)) for age_ns in ages_ns]
    assert [look.changed for look in looks] == [("x/a.md",)] * 3 + [()]


@pytest.mark.usefixtures("all_large")
def test_a_racy_note_is_kept_while_others_are_looked_at(tmp_path: Path, write: Write) -> None:
    for name in "ab":
        write(f"x/{name}.md")
        os.utime(tmp_path / f"x/{name}.md", ns=(LATER_NS, LATER_NS))
    view = view_of(tmp_path)
    view.look(LATER)
    (tmp_path / "x/a.md").unlink()
    assert view.look_at(["x/a.md"], at(LATER_NS + RACY_NS)) == difference(gone="x/a.md")
    assert view.look_at(["x/."], at(LATER_NS + RACY_NS)) == difference(changed="x/b.md")
    assert view.look(at(LATER_NS + RACY_NS)) == difference()


@pytest.mark.usefixtures("listed_whole_max")
def test_a_note_to_recheck_is_reported_until_it_is_gone(tmp_path: Path, write: Write) -> None:
    write("x/a.md")
    view = looked_at(tmp_path)
    view.recheck("x/a.md")
    assert view.look_at(["x/b.md"] if view_module.LISTED_WHOLE_MAX < 1 else [], LATER).gone == ()
    assert view.look_at(["x/a.md"], LATER) == difference(changed="x/a.md")
    assert view.look_at(["x/a.md"], LATER) == difference()
    view.recheck("x/a.md")
    (tmp_path / "x/a.md").unlink()
    assert view.look_at(["x/a.md"], LATER) == difference(gone="x/a.md")
    write("x/b.md")
    assert view.look(LATER) == difference(changed="x/b.md")
