"""Invented words and Markdown for the notes of generated vaults."""
