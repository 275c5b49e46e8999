"""The folder of notes: reading, listing, ignoring and watching; knows nothing of indexes."""
