"""Rules on the order of the notes that a search found, beyond their scores."""
