"""A note or folder that cannot be read keeps its earlier content in the index."""

import errno

import pytest

from clew.engine.dump import dump
from clew.engine.reading.settling import EMPTIED_WAIT_NS, MASS_WAIT_NS, QUIET_NS
from clew.engine.reading.steps import drained
from tests.indexed import Vault
from tests.vaults import LATER, LATER_NS


@pytest.mark.parametrize("reason", [errno.EACCES, errno.EIO, errno.EMFILE])
def test_a_note_that_cannot_be_read_keeps_its_content_and_is_a_problem(
    vault: Vault, reason: int
) -> None:
    vault.write("a.md", "kept")
    vault.look()
    vault.write("a.md", "new")
    vault.unreadable["a.md"] = reason
    assert vault.look().is_nothing
    assert vault.texts() == {"a.md": "kept"}
    assert vault.problems() == {("a.md", "unreadable")}


@pytest.mark.parametrize("is_known", [False, True])
def test_a_note_that_is_readable_again_is_read_though_its_stamp_is_the_same(
    vault: Vault, is_known: bool
) -> None:
    """Network errors and too many open files do not change a file's stamp."""
    if is_known:
        vault.write("a.md", "kept")
        vault.look()
    vault.write("a.md", "new")
    vault.unreadable["a.md"] = errno.EIO
    vault.look()
    vault.unreadable.clear()
    vault.look()
    assert vault.texts() == {"a.md": "new"}
    assert vault.problems() == set()
    vault.assert_as_read_anew()


def test_a_note_that_was_never_readable_is_indexed_by_name(vault: Vault) -> None:
    vault.write("a.md", "[[b]]")
    vault.unreadable["a.md"] = errno.EACCES
    assert vault.look().added == 1
    assert vault.texts() == {"a.md": ""}
    assert vault.problems() == {("a.md", "unreadable")}


def test_the_problem_of_an_unreadable_note_is_removed_with_the_note(vault: Vault) -> None:
    vault.write("a.md")
    vault.look()
    vault.write("a.md", "new")
    vault.unreadable["a.md"] = errno.EACCES
    vault.look()
    (vault.root / "a.md").unlink()
    vault.look()
    assert vault.problems() == set()
    assert vault.texts() == {}


@pytest.mark.parametrize("content", ["", "being written"])
@pytest.mark.parametrize("folder", ["d", "d/e"])
def test_nobody_waits_for_a_change_in_a_folder_that_cannot_be_listed(
    vault: Vault, folder: str, content: str
) -> None:
    vault.write("d/e/b.md", "kept")
    vault.look()
    written_ns = vault.write("d/e/b.md", content)
    vault.look(written_ns)
    assert vault.indexer.settling.unsettled
    vault.unreadable[folder] = errno.EACCES
    vault.look(written_ns + QUIET_NS)
    assert not vault.indexer.settling.unsettled
    assert vault.texts() == {"d/e/b.md": "kept"}
    assert vault.problems() == {(folder, "unreadable")}
    vault.unreadable.clear()
    for _ in range(2):
        vault.look(LATER_NS + EMPTIED_WAIT_NS)
    vault.look(LATER_NS + 3 * EMPTIED_WAIT_NS)
    assert vault.texts() == {"d/e/b.md": content}


# -- a missing vault ----------------------------------------------------------------------------


@pytest.mark.parametrize("leaves_another", [False, True])
@pytest.mark.parametrize("goes_before", ["looking", "reading", "parsing", "applying"])
def test_a_missing_vault_changes_nothing_and_later_changes_are_found(
    vault: Vault, leaves_another: bool, goes_before: str
) -> None:
    for path in ("kept.md", "written.md", "gone.md", "gone.png"):
        vault.write(path, "[[gone.png]] [[new.png]]")
    vault.look()
    before = dump(vault.indexer.snapshot)
    vault.write("written.md", "new [[new.png]]")
    vault.write("new.md")
    vault.write("new.png")
    (vault.root / "gone.md").unlink()
    (vault.root / "gone.png").unlink()
    away = vault.root.with_name("away")

    def leave(moment: str) -> None:
        if moment == goes_before:
            vault.root.rename(away)
            vault.root.mkdir() if leaves_another else None

    def absorb_and_leave() -> None:
        leave("looking")
        absorbing = vault.indexer.absorb(vault.indexer.look(LATER), LATER)
        for moment in ("reading", "parsing", "applying"):
            leave(moment)
            next(absorbing, None) if moment != "applying" else drained(absorbing)

    with pytest.raises(OSError, match="another folder" if leaves_another else "No such file"):
        absorb_and_leave()
    assert dump(vault.indexer.snapshot) == before
    vault.root.rmdir() if leaves_another else None
    away.rename(vault.root)
    for after_ns in (0, MASS_WAIT_NS):
        vault.look(LATER_NS + after_ns)
    assert not vault.indexer.settling.unsettled
    vault.assert_as_read_anew()
