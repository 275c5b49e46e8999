"""Files in the index's folder that are not its own: links, files of other users, other names."""

import os
from contextlib import suppress
from pathlib import Path

import pytest

from clew.engine.persist.generation_files import FORMAT
from tests.disks import snapshot
from tests.stores import NOTHING, assert_goes_on, files_of, opened, state_of


@pytest.mark.parametrize("place", ["v2", "v2/gen-00000001", "v2/gen-00000001/notes", "."])
def test_no_link_is_followed(tmp_path: Path, place: str) -> None:
    folder = tmp_path / "index"
    store, _ = opened(folder)
    store.publish(files_of("A"))
    elsewhere = tmp_path / "elsewhere"
    (folder / place).rename(elsewhere)
    (folder / place).symlink_to(elsewhere)
    before = snapshot(elsewhere) if elsewhere.is_dir() else {}
    store, state = opened(folder)
    assert state == NOTHING
    with suppress(OSError):
        store.append(b"r")
        store.publish(files_of("B"))
    assert not before or snapshot(elsewhere) == before
    if place != ".":
        assert state_of(folder) == ("B", ())


@pytest.mark.parametrize("place", ["v2", "."])
def test_a_log_behind_a_linked_folder_is_not_read(tmp_path: Path, place: str) -> None:
    folder = tmp_path / "index"
    store, _ = opened(folder)
    store.append(b"r1")
    (folder / place).rename(tmp_path / "elsewhere")
    (folder / place).symlink_to(tmp_path / "elsewhere")
    assert state_of(folder) == NOTHING


def test_a_linked_log_is_not_followed(tmp_path: Path) -> None:
    store, _ = opened(tmp_path / "index")
    store.append(b"r1")
    log = tmp_path / "index" / f"v{FORMAT}" / "log-00000000"
    log.rename(tmp_path / "log")
    log.symlink_to(tmp_path / "log")
    store, state = opened(tmp_path / "index")
    assert state == NOTHING
    with pytest.raises(OSError, match="symbolic links"):
        store.append(b"r2")
    store.publish({})
    assert (tmp_path / "log").exists()


# One of the next two tests is skipped: only root can make a file of another user, but root may open
# any file.
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("name", ["gen-00000001/notes", "gen-00000001/manifest.json"])
def test_files_of_another_user_are_ignored(tmp_path: Path, name: str) -> None:
    store, _ = opened(tmp_path / "index")
    store.publish(files_of("A"))
    os.chown(tmp_path / "index" / f"v{FORMAT}" / name, 65_534, 65_534)
    assert state_of(tmp_path / "index") == NOTHING


@pytest.mark.skipif(os.geteuid() == 0, reason="root may do anything")
@pytest.mark.parametrize("name", ["", "gen-00000001", "gen-00000001/notes", "log-00000001"])
def test_files_that_cannot_be_read_are_ignored(tmp_path: Path, name: str) -> None:
    store, _ = opened(tmp_path / "index")
    store.publish(files_of("A"))
    store.append(b"a1")
    path = tmp_path / "index" / f"v{FORMAT}" / name
    path.chmod(0)
    try:
        assert state_of(tmp_path / "index") in (NOTHING, ("A", ()))
    finally:
        path.chmod(0o700)


def test_a_file_in_place_of_the_folder_is_removed(tmp_path: Path) -> None:
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / f"v{FORMAT}").write_bytes(b"?")
    store, state = opened(tmp_path / "index")
    assert state == NOTHING
    assert_goes_on(store, tmp_path / "index")


def test_files_of_other_names_are_kept(tmp_path: Path) -> None:
    home = tmp_path / "index" / f"v{FORMAT}"
    foreign = dict.fromkeys(("gen-1", "gen-0000000x", "notes", "log-1", "gen-00000001.old"))
    for name in foreign:
        (home / name).mkdir(parents=True)
    store, _ = opened(tmp_path / "index")
    store.publish(files_of("A"))
    store.publish(files_of("B"))
    assert snapshot(home).items() >= foreign.items()
