"""Code as entities, calls, imports and bases. Loads tree-sitter only when some code is parsed."""
