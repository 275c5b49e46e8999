"""Indexes of notes: names, link targets, concept graph, ages, keywords, vectors, communities."""
