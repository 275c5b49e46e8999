"""Private notes: which notes are private, and the index of all others."""
