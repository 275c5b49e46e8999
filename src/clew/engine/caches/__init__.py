"""Bounded caches of answers that stay valid for one revision."""
