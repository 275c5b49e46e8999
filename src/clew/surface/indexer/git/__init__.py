"""Reading when notes were committed, in a process of its own that runs git."""
