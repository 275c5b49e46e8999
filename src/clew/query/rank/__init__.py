"""Ranking of notes, headings and concepts within a token budget."""
