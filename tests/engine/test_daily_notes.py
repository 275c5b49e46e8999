"""The vault's format of daily notes: its changes are noticed, and dates follow."""

import os
from pathlib import Path

import pytest

from clew.index.formulas.note_dates import DateSource
from tests.indexed import OLD_S, Vault
from tests.vaults import DAY_S

SETTINGS = ".obsidian/daily-notes.json"


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    vault = Vault(tmp_path, monkeypatch)
    for name in ("14.03.2025", "2025-03-14", "Tide"):
        vault.write(f"{name}.md")
        os.utime(vault.root / f"{name}.md", (OLD_S, OLD_S))
    return vault


def sources(vault: Vault) -> dict[str, DateSource]:
    vault.look()
    vault.assert_as_read_anew()
    snapshot = vault.indexer.snapshot
    return {path[:-3]: snapshot.dates(path).changed_from for path in sorted(snapshot.facts)}


FILE, NAME = DateSource.FILE, DateSource.NAME
WITHOUT = {"14.03.2025": FILE, "2025-03-14": NAME, "Tide": FILE}


def test_dates_follow_a_format_that_comes_changes_and_goes(vault: Vault) -> None:
    assert sources(vault) == WITHOUT
    vault.write(SETTINGS, '{"format": "DD.MM.YYYY"}')
    assert sources(vault) == WITHOUT | {"14.03.2025": NAME}
    vault.write(SETTINGS, '{"format": "DD.MM.YYYY", "folder": "journal"}')
    assert sources(vault) == WITHOUT | {"14.03.2025": NAME}
    vault.write(SETTINGS, '{"format": "dddd"}')
    assert sources(vault) == WITHOUT
    assert vault.problems() == {(SETTINGS, "dailyNotesInvalid")}
    (vault.root / SETTINGS).unlink()
    assert sources(vault) == WITHOUT
    assert vault.problems() == set()


def test_a_format_that_changed_while_no_daemon_ran_is_noticed(vault: Vault) -> None:
    vault.write(SETTINGS, '{"format": "DD.MM.YYYY"}')
    vault.look()
    vault.restart()
    assert sources(vault) == WITHOUT | {"14.03.2025": NAME}
    vault.write(SETTINGS, '{"format": "MM.DD.YYYY"}')
    vault.restart()
    assert sources(vault) == WITHOUT


def test_touching_files_moves_only_dates_that_have_no_other_source(vault: Vault) -> None:
    vault.look()
    before = {path: vault.indexer.snapshot.dates(path) for path in vault.indexer.snapshot.facts}
    for path in before:
        os.utime(vault.root / path, (OLD_S + DAY_S, OLD_S + DAY_S))
    vault.look()
    vault.assert_as_read_anew()
    after = {path: vault.indexer.snapshot.dates(path) for path in before}
    assert {path for path in before if after[path] != before[path]} == {"14.03.2025.md", "Tide.md"}
