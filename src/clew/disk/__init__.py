"""Durable writes, journals, and opening files below a folder."""
