"""Queries on notes: text, links, lists, and the references that name them."""
