"""The languages of notes and queries."""
