"""Parts of a note's text that are no prose: fenced code, comments, and heads of tables."""
