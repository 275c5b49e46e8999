"""Search: query parsing, filters, legs, fusion, snippets."""
