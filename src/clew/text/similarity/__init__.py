"""How similar two words are: by edits, and by shared trigrams."""
