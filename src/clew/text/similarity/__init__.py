"""How similar two texts are: by shared words, by edits, and by shared trigrams."""
