"""Turns of sessions: read from notes, and recalled by words and meaning."""
