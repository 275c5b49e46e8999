"""The vault's own settings that are part of a revision, read again when their files change."""

from clew.values.vault import ConceptRules, DailyNotes
from clew.vault.daily_notes import DAILY_NOTES_BYTES_MAX, DAILY_NOTES_JSON, parse_daily_notes
from clew.vault.root import VaultRoot
from clew.vault.rules import CONCEPTS_TOML, RULES_BYTES_MAX, file_digest, parse_rules


def changed_rules(root: VaultRoot, known: ConceptRules) -> ConceptRules | None:
    """Return the vault's concept rules if their file differs from that of the known ones."""
    data = root.read_small(CONCEPTS_TOML, RULES_BYTES_MAX)
    return None if file_digest(data) == known.digest else parse_rules(data)


def changed_daily_notes(root: VaultRoot, known: DailyNotes) -> DailyNotes | None:
    """Return the vault's settings of daily notes if their file differs from the known one."""
    data = root.read_small(DAILY_NOTES_JSON, DAILY_NOTES_BYTES_MAX)
    return None if file_digest(data) == known.digest else parse_daily_notes(data)
