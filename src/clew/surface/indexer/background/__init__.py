"""Slow work behind every change: vectors, communities."""
