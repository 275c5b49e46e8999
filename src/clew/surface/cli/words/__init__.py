"""Words of the command line: what refusals of the daemon say, and how commands are listed."""
