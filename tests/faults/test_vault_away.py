"""A vault, or a part of it, that is missing for a while: its index is kept and marked as outdated.

The daemon gets no request that makes it walk the vault: it must notice by itself.
"""

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.daemons import Daemon, broken_parts, prepared
from tests.faults import LONG
from tests.faults.processes import bound_by_modes, mount
from tests.faults.vaults import (
    QUIET_SECONDS,
    knows,
    note_count,
    seconds_until,
    settled_daemon,
    vault_of,
)
from tests.pace import Stopwatch

NOTICED_SECONDS_MAX = 10.0
RIGHT_SECONDS_MAX = 15.0
HELD_SECONDS_MIN = 1.5  # of about 2 seconds after the test removed the last note
AWAY_SECONDS = 0.8
COUNT = 40
FEW = 4
NOTES = {f"all/{'few' if n < FEW else 'most'}/n{n}.md": f"[[hub]] [[c{n}]]" for n in range(COUNT)}
UMOUNTS = [["umount", "-l"], ["umount"]]


@dataclass(frozen=True, slots=True)
class Absence:
    """One way for a vault to disappear and to return."""

    go: Callable[[Path, Path], None]  # the vault, and an unused path next to it
    back: Callable[[Path, Path], None]


def _rename(vault: Path, aside: Path) -> None:
    vault.rename(aside)


def _rename_back(vault: Path, aside: Path) -> None:
    aside.rename(vault)


def _replace(vault: Path, aside: Path) -> None:
    vault.rename(aside)
    vault_of(vault, {"other.md": "[[another vault]]"})


def _replace_back(vault: Path, aside: Path) -> None:
    shutil.rmtree(vault)
    aside.rename(vault)


def _empty_folder(vault: Path, aside: Path) -> None:
    vault.rename(aside)
    vault.mkdir()


def _link(vault: Path, aside: Path) -> None:
    """Replace the vault by a symbolic link to a folder of other notes."""
    vault.rename(aside)
    vault_of(vault.parent / "linked", {"other.md": "[[another vault]]"})
    vault.symlink_to(vault.parent / "linked")


def _link_back(vault: Path, aside: Path) -> None:
    vault.unlink()
    aside.rename(vault)


ABSENCES = {
    "renamed": Absence(_rename, _rename_back),
    "another folder in its place": Absence(_replace, _replace_back),
    "an empty folder in its place": Absence(_empty_folder, _replace_back),
    "a link in its place": Absence(_link, _link_back),
}


def is_flagged(running: Daemon) -> bool:
    return any(part.startswith("vault") for part in running.ask("status")["degraded"])


def check_kept(running: Daemon) -> None:
    """Assert that the index is kept, and that the status says so."""
    assert seconds_until(lambda: is_flagged(running), NOTICED_SECONDS_MAX) <= NOTICED_SECONDS_MAX, (
        f"not flagged within {NOTICED_SECONDS_MAX} s: {running.ask('status')['degraded']}"
    )
    assert running.ask("status")["notes"] == COUNT
    assert note_count(running, "hub") == COUNT
    assert note_count(running, "another vault") == 0
    error = running.refusal("concept", conceptName="hub", waitFresh=True)
    assert error["data"]["code"] == "vaultUnavailable", error
    assert is_flagged(running), "the flag was taken back while the vault was away"


def check_right_again(running: Daemon, vault: Path) -> None:
    """Assert that the daemon finds the changes by itself, and is not degraded any more.

    When the vault returned, ``all/few/n0.md`` had been changed to link to ``changed meanwhile``.
    """
    assert knows(running, "changed meanwhile", RIGHT_SECONDS_MAX), running.ask("status")
    running.until("status", lambda r: r["degraded"] == [], seconds=RIGHT_SECONDS_MAX)
    assert note_count(running, "c0") == 0
    assert running.ask("status")["notes"] == COUNT
    (vault / "all" / "most" / "n9.md").write_text("[[hub]] [[changed later]]")
    assert knows(running, "changed later"), "changes are no longer heard of"


@pytest.mark.parametrize("way", ABSENCES if LONG else list(ABSENCES)[:2])
def test_the_index_of_a_missing_vault_is_kept_and_marked(tmp_path: Path, way: str) -> None:
    vault, aside = vault_of(tmp_path / "v", NOTES), tmp_path / "aside"
    with settled_daemon(tmp_path / "h", vault) as running:
        ABSENCES[way].go(vault, aside)
        check_kept(running)
        (aside / "all" / "few" / "n0.md").write_text("[[hub]] [[changed meanwhile]]")
        ABSENCES[way].back(vault, aside)
        check_right_again(running, vault)


@contextmanager
def mounted(vault: Path, disk: Path) -> Iterator[None]:
    """Put the vault on a file system of its own, which can be unmounted and mounted again."""
    vault.mkdir()
    disk.mkdir()
    mount("-t", "tmpfs", "-o", "size=16m", "none", str(disk))
    try:
        vault_of(disk / "v", NOTES)
        mount("--bind", str(disk / "v"), str(vault))
        yield
    finally:
        for place in (vault, disk):
            subprocess.run(["umount", "-l", place], capture_output=True, check=False)


