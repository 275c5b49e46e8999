"""Bounded caches of query results, valid for one revision of the graph."""
