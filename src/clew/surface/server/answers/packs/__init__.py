"""Answers to `context`: packs, their cache, and what was delivered to each session."""
