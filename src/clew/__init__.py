"""clew: a thread through your notes; their concepts, the graph of them, and answers."""

__version__ = "0.1.0"
