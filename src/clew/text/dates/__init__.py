"""Dates that people write in notes and in queries."""
