"""Unlinked mentions: the names of notes in texts that do not link there."""
