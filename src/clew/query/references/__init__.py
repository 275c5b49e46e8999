"""References: what a client writes to name a note, a part of one, or a concept."""
