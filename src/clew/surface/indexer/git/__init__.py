"""Reading the commit dates of notes, in a process of its own that runs git."""
