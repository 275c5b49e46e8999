"""The vault's own settings that are part of a revision, read again when their files change."""

from clew.engine.indexes import Indexes
from clew.values.vault import Batch, ConceptRules, DailyNotes
from clew.vault.root import VaultRoot
from clew.vault.settings.concept_rules import (
    CONCEPTS_TOML,
    CONCEPTS_TOML_BYTES_MAX,
    file_digest,
    parse_concept_rules,
)
from clew.vault.settings.daily_notes import (
    DAILY_NOTES_BYTES_MAX,
    DAILY_NOTES_JSON,
    parse_daily_notes,
)
from clew.vault.settings.rule_files import changed_rule_files


def changed_settings(root: VaultRoot, indexes: Indexes) -> Batch:
    """Return a batch of those settings whose files differ from the indexed ones."""
    return Batch(
        rules=_changed_rules(root, indexes.names.rules),
        daily_notes=_changed_daily_notes(root, indexes.daily_notes),
        rule_files=changed_rule_files(root, indexes.rule_files),
    )


def _changed_rules(root: VaultRoot, indexed: ConceptRules) -> ConceptRules | None:
    data = root.read_small(CONCEPTS_TOML, CONCEPTS_TOML_BYTES_MAX)
    return None if file_digest(data) == indexed.digest else parse_concept_rules(data)


def _changed_daily_notes(root: VaultRoot, indexed: DailyNotes) -> DailyNotes | None:
    data = root.read_small(DAILY_NOTES_JSON, DAILY_NOTES_BYTES_MAX)
    return None if file_digest(data) == indexed.digest else parse_daily_notes(data)
