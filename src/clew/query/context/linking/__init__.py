"""Links between the passages that may enter a pack."""
