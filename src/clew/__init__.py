"""clew: a thread through your notes; concepts, their graph and answers from a folder of Markdown."""

__version__ = "0.1.0"
