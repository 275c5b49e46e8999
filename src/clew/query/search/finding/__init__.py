"""From a query to the notes found: the legs run, and their hits are ranked and judged."""
