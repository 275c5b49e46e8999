"""The vault's own settings that are part of a revision, read again when their files change."""

from clew.engine.indexes import Indexes
from clew.values.vault import Batch, ConceptRules, DailyNotes
from clew.vault.daily_notes import DAILY_NOTES_BYTES_MAX, DAILY_NOTES_JSON, parse_daily_notes
from clew.vault.root import VaultRoot
from clew.vault.rule_files import changed_rule_files
from clew.vault.rules import CONCEPTS_TOML, RULES_BYTES_MAX, file_digest, parse_rules


def changed_settings(root: VaultRoot, indexes: Indexes) -> Batch:
    """Return a batch of those settings whose files differ from the indexed ones."""
    return Batch(
        rules=_changed_rules(root, indexes.names.rules),
        daily_notes=_changed_daily_notes(root, indexes.daily_notes),
        rule_files=changed_rule_files(root, indexes.rule_files),
    )


def _changed_rules(root: VaultRoot, indexed: ConceptRules) -> ConceptRules | None:
    data = root.read_small(CONCEPTS_TOML, RULES_BYTES_MAX)
    return None if file_digest(data) == indexed.digest else parse_rules(data)


def _changed_daily_notes(root: VaultRoot, indexed: DailyNotes) -> DailyNotes | None:
    data = root.read_small(DAILY_NOTES_JSON, DAILY_NOTES_BYTES_MAX)
    return None if file_digest(data) == indexed.digest else parse_daily_notes(data)
