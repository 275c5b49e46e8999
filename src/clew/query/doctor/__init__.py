"""The method ``doctor``: problems of the notes by kind, and suggestions to their owner."""
