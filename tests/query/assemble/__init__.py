"""Context windows."""
