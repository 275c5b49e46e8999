"""Regions of a note's text: sections, sentences, fenced code, comments, heads of tables, noise."""
