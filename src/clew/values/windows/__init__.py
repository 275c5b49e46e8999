"""Values of context windows on the wire."""
