"""Slow work that runs after all changes are applied: vectors and communities."""
