"""The index and the read dates on disk."""