@pytest.mark.parametrize("how", UMOUNTS if LONG else UMOUNTS[:1], ids=" ".join)
def test_the_index_of_an_unmounted_vault_is_kept_and_marked(tmp_path: Path, how: list[str]) -> None:
    vault, disk = tmp_path / "v", tmp_path / "disk"
    with mounted(vault, disk), settled_daemon(tmp_path / "h", vault) as running:
        subprocess.run([*how, vault], check=True)
        check_kept(running)
        (disk / "v" / "all" / "few" / "n0.md").write_text("[[hub]] [[changed meanwhile]]")
        mount("--bind", str(disk / "v"), str(vault))
        check_right_again(running, vault)


@contextmanager
def bound_daemon(tmp_path: Path, vault: Path) -> Iterator[Daemon]:
    """Run a settled daemon to which file modes apply."""
    with prepared(tmp_path / "h", vault) as running:
        running.before = bound_by_modes()
        running.start()
        time.sleep(QUIET_SECONDS)
        yield running
        running.stop()


def test_the_index_of_a_vault_that_cannot_be_listed_is_kept_and_marked(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", NOTES)
    with bound_daemon(tmp_path, vault) as running:
        try:
            vault.chmod(0)
            check_kept(running)
        finally:
            vault.chmod(0o755)
        (vault / "all" / "few" / "n0.md").write_text("[[hub]] [[changed meanwhile]]")
        check_right_again(running, vault)


@pytest.mark.parametrize("part", ["all/few", "all/few/n0.md"])
def test_notes_that_cannot_be_read_are_kept_and_listed(tmp_path: Path, part: str) -> None:
    vault = vault_of(tmp_path / "v", NOTES)
    mode = (vault / part).stat().st_mode
    with bound_daemon(tmp_path, vault) as running:
        try:
            (vault / part).chmod(0)
            (vault / "all" / "most" / "n9.md").write_text("[[hub]] [[seen meanwhile]]")
            assert knows(running, "seen meanwhile"), "the rest is not looked at"
            running.ask("sync")
            assert unreadable(running.ask("doctor")) == {part}
            assert running.ask("status")["notes"] == COUNT
            assert note_count(running, "hub") == COUNT
            assert note_count(running, "c0") == 1, f"what {part} said is forgotten"
        finally:
            (vault / part).chmod(mode)
        running.until("doctor", lambda r: not unreadable(r), seconds=RIGHT_SECONDS_MAX)
        (vault / "all" / "few" / "n0.md").write_text("[[hub]] [[changed meanwhile]]")
        check_right_again(running, vault)


def unreadable(doctor: dict[str, list[dict[str, str]]]) -> set[str]:
    """Return the paths that are listed as unreadable."""
    rows = [row for row in doctor["problems"] if row["code"] == "unreadable"]
    return {row["uri"].removeprefix("memory://") for row in rows}


@pytest.mark.parametrize(("part", "kept"), [("all/most", FEW), ("all", 0)])
def test_a_mass_deletion_is_confirmed_by_a_walk_2_s_later(
    tmp_path: Path, part: str, kept: int
) -> None:
    vault = vault_of(tmp_path / "v", NOTES)
    with settled_daemon(tmp_path / "h", vault) as running:
        before_s = time.monotonic()
        (vault / part).rename(tmp_path / "aside")
        held = []
        watch = Stopwatch()
        while (status := running.ask("status"))["notes"] == COUNT:
            held.append(broken_parts(status))
            assert not watch.is_over(RIGHT_SECONDS_MAX), status
            time.sleep(0.02)
        dropped_s = time.monotonic() - before_s
        assert dropped_s >= HELD_SECONDS_MIN, f"dropped after {dropped_s:.2f} s, without a look"
        assert any(held), "held, but not said"
        running.until("status", lambda r: r["notes"] == kept, seconds=RIGHT_SECONDS_MAX)
        running.until("status", lambda r: r["degraded"] == [], seconds=RIGHT_SECONDS_MAX)
        assert note_count(running, "hub") == kept


def test_notes_of_a_mass_deletion_that_return_were_never_dropped(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "v", NOTES)
    seen: set[tuple[int, int]] = set()
    with settled_daemon(tmp_path / "h", vault) as running:
        before_s = time.monotonic()
        (vault / "all").rename(tmp_path / "aside")
        while time.monotonic() < before_s + AWAY_SECONDS:
            seen.add((running.ask("status")["notes"], note_count(running, "hub")))
        (tmp_path / "aside").rename(vault / "all")
        away_s = time.monotonic() - before_s
        if away_s > HELD_SECONDS_MIN:
            pytest.skip(f"a busy machine: away for {away_s:.1f} s, so long that it is believed")
        (vault / "all" / "few" / "n0.md").write_text("[[hub]] [[changed meanwhile]]")
        check_right_again(running, vault)
        seen.add((running.ask("status")["notes"], note_count(running, "hub")))
    assert seen == {(COUNT, COUNT)}


def test_a_few_deleted_notes_are_dropped_at_once(tmp_path: Path) -> None:
    """Only mass deletions are held back; the removal of a small folder is intended."""
    vault = vault_of(tmp_path / "v", NOTES)
    with settled_daemon(tmp_path / "h", vault) as running:
        shutil.rmtree(vault / "all" / "few")
        running.until("status", lambda r: r["notes"] == COUNT - FEW, seconds=1.5)
        running.until("status", lambda r: r["degraded"] == [])
