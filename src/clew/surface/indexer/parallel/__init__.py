"""Work in several forked processes, which share the memory of loaded code and data."""
