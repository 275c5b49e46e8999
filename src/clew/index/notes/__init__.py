"""Indexes of notes apart from their text and links: dates, facts, lists, fields."""
