"""Queries on the concept graph: neighbours, expansion, paths, siblings."""
