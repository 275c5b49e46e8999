"""Work in several processes that share the memory of what they loaded."""
