"""Keeping what the vault does not hold: dates of reads and edits, and turns of sessions."""
