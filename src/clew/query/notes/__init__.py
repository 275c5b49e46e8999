"""Queries on notes: text, links and lists."""
