"""The method `context`: packs, their cache, and the pieces delivered to each session."""
