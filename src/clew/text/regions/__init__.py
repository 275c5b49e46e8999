"""Regions of a note's text: sections, fenced code, comments, heads of tables, and noise."""
