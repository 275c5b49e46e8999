"""Commands that run, start, stop and describe the daemon of a vault."""
