"""Admission: which hits have evidence enough to be shown, and whether a query is answered."""
