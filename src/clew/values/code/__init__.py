"""Values of the code graph."""
