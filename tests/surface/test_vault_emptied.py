"""A daemon that starts on an empty folder, where the disk of its vault is not mounted yet."""

import shutil
from pathlib import Path

import pytest

from tests.daemons import broken_parts, daemon
from tests.faults.vaults import knows, vault_of

NOTES = {f"n{number}.md": f"[[hub]] [[old {number}]]" for number in range(3)}
REMEDY = "bring it back, or make a file in it if it is meant to be empty"
NOTICED_SECONDS_MAX = 30.0

pytestmark = pytest.mark.slow


@pytest.fixture
def unmounted(tmp_path: Path) -> Path:
    """Return an empty vault, whose notes are aside and were indexed by a daemon that has ended."""
    vault = vault_of(tmp_path / "v", NOTES)
    with daemon(tmp_path / "h", vault) as running:
        running.ask("sync")
    vault.rename(tmp_path / "aside")
    vault.mkdir()
    return vault


def test_the_saved_notes_answer_until_the_disk_is_mounted(unmounted: Path, tmp_path: Path) -> None:
    with daemon(tmp_path / "h", unmounted) as running:
        assert running.ask("concept", conceptName="hub")["noteCount"] == len(NOTES)
        assert "is empty, although" in broken_parts(running.ask("status"))["vault"]
        for waits in ({"waitFresh": True}, {"waitFor": ["memory://n0.md"]}) * 2:
            error = running.refusal("concept", conceptName="hub", **waits)["data"]
            assert (error["code"], error["hint"]) == ("vaultUnavailable", REMEDY)
        assert running.ask("concept", conceptName="hub")["noteCount"] == len(NOTES)
        unmounted.rmdir()
        shutil.copytree(tmp_path / "aside", unmounted)
        vault_of(unmounted, {"n0.md": "[[written meanwhile]]"})
        assert knows(running, "written meanwhile", NOTICED_SECONDS_MAX)
        assert running.ask("concept", conceptName="hub")["noteCount"] == len(NOTES) - 1
        running.until("status", lambda said: said["degraded"] == [], NOTICED_SECONDS_MAX)


def test_a_vault_with_anything_in_it_is_read_as_it_is(unmounted: Path, tmp_path: Path) -> None:
    (unmounted / ".obsidian").mkdir()
    with daemon(tmp_path / "h", unmounted) as running:
        running.until("status", lambda said: said["notes"] == 0, NOTICED_SECONDS_MAX)
        assert broken_parts(running.ask("status")) == {}
        vault_of(unmounted, {"new.md": "[[new]]"})
        assert knows(running, "new", NOTICED_SECONDS_MAX)
