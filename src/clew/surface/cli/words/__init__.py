"""Messages of the command line: help pages, usage errors, and refusals of the daemon."""
