"""The vault's rules: changes of their files are noticed, and are part of the index."""

import os
from pathlib import Path

import pytest

from clew.vault.settings import rule_files
from tests.indexed import Vault

RULE = (
    '{"name": "%s", "condition": {"field": "task.text", "op": "exists"},'
    ' "action": {"type": "exclude", "ref": "x"}}'
)


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    vault = Vault(tmp_path, monkeypatch)
    vault.write("Tide.md")
    return vault


def names(vault: Vault) -> list[str]:
    vault.look()
    vault.assert_as_read_anew()
    return [rule.name for rule in vault.indexer.snapshot.rule_files.rules]


def test_rules_follow_their_files(vault: Vault) -> None:
    assert names(vault) == []
    revision = vault.indexer.snapshot.revision
    vault.write(".clew/rules/02.json", RULE % "second")
    assert names(vault) == ["second"]
    assert vault.indexer.snapshot.revision > revision
    vault.write(".clew/rules/01.json", RULE % "first")
    vault.write(".clew/rules/03.txt", RULE % "of another kind")
    assert names(vault) == ["first", "second"]
    (vault.root / ".clew/rules/02.json").rename(vault.root / ".clew/rules/00.json")
    assert names(vault) == ["second", "first"]
    vault.write(".clew/rules/01.json", "[")
    assert names(vault) == ["second"]
    assert vault.problems() == {(".clew/rules/01.json", "ruleInvalid")}
    vault.restart()
    assert names(vault) == ["second"]
    (vault.root / ".clew/rules/00.json").unlink()
    (vault.root / ".clew/rules/01.json").unlink()
    assert names(vault) == []
    assert vault.problems() == set()


def test_rules_that_changed_while_no_daemon_ran_are_noticed(vault: Vault) -> None:
    vault.write(".clew/rules/a.json", RULE % "old")
    vault.look()
    vault.write(".clew/rules/a.json", RULE % "new")
    vault.restart()
    assert names(vault) == ["new"]


def test_what_is_no_file_below_the_vault_is_not_read(vault: Vault, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a.json").write_text(RULE % "outside")
    rules = vault.root / ".clew/rules"
    rules.mkdir(parents=True)
    (rules / "folder.json").mkdir()
    os.mkfifo(rules / "pipe.json")
    (rules / "link.json").symlink_to(tmp_path / "outside/a.json")
    (vault.root / ".clew/concepts.toml").mkdir()
    (vault.root / ".obsidian/daily-notes.json").mkdir(parents=True)
    vault.write(".clew/rules/a.json", RULE % "inside")
    assert names(vault) == ["inside"]
    vault.write("Other.md")
    assert names(vault) == ["inside"]
    assert "Other.md" in vault.indexer.snapshot.entries
    (rules / "a.json").unlink()
    for path in ("folder.json",):
        (rules / path).rmdir()
    (rules / "pipe.json").unlink()
    (rules / "link.json").unlink()
    rules.rmdir()
    rules.symlink_to(tmp_path / "outside")
    assert names(vault) == []


def test_a_file_beyond_what_all_may_have_is_not_read_in_part(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that are too large count too."""
    size = len(RULE)
    monkeypatch.setattr(rule_files, "FILE_BYTES_MAX", size + 9)
    monkeypatch.setattr(rule_files, "ALL_BYTES_MAX", 3 * size)
    for name, text in (("00", ""), ("01", " " * 99), ("02", ""), ("03", "")):
        vault.write(f".clew/rules/{name}.json", RULE % name + text)
    vault.write(".clew/pipelines/a.json", "[]")
    assert names(vault) == ["00"]
    problems = vault.indexer.snapshot.rule_files.problems
    assert [(each.path, each.message.partition(":")[0]) for each in problems] == [
        (f".clew/rules/{name}.json", "not used") for name in ("01", "02", "03")
    ]
