"""Secrets in the text of notes: what they look like, and how they are masked."""
